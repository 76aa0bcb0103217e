"""Neutral events as the stream of an Anthropic message.

Blocks are open one at a time, as the vendor sends them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mitmproxy_windsurf.upstream.sse import CONTENT_TYPE, sse
from mitmproxy_windsurf.upstream.translate import anthropic_message as message
from mitmproxy_windsurf.upstream.translate.answer import CallPart, Part, ThinkingPart
from mitmproxy_windsurf.upstream.translate.blocks import Blocks, Closed, Grew, Opened, Step
from mitmproxy_windsurf.upstream.translate.model import (
    Event,
    Failure,
    Finished,
    Json,
    Refusal,
    Started,
    Usage,
)


class AnthropicStream:
    """A model.Writer. `stops` are the stop sequences that the client asked for."""

    content_type = CONTENT_TYPE

    def __init__(self, model: str, stops: Sequence[str]) -> None:
        self._model = model
        self._stops = stops
        self._blocks = Blocks()
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
                return sse(message.error(event), "error")
            case Usage():
                self._usage = event
                return b""
        if event.choice:  # an Anthropic message is one answer
            return b""
        if isinstance(event, Finished):
            self._finished = event
            return b""
        self._refused = self._refused or isinstance(event, Refusal)
        return b"".join(self._frames(self._blocks.feed(event)))

    def end(self) -> bytes:
        frames = [*self._frames(self._blocks.end())]
        ending = message.ending(self._finished, refused=self._refused, stops=self._stops)
        usage = message.usage_members(self._usage)
        frames.append(_event("message_delta", delta=ending, usage=usage))
        frames.append(_event("message_stop"))
        return b"".join(frames)

    def _frames(self, steps: Iterable[Step]) -> Iterator[bytes]:
        for step in steps:
            match step:
                case Opened(part):
                    block = message.opening(part)
                    yield _event("content_block_start", index=self._index, content_block=block)
                case Grew(part, piece):
                    delta = _delta(part, piece)
                    yield _event("content_block_delta", index=self._index, delta=delta)
                case Closed(part):
                    if isinstance(part, ThinkingPart):
                        signed = {"type": "signature_delta", "signature": message.UNSIGNED}
                        yield _event("content_block_delta", index=self._index, delta=signed)
                    yield _event("content_block_stop", index=self._index)
                    self._index += 1


def _delta(part: Part, piece: str) -> Json:
    match part:
        case ThinkingPart():
            return {"type": "thinking_delta", "thinking": piece}
        case CallPart():
            return {"type": "input_json_delta", "partial_json": piece}
        case _:
            return {"type": "text_delta", "text": piece}


def _event(name: str, **members: object) -> bytes:
    return sse({"type": name, **members}, name)
