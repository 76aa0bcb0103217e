"""Neutral events as the stream of an Anthropic message.

Blocks are open one at a time, as the vendor sends them: a block is closed once another has begun
and nothing more can come for it. For a tool call that is when its JSON is complete, and until then
what belongs to later blocks waits; so fragments of parallel calls may come in any order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from mitmproxy_windsurf.upstream.sse import CONTENT_TYPE, sse
from mitmproxy_windsurf.upstream.translate import anthropic_message as message
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
    Event,
    Failure,
    Finished,
    Json,
    Refusal,
    Started,
    Text,
    Thinking,
    ToolCall,
    Usage,
)


@dataclass(slots=True)
class _Block:
    part: Part
    """What opens it."""
    pieces: list[str] = field(default_factory=list)
    end: JsonEnd = field(default_factory=JsonEnd)
    opened: bool = False

    @property
    def complete(self) -> bool:
        """Nothing more can come for it, once another block has begun."""
        return self.end.reached or not isinstance(self.part, CallPart)

    def delta(self, piece: str) -> Json:
        match self.part:
            case ThinkingPart():
                return {"type": "thinking_delta", "thinking": piece}
            case CallPart():
                return {"type": "input_json_delta", "partial_json": piece}
            case _:
                return {"type": "text_delta", "text": piece}


class AnthropicStream:
    """A model.Writer. `stops` are the stop sequences that the client asked for."""

    content_type = CONTENT_TYPE

    def __init__(self, model: str, stops: Sequence[str]) -> None:
        self._model = model
        self._stops = stops
        self._blocks: deque[_Block] = deque()
        self._index = 0
        self._refused = False
        self._finished: Finished | None = None
        self._usage: Usage | None = None

    def feed(self, event: Event) -> bytes:
        match event:
            case Started():
                started = message.head(event, self._model)
                return _event("message_start", message=started)
            case Failure():
                self._blocks.clear()
                return sse(message.error(event), "error")
            case Usage():
                self._usage = event
                return b""
        if event.choice:  # an Anthropic message is one answer
            return b""
        match event:
            case Text(_, text):
                self._say(TextPart(""), text)
            case Thinking(_, text):
                self._say(ThinkingPart(""), text)
            case Refusal(_, text):
                self._refused = True
                self._say(RefusalPart(""), text)
            case ToolCall(_, index, id, name):
                self._blocks.append(_Block(CallPart(index, id, name)))
            case Arguments(_, index, text):
                self._argue(index, text)
            case Finished():
                self._finished = event
        return b"".join(self._frames())

    def end(self) -> bytes:
        frames = self._frames(last=True)
        ending = message.ending(self._finished, refused=self._refused, stops=self._stops)
        usage = message.usage_members(self._usage)
        frames.append(_event("message_delta", delta=ending, usage=usage))
        frames.append(_event("message_stop"))
        return b"".join(frames)

    def _say(self, part: Part, text: str) -> None:
        if not self._blocks or type(self._blocks[-1].part) is not type(part):
            self._blocks.append(_Block(part))
        self._blocks[-1].pieces.append(text)

    def _argue(self, index: int, text: str) -> None:
        for block in self._blocks:
            if isinstance(block.part, CallPart) and block.part.index == index:
                block.pieces.append(text)
                block.end.feed(text)

    def _frames(self, *, last: bool = False) -> list[bytes]:
        """What can be sent by now; the `last` time that is all."""
        frames: list[bytes] = []
        while self._blocks:
            block = self._blocks[0]
            if not block.opened:
                block.opened = True
                content_block = message.opening(block.part)
                frames.append(
                    _event("content_block_start", index=self._index, content_block=content_block)
                )
            for piece in block.pieces:
                delta = block.delta(piece)
                frames.append(_event("content_block_delta", index=self._index, delta=delta))
            block.pieces.clear()
            if not last and not (len(self._blocks) > 1 and block.complete):
                break
            frames.append(_event("content_block_stop", index=self._index))
            self._blocks.popleft()
            self._index += 1
        return frames


def _event(name: str, **members: object) -> bytes:
    return sse({"type": name, **members}, name)
