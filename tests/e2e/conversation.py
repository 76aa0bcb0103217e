"""What the tests ask and what they get, in no protocol's words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Protocol

from e2e.backend import Call, Json

KEY = "sk-e2e"
MODEL = "scripted"
LIMIT = 512
"""Tokens that may be answered, unless a question says otherwise."""


@dataclass(frozen=True)
class Tool:
    name: str
    description: str
    schema: Json


@dataclass(frozen=True)
class Turn:
    """What the assistant said and called, and the results."""

    text: str
    calls: tuple[Call, ...]
    results: tuple[str, ...]


@dataclass(frozen=True)
class Question:
    prompt: str = "Say something."
    system: str = ""
    image: bytes = b""
    """PNG."""
    tools: tuple[Tool, ...] = ()
    turns: tuple[Turn, ...] = ()
    thinking: bool = False
    schema: Json | None = None
    stop: tuple[str, ...] = ()
    limit: int = LIMIT


End = Literal["stop", "length", "calls"]


@dataclass
class Answer:
    """What an SDK made of an answer. `tokens` are those of prompt and completion, all in all."""

    text: str = ""
    thinking: str = ""
    calls: list[tuple[str, Json]] = field(default_factory=list)
    end: Any = None
    tokens: tuple[int, int] = (0, 0)


class Client(Protocol):
    """An official SDK at the base URL of a proxy. It never tries again."""

    failed: ClassVar[type[Exception]]
    """Raised when there is an error in place of an answer, or in it."""
    broken: ClassVar[tuple[type[Exception], ...]]
    """Raised when an answer breaks off."""

    def __init__(self, url: str) -> None: ...

    async def ask(self, question: Question, *, stream: bool) -> Answer:
        """Ask for an answer in pieces, or whole."""
        ...

    @staticmethod
    def status(error: Exception) -> int:
        """The HTTP status of an error that was there before the answer."""
        ...

    async def close(self) -> None: ...
