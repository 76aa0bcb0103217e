"""The neutral words between the client's protocol and the backend's: a chat request, and the events
of an answer.

An answer that is not streamed is the same events, one after another, so that both ways of asking
give the same answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Json = dict[str, Any]

FinishReason = Literal["stop", "length", "tool_calls", "content_filter"]


class Refused(Exception):
    """A request that cannot be carried out; `place` names the field, as in "tools[2].type"."""

    def __init__(self, place: str, message: str, *, status: int = 400) -> None:
        super().__init__(f"{place}: {message}" if place else message)
        self.place = place
        self.status = status


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """What goes to the backend. `ignored` names fields of the client's that were left out because
    they do not change the answer; they are worth one log line. `wishes` names members of the body
    that a backend may not know: one that refuses the request over them can be asked again without
    (`wishes.granted`)."""

    body: Json
    stream: bool = False
    ignored: tuple[str, ...] = ()
    wishes: tuple[str, ...] = ()

    @property
    def model(self) -> str:
        return str(self.body.get("model", ""))


@dataclass(frozen=True, slots=True)
class Started:
    """The answer has begun; what the backend calls it. `created` is in seconds since 1970, 0 where
    the backend does not tell. An answer that fails at once never begins."""

    id: str
    model: str
    created: int


@dataclass(frozen=True, slots=True)
class Text:
    choice: int
    text: str


@dataclass(frozen=True, slots=True)
class Thinking:
    choice: int
    text: str


@dataclass(frozen=True, slots=True)
class Refusal:
    choice: int
    text: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call begins; `index` counts the calls of its choice."""

    choice: int
    index: int
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Arguments:
    """More of the JSON text of a call's arguments."""

    choice: int
    index: int
    text: str


@dataclass(frozen=True, slots=True)
class Finished:
    """A choice has ended; `stop` is the stop sequence that ended it, where the backend tells."""

    choice: int
    reason: FinishReason
    stop: str | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens. `cached` are part of `prompt`, `reasoning` of `completion`."""

    prompt: int = 0
    completion: int = 0
    cached: int = 0
    reasoning: int = 0


@dataclass(frozen=True, slots=True)
class Failure:
    """An error of the backend's, or our own: an HTTP error before the answer, an error event in
    it."""

    status: int
    message: str
    kind: str = ""
    code: str | None = None
    place: str | None = None


Event = Started | Text | Thinking | Refusal | ToolCall | Arguments | Finished | Usage | Failure


@dataclass(frozen=True, slots=True)
class Asked:
    """A client's request as its dialect reads it: `path` and `query` are those of the URL, since
    Gemini names the model and the framing there."""

    body: Json
    path: str = ""
    query: str = ""
    headers: Sequence[tuple[str, str]] = field(default=())


class Writer(Protocol):
    """Writes one streamed answer in the client's protocol: complete frames, in wire bytes."""

    @property
    def content_type(self) -> str: ...

    def feed(self, event: Event) -> bytes:
        """The frames that an event is worth, maybe none. A `Failure` ends the stream."""
        ...

    def end(self) -> bytes:
        """The backend's answer is complete: close what is open."""
        ...


class Dialect(Protocol):
    """One client protocol. Its objects have no state."""

    @property
    def relays(self) -> bool:
        """The client speaks as the backend does: its answer, streamed or whole, may be passed on
        byte for byte, with all that only the backend knows of. Errors before it still go through
        `error`."""
        ...

    def request(self, asked: Asked) -> ChatRequest:
        """What to ask the backend.

        Raises:
            Refused: the backend could not do what is asked for.
        """
        ...

    def writer(self, asked: Asked, chat: ChatRequest) -> Writer:
        """For the streamed answer to that request."""
        ...

    def whole(self, asked: Asked, chat: ChatRequest, events: Iterable[Event]) -> Json:
        """The answer to that request in one document; the events hold no `Failure`."""
        ...

    def error(self, failure: Failure) -> Json:
        """The body of an HTTP error."""
        ...

    def models(self, models: Sequence[Json]) -> Json:
        """A list of models, each given as OpenAI describes one."""
        ...

    def model(self, model: Json) -> Json:
        """One model."""
        ...

    def count(self, tokens: int) -> Json:
        """The answer to a request to count tokens."""
        ...
