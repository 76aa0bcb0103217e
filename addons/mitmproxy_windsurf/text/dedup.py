"""Drops an answer that only repeats the reasoning, word for word.

Some thinking models deliver their reasoning twice: on the reasoning channel, and again as content.
`ReasoningDedup` holds content while it equals the reasoning from its start, and drops it only at
the regular end, only if it is the whole reasoning, and only if the client asked to see thinking.
There is no least length: an answer "42" to the thought "42" is dropped like any other, and whoever
must leave something visible asks `duplicate` and calls `release` instead of `settle`.

One instance per stream and choice. Both texts are raw: compare before any other layer rewrites.
"""

from __future__ import annotations

from mitmproxy_windsurf.text.edits import Edit

LIMIT = 1 << 20
"""Longest reasoning that is remembered, in characters. Beyond it nothing is dropped."""


class ReasoningDedup:
    """A transform over the content; `note_reasoning` tells it what came as reasoning."""

    def __init__(self, *, want_thinking: bool, limit: int = LIMIT) -> None:
        self.suppressed = False
        """The content was the whole reasoning once more, and has been dropped."""
        self.edits: list[Edit] = []
        self._limit = limit
        self._comparing = want_thinking
        self._reasoning = bytearray()
        self._held = 0  # so much of the reasoning came back as content: what is held

    @property
    def held(self) -> str:
        return _text(self._reasoning[: self._held])

    @property
    def held_units(self) -> int:
        """The length of `held` in UTF-16 units, known without looking at it."""
        return self._held // _UNIT

    @property
    def duplicate(self) -> bool:
        """The content so far is the whole reasoning so far: `settle` would drop it."""
        return self._comparing and 0 < self._held == len(self._reasoning)

    def note_reasoning(self, text: str, /) -> None:
        """Remember more reasoning; what it decides about held content shows in the next call."""
        if not self._comparing:
            return
        self._reasoning += _units(text)
        if len(self._reasoning) > self._limit * _UNIT:
            self._comparing = False
            del self._reasoning[self._held :]

    def feed(self, text: str, /) -> str:
        if not text or not (self._comparing or self._held):
            return text
        if self._comparing:
            units = _units(text)
            # Before any reasoning nothing is equal, which ends the comparison.
            if self._reasoning.startswith(units, self._held):
                self._held += len(units)
                return ""
        return self.release() + text

    def settle(self) -> str:
        """The regular end: return what is held, unless it is to be dropped."""
        if not self.duplicate:
            return self.release()
        self.suppressed = True
        dropped = self.release()
        self.edits.append(Edit("dedup", dropped, "", layer="dedup"))
        return ""

    flush = settle

    def release(self) -> str:
        """An error, an abort or a tool call: return what is held and stop comparing."""
        held = self.held
        self._comparing = False
        self._reasoning.clear()
        self._held = 0
        return held


# In UTF-16 half an emoji is half of its bytes, so it does not matter whether a cut between two
# deltas went through one.
_UNIT = 2


def _units(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")


def _text(units: bytearray) -> str:
    return units.decode("utf-16-le", "surrogatepass")
