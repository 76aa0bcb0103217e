"""The texts of one answer that are open at a time: each has its own transforms and ends for its own
reasons.
 Texts of one group (a choice, a message) follow one another on the wire: what is held of one goes
out before another begins. A failure inside a transform costs that text its rewriting, and not a
character.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from mitmproxy_windsurf.rewriter.channels import TOOL_CHANNELS, Stage, stages
from mitmproxy_windsurf.rewriter.layers import Layers
from mitmproxy_windsurf.rewriter.signatures import Signatures, is_signature
from mitmproxy_windsurf.text.dedup import ReasoningDedup
from mitmproxy_windsurf.text.edits import Edit
from mitmproxy_windsurf.wire.parts import ALL, Channel, Json, Key

MAX_OPEN = 256
"""Texts that are open at once; the one that was opened first ends before one more is opened."""

MAX_EDITS = 1000
"""Edits that are remembered per answer."""


class Tail(NamedTuple):
    """What was still held of a text when it ended, and a document that carried the text before."""

    key: Key
    text: str
    like: Json


class _Text:
    """One open text: its stages and what each holds, so that a failing one loses nothing."""

    def __init__(self, key: Key, row: Sequence[Stage], dedup: ReasoningDedup | None) -> None:
        self.key = key
        self._edits: list[Edit] = []
        self.dedup = dedup
        self.like: Json = {}
        self.came: list[str] | None = None
        """What came, where the original may be asked for once more."""
        self.copied = ""
        self.copy_out = ""
        self.failure: Exception | None = None
        self._stages = list(row)
        self._held = [""] * len(row)

    def feed(self, text: str) -> str:
        if self.came is not None:
            self.came.append(text)
        return self._through(self.dedup.feed(text) if self.dedup else text)

    def pause(self, row: Sequence[Stage]) -> str:
        """Another channel goes on: decide all but whether this text repeats the reasoning.

        Should the text go on later, it does so through `row`.
        """
        out = self._flush_from(0)
        self._put_aside()
        if not self.failure:
            self._stages = list(row)
            self._held = [""] * len(row)
        return out

    def flush(self, *, keep: bool) -> str:
        """The text ended well; with `keep` it goes out even if it repeats the reasoning."""
        rest = ""
        if self.dedup and self.dedup.held:
            rest = self.dedup.release() if keep else self.dedup.settle()
        return self._through(rest) + self._flush_from(0)

    def end_by_tool(self) -> str:
        """A tool call ends the comparison with the reasoning, and the text."""
        return self._through(self.dedup.release() if self.dedup else "") + self._flush_from(0)

    def release(self) -> str:
        """The stream broke."""
        out = "".join(stage.release() for stage in reversed(self._stages))
        return out + (self.dedup.release() if self.dedup else "")

    def edits(self) -> list[Edit]:
        return self._edits + [edit for stage in self._stages for edit in stage.edits]

    def _through(self, text: str, start: int = 0) -> str:
        for index in range(start, len(self._stages)):
            stage = self._stages[index]
            try:
                out = stage.feed(text)
            except Exception as error:
                return self._fail(error, index, text)
            if out != text or self._held[index]:
                self._held[index] = stage.held
            text = out
        return text

    def _flush_from(self, index: int) -> str:
        out = ""
        for position in range(index, len(self._stages)):
            try:
                rest = self._stages[position].flush()
            except Exception as error:
                return out + self._fail(error, position, "")
            self._held[position] = ""
            out += self._through(rest, position + 1)
        return out

    def _fail(self, error: Exception, index: int, text: str) -> str:
        """Stages after the failed one still hold what came before; then comes what it held, then
        the input."""
        self.failure = error
        later = "".join(stage.release() for stage in reversed(self._stages[index + 1 :]))
        earlier = "".join(stage.release() for stage in reversed(self._stages[:index]))
        out = later + self._held[index] + text + earlier
        self._put_aside()
        return out

    def _put_aside(self) -> None:
        self._edits = self.edits()
        self._stages = []


class Texts:
    """All open texts of one answer."""

    def __init__(
        self,
        layers: Layers,
        *,
        model: str | None,
        want_thinking: bool,
        want_json: bool,
        keep_visible: bool,
        signatures: Signatures,
    ) -> None:
        self._layers = layers
        self._model = model
        self._compare = layers.dedup and want_thinking
        self._unwrap = not want_json
        self._keep_visible = keep_visible
        self._signatures = signatures
        self._open: dict[Key, _Text] = {}
        self._dedups: dict[Hashable, ReasoningDedup] = {}
        self._visible = False
        self._edits: list[Edit] = []
        self.kept_visible = 0
        self.failures: list[Exception] = []

    @property
    def edits(self) -> list[Edit]:
        """What was changed so far, at most `MAX_EDITS` of it."""
        found = list(self._edits)
        for text in self._open.values():
            found += _placed(text.edits(), text.key)
        for group, dedup in self._dedups.items():
            found += _placed(dedup.edits, Key(group, "text"))
        return found[:MAX_EDITS]

    def sign(self, key: Key, signature: str) -> None:
        """The signature of a thinking text, or what a server has put in its place."""
        if is_signature(signature):
            text = self._open.get(key)
            changed = text is not None and bool(text.edits())
            original = "".join(text.came) if changed and text and text.came else None
            self._signatures.seen(signature, original)

    def is_open(self, key: Key) -> bool:
        """Whether the text has begun and not ended."""
        return key in self._open

    def feed(self, key: Key, text: str, document: Json) -> str:
        """More of a text that came in `document`."""
        current = self._open.get(key) or self._begin(key)
        current.like = document
        if key.channel == "thinking" and self._compare and not key.copy:
            self._dedup(key.group).note_reasoning(text)
        out = current.feed(text)
        if out and key.channel == "text":
            self._visible = True
        return out

    def feed_copy(self, key: Key, text: str, document: Json) -> str:
        """All of a text so far, as it came in `document`; returns all of its output so far."""
        current = self._open.get(key) or self._begin(key)
        current.like = document
        if text.startswith(current.copied):
            current.copy_out += current.feed(text[len(current.copied) :])
        else:
            current.copy_out = current.feed(text)
        current.copied = text
        return current.copy_out

    def once(self, channel: Channel, text: str, place: str) -> str:
        """A text that is complete in itself."""
        if channel in TOOL_CHANNELS:
            self._visible = True
        key = Key(place, channel)
        row = stages(channel, self._layers, model=self._model, unwrap=False, streamed=False)
        whole = _Text(key, row, None)
        out = whole.feed(text) + whole.flush(keep=True)
        self._close(whole)
        return out

    def switch(self, key: Key) -> list[Tail]:
        """A text begins or goes on: what is held of other channels in its group goes out first."""
        if len(self._open) == 1 and key in self._open:
            return []
        tails = []
        if len(self._open) >= MAX_OPEN and key not in self._open:
            oldest = next(iter(self._open.values()))
            tails.append(self._end(oldest, oldest.flush(keep=True)))
        for other in list(self._open.values()):
            if other.key.group != key.group or _same_kind(other.key.channel, key.channel):
                continue
            if key.channel in TOOL_CHANNELS:
                tails.append(self._end(other, other.end_by_tool()))
            elif other.key.channel == "text":
                tails.append(Tail(other.key, other.pause(self._stages(other.key)), other.like))
            else:
                tails.append(self._end(other, other.flush(keep=True)))
        if key.channel in TOOL_CHANNELS:
            self._visible = True
        return [tail for tail in tails if tail.text]

    def end(self, group: Hashable, item: Hashable) -> list[Tail]:
        """Texts ended well."""
        tails = []
        for text in list(self._open.values()):
            if group in (ALL, text.key.group) and item in (ALL, text.key.item):
                keep = self._keep_visible and not self._visible
                if keep and text.dedup and text.dedup.duplicate:
                    self.kept_visible += 1
                tails.append(self._end(text, text.flush(keep=keep)))
        return [tail for tail in tails if tail.text]

    def release(self) -> list[Tail]:
        """The stream broke: everything that is held comes back."""
        tails = [self._end(text, text.release()) for text in list(self._open.values())]
        return [tail for tail in tails if tail.text]

    def _begin(self, key: Key) -> _Text:
        compare = self._compare and key.channel == "text" and not key.copy
        text = _Text(key, self._stages(key), self._dedup(key.group) if compare else None)
        if key.channel == "thinking" and self._signatures.keeps_originals:
            text.came = []
        self._open[key] = text
        return text

    def _stages(self, key: Key) -> Sequence[Stage]:
        if key.channel == "thinking" and self._signatures.untouchable:
            return ()
        return stages(key.channel, self._layers, model=self._model, unwrap=self._unwrap)

    def _dedup(self, group: Hashable) -> ReasoningDedup:
        if group not in self._dedups:
            self._dedups[group] = ReasoningDedup(want_thinking=True)
        return self._dedups[group]

    def _end(self, text: _Text, rest: str) -> Tail:
        del self._open[text.key]
        self._close(text)
        if rest and text.key.channel == "text":
            self._visible = True
        return Tail(text.key, rest, text.like)

    def _close(self, text: _Text) -> None:
        if text.failure:
            self.failures.append(text.failure)
        if len(self._edits) < MAX_EDITS:
            self._edits += _placed(text.edits(), text.key)


def _placed(edits: Iterable[Edit], key: Key) -> list[Edit]:
    place = f"{key.channel}[{key.item}]" if key.item else key.channel
    return [replace(edit, place=place) for edit in edits]


def _same_kind(one: Channel, other: Channel) -> bool:
    return one == other or (one in TOOL_CHANNELS and other in TOOL_CHANNELS)
