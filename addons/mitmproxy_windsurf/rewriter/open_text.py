"""One text of an answer on its way through its transforms.

A failure inside a transform costs the text its rewriting, and not a character: what each stage
holds is known here too, and comes back in the order of the text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mitmproxy_windsurf.rewriter.channels import Stage
from mitmproxy_windsurf.text.dedup import ReasoningDedup
from mitmproxy_windsurf.text.edits import Edit
from mitmproxy_windsurf.wire.parts import Json, Key


class OpenText:
    """One open text: its stages and what each holds, so that a failing one loses nothing."""

    def __init__(self, key: Key, row: Sequence[Stage], dedup: ReasoningDedup | None) -> None:
        self.key = key
        self._edits: list[Edit] = []
        self.dedup = dedup
        self.like: Json = {}
        self.came: list[list[str]] | None = None
        """What came, where it may be asked for once more, in segments that each went through stages
        of their own."""
        self.signature = ""
        self.editions: tuple[str, str] | None = None
        """The last edition of a cumulative text, as it came and as it went."""
        self.dropped = False
        """It was the reasoning once more, and is gone."""
        self.failure: Exception | None = None
        self._stages = list(row)
        self._held = [""] * len(row)

    def feed(self, text: str) -> str:
        if self.came is not None:
            self.came[-1].append(text)
        return self._through(self._compared(text) if self.dedup else text)

    @property
    def repeats(self) -> bool:
        """So far it is all of the reasoning once more."""
        return self.dedup is not None and self.dedup.duplicate

    @property
    def holds(self) -> int:
        """How many characters it holds, at the most."""
        compared = self.dedup.held_units if self.dedup else 0
        return compared + sum(map(len, self._held))

    def is_continued_by(self, edition: str) -> bool:
        """Whether this is all of a cumulative text so far, and maybe more."""
        return self.editions is None or edition.startswith(self.editions[0])

    def feed_all(self, edition: str) -> str:
        """All of a cumulative text so far; returns all of its output so far."""
        came, went = self.editions or ("", "")
        out = went + self.feed(edition[len(came) :])
        self.editions = edition, out
        return out

    def pause(self, row: Sequence[Stage]) -> str:
        """Another channel goes on: decide all but whether this text repeats the reasoning.

        Should the text go on later, it does so through `row`.
        """
        out = self._flush_stages()
        self._put_aside()
        if not self.failure:
            self._stages = list(row)
            self._held = [""] * len(row)
            if self.came is not None:
                self.came.append([])
        return out

    def flush(self, *, keep: bool) -> str:
        """The text ended well; with `keep` it goes out even if it repeats the reasoning."""
        rest = ""
        if self.dedup and self.dedup.held_units:
            self.dropped = self.repeats and not keep
            rest = self._compared(verb=self.dedup.release if keep else self.dedup.settle)
        return self._through(rest) + self._flush_stages()

    def end_comparison(self) -> str:
        """The text is not compared with the reasoning any more."""
        return self._through(self._compared(verb=self.dedup.release)) if self.dedup else ""

    def end_by_tool(self) -> str:
        """A tool call ends the comparison with the reasoning, and the text."""
        return self.end_comparison() + self._flush_stages()

    def release(self) -> str:
        """The stream broke."""
        out = self._release(range(len(self._stages)))
        return out + (self._compared(verb=self.dedup.release) if self.dedup else "")

    @property
    def segments(self) -> list[str]:
        """What came, as far as it is remembered."""
        return ["".join(pieces) for pieces in self.came or ()]

    def edits(self) -> list[Edit]:
        return self._edits + [edit for stage in self._stages for edit in stage.edits]

    def _compared(self, text: str = "", verb: Callable[[], str] | None = None) -> str:
        """What comes of the dedup; should it fail, what it held and the text."""
        dedup = self.dedup
        if dedup is None:
            return text
        try:
            return verb() if verb else dedup.feed(text)
        except Exception as error:
            self.failure, self.dedup = error, None
            return dedup.held + text

    def _through(self, text: str, start: int = 0) -> str:
        for index in range(start, len(self._stages)):
            stage = self._stages[index]
            try:
                out = stage.feed(text)
                if out != text or self._held[index]:
                    self._held[index] = stage.held
            except Exception as error:
                return self._fail(error, index, text)
            text = out
        return text

    def _flush_stages(self) -> str:
        out = ""
        for position in range(len(self._stages)):
            if not self._stages:  # one has failed on the way
                break
            try:
                rest = self._stages[position].flush()
            except Exception as error:
                return out + self._fail(error, position, "")
            self._held[position] = ""
            out += self._through(rest, position + 1)
        return out

    def _release(self, indices: Sequence[int]) -> str:
        """What later stages hold came earlier in the text."""
        out = ""
        for index in reversed(indices):
            try:
                out += self._stages[index].release()
            except Exception as error:
                self.failure = error
                out += self._held[index]
        return out

    def _fail(self, error: Exception, index: int, text: str) -> str:
        """Stages after the failed one still hold what came before; then comes what it held, then
        the input."""
        self.failure = error
        later = self._release(range(index + 1, len(self._stages)))
        out = later + self._held[index] + text + self._release(range(index))
        self._put_aside()
        return out

    def _put_aside(self) -> None:
        self._edits = self.edits()
        self._stages = []
