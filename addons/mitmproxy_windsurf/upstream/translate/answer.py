"""An answer put together from its events, for protocols that give it in one document."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

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

INVALID = "INVALID_JSON"
"""Under this name goes what a model wrote in place of a tool's input, as Anthropic advises for
inputs that are no JSON: so the tool can say what is wrong with it."""


@dataclass(slots=True)
class TextPart:
    text: str


@dataclass(slots=True)
class ThinkingPart:
    text: str


@dataclass(slots=True)
class RefusalPart:
    text: str


@dataclass(slots=True)
class CallPart:
    """A tool call; `arguments` is JSON text, which an answer that was cut off leaves incomplete."""

    index: int
    id: str
    name: str
    arguments: str = ""

    @property
    def input(self) -> Json:
        """The arguments as an object; no text at all is an empty one."""
        try:
            parsed = json.loads(self.arguments) if self.arguments.strip() else {}
        except (ValueError, RecursionError):
            parsed = None
        return parsed if isinstance(parsed, dict) else {INVALID: self.arguments}


Part = TextPart | ThinkingPart | RefusalPart | CallPart


@dataclass(slots=True)
class Choice:
    """One of the answers: its parts in their order, and how it ended."""

    parts: list[Part] = field(default_factory=list)
    finished: Finished | None = None

    def joined(self, kind: type[TextPart] | type[ThinkingPart] | type[RefusalPart]) -> str:
        """All texts of one kind."""
        return "".join(part.text for part in self.parts if isinstance(part, kind))

    @property
    def calls(self) -> list[CallPart]:
        return [part for part in self.parts if isinstance(part, CallPart)]


@dataclass(slots=True)
class Answer:
    started: Started = field(default_factory=lambda: Started("", "", 0))
    choices: dict[int, Choice] = field(default_factory=dict)
    usage: Usage | None = None
    failure: Failure | None = None

    def choice(self, index: int) -> Choice:
        return self.choices.setdefault(index, Choice())

    def add(self, event: Event) -> None:
        """Take in the next event."""
        match event:
            case Text(choice, text):
                _extend(self.choice(choice), TextPart, text)
            case Thinking(choice, text):
                _extend(self.choice(choice), ThinkingPart, text)
            case Refusal(choice, text):
                _extend(self.choice(choice), RefusalPart, text)
            case ToolCall(choice, index, id, name):
                self.choice(choice).parts.append(CallPart(index, id, name))
            case Arguments(choice, index, text):
                for call in reversed(self.choice(choice).calls):
                    if call.index == index:
                        call.arguments += text
                        break
            case Finished():
                self.choice(event.choice).finished = event
            case _:
                self._note(event)

    def _note(self, event: Any) -> None:
        match event:
            case Started():
                self.started = event
            case Usage():
                self.usage = event
            case Failure():
                self.failure = event


def put_together(events: Iterable[Event]) -> Answer:
    """The answer that these events are."""
    answer = Answer()
    for event in events:
        answer.add(event)
    return answer


def _extend(
    choice: Choice, kind: type[TextPart] | type[ThinkingPart] | type[RefusalPart], text: str
) -> None:
    last = choice.parts[-1] if choice.parts else None
    if isinstance(last, kind):
        last.text += text
    elif text:
        choice.parts.append(kind(text))
