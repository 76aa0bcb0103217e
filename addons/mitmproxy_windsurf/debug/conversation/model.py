"""What is said in a request or an answer, whatever the protocol."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["text", "thinking", "refusal", "call", "result", "other"]


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of a message.

    `name` and `id` are those of a tool and its call; `data` is the JSON that a call or a result
    carries: for arguments that are no JSON, or not yet, their text. An `other` block is named after
    its type.
    """

    kind: Kind
    text: str = ""
    name: str = ""
    id: str = ""
    data: Any = None
    failed: bool = False
    """The result of a tool that reports an error."""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn, or one of the choices in an answer; `stop` says why that ended."""

    role: str
    blocks: tuple[Block, ...]
    stop: str = ""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that a request offers, with the first line of its description."""

    name: str
    summary: str = ""


@dataclass(slots=True)
class Conversation:
    """All that is said in one body. A system prompt is a message like any other."""

    model: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)
    """Members of a request that are shown nowhere else."""
    tools: list[Tool] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    usage: dict[str, int | float] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        """Nothing was understood."""
        return not (self.model or self.messages or self.tools or self.errors or self.usage)
