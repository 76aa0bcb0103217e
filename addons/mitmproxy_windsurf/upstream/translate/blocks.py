"""The parts of one answer, one after another, for protocols that have one part open at a time.

A part is closed once another has begun and nothing more can come for it. For a tool call that is
when its JSON is complete, and until then what belongs to later parts waits; so fragments of
parallel calls may come in any order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from mitmproxy_windsurf.upstream.translate.answer import (
    CallPart,
    Part,
    RefusalPart,
    TextPart,
    ThinkingPart,
)
from mitmproxy_windsurf.upstream.translate.json_end import JsonEnd
from mitmproxy_windsurf.upstream.translate.model import (
    Arguments,
    Refusal,
    Text,
    Thinking,
    ToolCall,
)

Content = Text | Thinking | Refusal | ToolCall | Arguments


class Opened(NamedTuple):
    """A part begins; it has no text yet."""

    part: Part


class Grew(NamedTuple):
    """More of the part that is open."""

    part: Part
    piece: str


class Closed(NamedTuple):
    """The part is complete, here it is whole."""

    part: Part


Step = Opened | Grew | Closed


@dataclass(slots=True)
class _Block:
    part: Part
    """What opens it."""
    pieces: list[str] = field(default_factory=list)
    told: int = 0
    """How many of the pieces."""
    end: JsonEnd = field(default_factory=JsonEnd)
    opened: bool = False

    @property
    def complete(self) -> bool:
        """Nothing more can come for it, once another block has begun."""
        return self.end.reached or not isinstance(self.part, CallPart)

    @property
    def whole(self) -> Part:
        text = "".join(self.pieces)
        if isinstance(self.part, CallPart):
            return replace(self.part, arguments=text)
        return replace(self.part, text=text)


class Blocks:
    """Puts the parts of one choice into their order."""

    def __init__(self) -> None:
        self._blocks: deque[_Block] = deque()

    def feed(self, event: Content) -> list[Step]:
        """Take the next event, and return what can be told by now."""
        match event:
            case Text(_, text):
                self._say(TextPart(""), text)
            case Thinking(_, text):
                self._say(ThinkingPart(""), text)
            case Refusal(_, text):
                self._say(RefusalPart(""), text)
            case ToolCall(_, index, id, name):
                self._blocks.append(_Block(CallPart(index, id, name)))
            case Arguments(_, index, text):
                self._argue(index, text)
        return list(self._steps(last=False))

    def end(self) -> list[Step]:
        """The choice has ended: all that is left."""
        return list(self._steps(last=True))

    def _say(self, part: Part, text: str) -> None:
        if not text:
            return
        if not self._blocks or type(self._blocks[-1].part) is not type(part):
            self._blocks.append(_Block(part))
        self._blocks[-1].pieces.append(text)

    def _argue(self, index: int, text: str) -> None:
        for block in self._blocks:
            if isinstance(block.part, CallPart) and block.part.index == index:
                block.pieces.append(text)
                block.end.feed(text)

    def _steps(self, *, last: bool) -> Iterator[Step]:
        while self._blocks:
            block = self._blocks[0]
            if not block.opened:
                block.opened = True
                yield Opened(block.part)
            for piece in block.pieces[block.told :]:
                yield Grew(block.part, piece)
            block.told = len(block.pieces)
            if not last and not (len(self._blocks) > 1 and block.complete):
                break
            self._blocks.popleft()
            yield Closed(block.whole)
