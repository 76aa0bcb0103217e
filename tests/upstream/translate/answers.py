"""Backends' answers for the tests, and what a reader makes of them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from mitmproxy_windsurf.upstream.translate.answer import (
    Answer,
    RefusalPart,
    TextPart,
    ThinkingPart,
    put_together,
)
from mitmproxy_windsurf.upstream.translate.chat_answer import ChatAnswer, read_whole
from mitmproxy_windsurf.upstream.translate.model import Event, Json

HEAD = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 7, "model": "qwen3"}
DONE = b"data: [DONE]\n\n"


def chunk(delta: Json, reason: str | None = None, index: int = 0, **members: Any) -> bytes:
    """A chunk of one choice."""
    return frame(
        {**HEAD, "choices": [{"index": index, "delta": delta, **ended(reason)}], **members}
    )


def ended(reason: str | None) -> Json:
    return {"finish_reason": reason}


def frame(document: Any) -> bytes:
    return b"data: " + json.dumps(document, ensure_ascii=False).encode() + b"\n\n"


def call(
    index: int | None = 0, id: str | None = None, name: str | None = None, **more: Any
) -> Json:
    """A fragment of a tool call; `arguments` in `more`. What is None is left out."""
    function = {"name": name, "arguments": more.get("arguments")}
    fragment = {"index": index, "id": id}
    return {
        **{key: value for key, value in fragment.items() if value is not None},
        "type": "function",
        "function": {key: value for key, value in function.items() if value is not None},
    }


def calls(*fragments: Json, reason: str | None = None) -> bytes:
    return chunk({"tool_calls": list(fragments)}, reason)


def whole(message: Json, reason: str | None = "stop", **members: Any) -> Json:
    """A completion of one choice."""
    choice = {"index": 0, "message": {"role": "assistant", **message}, **ended(reason)}
    return {**HEAD, "object": "chat.completion", "choices": [choice], **members}


def read(pieces: Iterable[bytes], *, think_tags: bool = False) -> list[Event]:
    """The events of a stream that comes in these pieces and ends."""
    answer = ChatAnswer(think_tags=think_tags)
    return [event for piece in pieces for event in answer.feed(piece)] + answer.flush()


def answer_of(*frames: bytes, think_tags: bool = False) -> Answer:
    return put_together(read(frames, think_tags=think_tags))


def whole_answer(document: Any, *, think_tags: bool = False) -> Answer:
    return put_together(read_whole(document, think_tags=think_tags))


def summary(answer: Answer) -> Json:
    """An answer by what its texts are, whatever their order."""
    return {
        "started": answer.started,
        "usage": answer.usage,
        "failure": answer.failure,
        "choices": {
            index: (
                [choice.joined(kind) for kind in (TextPart, ThinkingPart, RefusalPart)],
                [(one.index, one.id, one.name, one.arguments) for one in choice.calls],
                choice.finished,
            )
            for index, choice in answer.choices.items()
        },
    }


def frames_of(stream: bytes) -> list[tuple[str | None, Any]]:
    """(name, data) of the events that a writer wrote; `[DONE]` is a string."""
    assert not stream or stream.endswith(b"\n\n")
    found: list[tuple[str | None, Any]] = []
    for block in stream.decode().split("\n\n")[:-1]:
        *names, data = block.split("\n")
        payload = data.removeprefix("data: ")
        name = names[0].removeprefix("event: ") if names else None
        found.append((name, payload if payload == "[DONE]" else json.loads(payload)))
    return found
