"""What an answer consists of, in no protocol's words, and how it is cut into deltas."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mitmproxy_windsurf.upstream.tokens import estimate

TEXT_CUTS = (3, 5, 2, 7, 4, 1, 6)
JSON_CUTS = (1, 3, 2, 5)
"""Lengths of deltas, in turn: short enough to cut every path, tag and escape somewhere."""


@dataclass(frozen=True, slots=True)
class Thinking:
    """Reasoning, delivered before the text."""

    text: str


@dataclass(frozen=True, slots=True)
class Text:
    """What the user reads."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A tool to be run by the client; `arguments` is JSON text."""

    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Failure:
    """An error: an HTTP error in place of an answer, an error frame within a stream."""

    status: int
    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class Cut:
    """The connection breaks here."""


Content = Thinking | Text | Call
Part = Content | Failure | Cut


@dataclass(frozen=True, slots=True)
class Answer:
    """Parts, at least one, and what a protocol wants to know besides. A `Failure` or a `Cut` is
    the last one. `tempo` stretches the pauses."""

    model: str
    parts: Sequence[Part]
    seed: str
    prompt_tokens: int
    tempo: float = 1.0
    include_usage: bool = False

    @property
    def content(self) -> list[Content]:
        return [part for part in self.parts if not isinstance(part, Failure | Cut)]

    @property
    def break_off(self) -> Failure | Cut | None:
        """How the answer ends, if not well."""
        last = self.parts[-1]
        return last if isinstance(last, Failure | Cut) else None

    @property
    def calls_tools(self) -> bool:
        return any(isinstance(part, Call) for part in self.parts)

    @property
    def thinking_tokens(self) -> int:
        return sum(estimate(part.text) for part in self.content if isinstance(part, Thinking))

    @property
    def output_tokens(self) -> int:
        return sum(
            estimate(part.arguments if isinstance(part, Call) else part.text)
            for part in self.content
        )

    def identifier(self, prefix: str, number: int = 0) -> str:
        """An id that is the same for the same request and differs from turn to turn."""
        return prefix + hashlib.sha256(f"{self.seed} {prefix} {number}".encode()).hexdigest()[:24]


def pieces(text: str, lengths: Sequence[int] = TEXT_CUTS) -> Iterator[str]:
    """Cut a text into short deltas."""
    start = 0
    for length in itertools.cycle(lengths):
        if start >= len(text):
            return
        yield text[start : start + length]
        start += length
