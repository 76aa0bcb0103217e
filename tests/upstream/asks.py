"""The same question in every client protocol, and what its clients take for answers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Ask:
    """`key` is the header in which the protocol's clients send their key."""

    protocol: str
    path: str
    body: dict[str, Any]
    key: str = "authorization: Bearer {}\r\n"

    @property
    def data(self) -> bytes:
        return json.dumps(self.body).encode()


MESSAGES = [{"role": "user", "content": "hi"}]


def asks(*, stream: bool) -> list[Ask]:
    method = "streamGenerateContent?alt=sse" if stream else "generateContent"
    contents = [{"role": "user", "parts": [{"text": "hi"}]}]
    return [
        Ask(
            "anthropic",
            "/v1/messages",
            {"model": "claude-a", "max_tokens": 9, "messages": MESSAGES, "stream": stream},
            "x-api-key: {}\r\n",
        ),
        Ask(
            "openai_chat",
            "/v1/chat/completions",
            {"model": "gpt-a", "messages": MESSAGES, "stream": stream},
        ),
        Ask(
            "openai_responses",
            "/v1/responses",
            {"model": "gpt-a", "input": "hi", "stream": stream},
        ),
        Ask(
            "gemini",
            f"/v1beta/models/gemini-a:{method}",
            {"contents": contents},
            "x-goog-api-key: {}\r\n",
        ),
    ]


STREAMED = {ask.protocol: ask for ask in asks(stream=True)}
WHOLE = {ask.protocol: ask for ask in asks(stream=False)}


def message_of(body: bytes) -> str:
    """What an error says, in whatever protocol."""
    message = json.loads(body)["error"]["message"]
    assert isinstance(message, str)
    return message


def is_error_of(protocol: str, status: int, body: bytes) -> bool:
    """Whether an error has the shape that the clients of a protocol expect."""
    document = json.loads(body)
    error = document["error"]
    match protocol:
        case "anthropic":
            return document["type"] == "error" and isinstance(error["type"], str)
        case "gemini":
            return error["code"] == status and isinstance(error["status"], str)
        case _:
            return set(error) == {"message", "type", "param", "code"}
