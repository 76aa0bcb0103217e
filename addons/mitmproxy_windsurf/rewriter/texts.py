"""The texts of one answer that are open at a time: which there are, and what ends them.

Texts of one group (a choice, a message) follow one another on the wire: what is held of one goes
out before another begins.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from mitmproxy_windsurf.rewriter.channels import TOOL_CHANNELS, Stage, stages
from mitmproxy_windsurf.rewriter.ended import Ended, EndedTexts
from mitmproxy_windsurf.rewriter.layers import Layers
from mitmproxy_windsurf.rewriter.open_text import OpenText
from mitmproxy_windsurf.rewriter.signatures import Signatures, is_signature
from mitmproxy_windsurf.text.dedup import ReasoningDedup
from mitmproxy_windsurf.text.edits import Edit
from mitmproxy_windsurf.text.transform import Pipeline
from mitmproxy_windsurf.wire.parts import ALL, Channel, Json, Key, Reading

MAX_OPEN = 256
"""Texts that are open at once; the one that was opened first ends before one more is opened."""

MAX_EDITS = 1000
"""Edits that are remembered per answer."""


class Tail(NamedTuple):
    """What was still held of a text when it ended, and a document that carried the text before.

    Of a `cumulative` text it is what its last edition was short of.
    """

    key: Key
    text: str
    like: Json
    cumulative: bool = False
    stopped: bool = False
    """Its end has been told already, and must wait for this."""


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
        self._open: dict[Key, OpenText] = {}
        self._kinds: dict[Hashable, str] = {}
        """What each group said last."""
        self._dedups: dict[Hashable, ReasoningDedup] = {}
        self._ended = EndedTexts()
        self._stopped: list[OpenText] = []
        """Texts that have ended as repetitions: what follows says whether they are dropped."""
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
            if text:  # what it signs is known when the text ends
                text.signature = signature
            else:
                self._signatures.seen(signature, None)

    @property
    def held(self) -> int:
        """How many characters of all open texts are held, at the most."""
        return sum(text.holds for text in self._open.values())

    def holds(self, key: Key) -> int:
        """How many characters of a text are held, at the most; none of one that has ended."""
        held = self._open[key].holds if key in self._open else 0
        if key.copy and self.withholds(key):
            held += self.holds(Key(key.group, key.channel))
        return held

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
        if not current.is_continued_by(text):
            self._end(current, "")
            current = self._begin(key)
        current.like = document
        return current.feed_all(text)

    def once(self, channel: Channel, text: str, place: str) -> str:
        """A text that is complete in itself."""
        if channel in TOOL_CHANNELS:
            self._visible = True
        key = Key(None, channel, place)
        row = stages(channel, self._layers, model=self._model, unwrap=False, streamed=False)
        whole = OpenText(key, row, None)
        out = whole.feed(text) + whole.flush(keep=True)
        self._close(whole)
        return out

    def again(self, key: Key, text: str, *, streamed: bool) -> str | None:
        """A text that has ended comes once more, whole; None if there was none."""
        ended = self._ended.get(key) or (self._ended.like(key, text) if streamed else None)
        if ended is None or ended.dropped:
            return "" if ended else None
        row = Pipeline(self.stages(key))
        return row.feed(text) + row.flush()

    def withholds(self, key: Key) -> bool:
        """Whether the text that a copy repeats has been dropped, or may still be."""
        main = Key(key.group, key.channel)
        text, ended = self._open.get(main), self._ended.get(main)
        if text is not None:
            return text.dedup is not None and text.dedup.held_units > 0
        return ended is not None and ended.dropped

    def has_changed(self, key: Key) -> bool:
        """Whether more or less has gone out of a text than came."""
        text, ended = self._open.get(key), self._ended.get(key)
        return bool(text.edits()) if text else ended is not None and ended.changed

    def cited(self, key: Key) -> Ended | None:
        """What has come of a text that has been changed, if it is remembered."""
        text = self._open.get(key)
        found = Ended(text.segments, bool(text.edits()), False) if text else self._ended.get(key)
        return found if found and (found.changed or found.dropped) else None

    def switch(self, key: Key) -> list[Tail]:
        """A text begins or goes on: what is held of other channels in its group goes out first."""
        kind = _kind(key.channel)
        if self._kinds.get(key.group) == kind and key in self._open:
            return []
        self._kinds[key.group] = kind
        tails = []
        if len(self._open) >= MAX_OPEN and key not in self._open:
            oldest = next(iter(self._open.values()))
            tails.append(self._end(oldest, oldest.flush(keep=True)))
        for other in list(self._open.values()):
            if other.key.group == key.group and other.key != key:
                tails.append(self._make_way(other, key))
        if kind == "tool":
            self._visible = True
            if key.group in self._dedups:  # text after a call is no repetition either
                self._dedups[key.group].release()
        return [tail for tail in tails if tail.text]

    def _make_way(self, other: OpenText, key: Key) -> Tail:
        """What goes out of another text of the group before the one of `key`."""
        kind, other_kind = _kind(key.channel), _kind(other.key.channel)
        if kind == other_kind:  # they may go on side by side, but only one is compared
            return _tail(other, "" if key.copy else other.end_comparison())
        if kind == "tool":
            return self._end(other, other.end_by_tool())
        if other_kind == "text":
            return _tail(other, other.pause(self.stages(other.key)))
        return self._end(other, other.flush(keep=True))

    def end(self, group: Hashable, item: Hashable) -> list[Tail]:
        """Texts ended well."""
        tails = []
        for text in list(self._open.values()):
            if group in (ALL, text.key.group) and item in (ALL, text.key.item):
                keep = self._keep_visible and not self._visible
                if text.repeats:
                    if keep:
                        self.kept_visible += 1
                    elif item is not ALL:  # a tool call may follow
                        self._stopped.append(text)
                        continue
                tails.append(self._end(text, text.flush(keep=keep)))
        return [tail for tail in tails if tail.text]

    def settle(self, key: Key) -> list[Tail]:
        """A text has ended, and nothing that follows may change what becomes of it."""
        text = self._open.get(key)
        if text is None:
            return []
        keep = self._keep_visible and not self._visible
        self.kept_visible += keep and text.repeats
        tail = self._end(text, text.flush(keep=keep))
        return [tail] if tail.text else []

    @property
    def waits(self) -> bool:
        """Whether what follows decides about a text that has ended."""
        return bool(self._stopped)

    def resume(self, reading: Reading) -> list[Tail]:
        """What follows is here: before a tool call a repetition goes out, else it is dropped."""
        if not (reading.parts or reading.started or reading.ended or reading.broken):
            return []
        channels = [part.channel for part in reading.parts] + [
            key.channel for key in reading.started
        ]
        called = any(channel in TOOL_CHANNELS for channel in channels)
        tails = []
        for text in list(self._stopped):
            if reading.broken:
                rest = text.release()
            else:
                rest = text.end_by_tool() if called else text.flush(keep=False)
            tails.append(self._end(text, rest))
        return [tail for tail in tails if tail.text]

    def release(self) -> list[Tail]:
        """The stream broke: everything that is held comes back."""
        tails = [self._end(text, text.release()) for text in list(self._open.values())]
        return [tail for tail in tails if tail.text]

    def _begin(self, key: Key) -> OpenText:
        compare = self._compare and key.channel == "text" and not key.copy
        text = OpenText(key, self.stages(key), self._dedup(key.group) if compare else None)
        if key.channel == "text" or (
            key.channel == "thinking" and self._signatures.keeps_originals
        ):
            text.came = [[]]
        self._open[key] = text
        return text

    def stages(self, key: Key) -> Sequence[Stage]:
        """What a text of this key goes through."""
        if key.channel == "thinking" and self._signatures.untouchable:
            return ()
        return stages(key.channel, self._layers, model=self._model, unwrap=self._unwrap)

    def _dedup(self, group: Hashable) -> ReasoningDedup:
        if group not in self._dedups:
            self._dedups[group] = ReasoningDedup(want_thinking=True)
        return self._dedups[group]

    def _end(self, text: OpenText, rest: str) -> Tail:
        del self._open[text.key]
        self._close(text)
        segments = text.segments if text.key.channel == "text" else ()
        self._ended.add(text.key, Ended(segments, bool(text.edits()), text.dropped))
        if rest and text.key.channel == "text":
            self._visible = True
        stopped = text in self._stopped
        if stopped:
            self._stopped.remove(text)
        return _tail(text, rest)._replace(stopped=stopped)

    def _close(self, text: OpenText) -> None:
        if text.failure:
            self.failures.append(text.failure)
        if text.signature:
            original = "".join(text.segments) if text.edits() else None
            self._signatures.seen(text.signature, original or None)
        if len(self._edits) < MAX_EDITS:
            self._edits += _placed(text.edits(), text.key)


def _tail(text: OpenText, rest: str) -> Tail:
    return Tail(text.key, rest, text.like, text.editions is not None)


def _placed(edits: Iterable[Edit], key: Key) -> list[Edit]:
    place = f"{key.channel}[{key.item}]" if key.item else key.channel
    return [replace(edit, place=place) for edit in edits]


def _kind(channel: Channel) -> str:
    """What follows one another on the wire; the channels of tools are alike."""
    return "tool" if channel in TOOL_CHANNELS else channel
