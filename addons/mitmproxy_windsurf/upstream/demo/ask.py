"""What a request asks for, in no protocol's words, and how to look for it in untrusted JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mitmproxy_windsurf.upstream.demo.parts import Failure
from mitmproxy_windsurf.upstream.tokens import strings

Json = dict[str, Any]

REMINDERS = ("system-reminder", "environment_details", "environment_context", "session_context")
"""Elements that clients put into a user's turn and that the user did not write."""


class Rejected(Exception):
    """A request that cannot be answered, with what to say instead."""

    def __init__(self, status: int, kind: str, message: str) -> None:
        super().__init__(message)
        self.failure = Failure(status, kind, message)


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that the client declares; `schema` is the JSON Schema of its arguments."""

    name: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Ask:
    """Gates look at `system` and `tool_text`; `results` are those of the tools just run."""

    model: str
    prompt: str = ""
    system: str = ""
    tool_text: str = ""
    tools: tuple[Tool, ...] = ()
    results: tuple[str, ...] = ()
    stream: bool = False
    want_thinking: bool = False
    include_usage: bool = False
    tokens: int = 0


def objects(value: object) -> list[Json]:
    """The objects in an array; nothing if it is no array."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def texts(content: object) -> list[str]:
    """The texts of a content that is a string or an array of parts."""
    if isinstance(content, str):
        return [content]
    found = (part.get("text") for part in objects(content) if part.get("type", "text") == "text")
    return [text for text in found if isinstance(text, str)]


def descriptions(tools: object) -> str:
    """What tools say about themselves and their parameters."""
    return "\n".join(text for name, text in strings(tools) if name == "description")


def asked(turns: Sequence[Iterable[str]]) -> str:
    """What the user wrote last: the last text that is not all reminders, newest turn first."""
    for turn in reversed(turns):
        for text in reversed(list(turn)):
            if written := without_reminders(text).strip():
                return written
    return ""


def without_reminders(text: str) -> str:
    for name in REMINDERS:
        opening, closing = f"<{name}>", f"</{name}>"
        kept, *rest = text.split(opening)
        for piece in rest:
            _, closed, after = piece.partition(closing)
            kept += after if closed else opening + piece
        text = kept
    return text


def model_of(body: Json) -> str:
    model = body.get("model")
    return model if isinstance(model, str) and model.strip() else "demo"
