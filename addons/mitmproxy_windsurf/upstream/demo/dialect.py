"""What a client protocol has to know so that the demo can speak it; one class per protocol."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from mitmproxy_windsurf.upstream.demo.ask import Ask, Json
from mitmproxy_windsurf.upstream.demo.parts import Answer, Failure
from mitmproxy_windsurf.upstream.sse import sse as sse

CREATED = 1_767_225_600
"""When every answer and model was made: the same request gets the same bytes."""

CREATED_TEXT = "2026-01-01T00:00:00Z"


class Dialect(Protocol):
    """Reads requests and writes answers of one protocol."""

    @property
    def request_id(self) -> str:
        """The header that carries the id of a request."""
        ...

    def read(self, body: Json) -> Ask:
        """What a request asks for.

        Raises:
            Rejected: it cannot be answered.
        """
        ...

    def frames(self, answer: Answer) -> Iterator[bytes]:
        """The stream, one frame at a time; it stops where the connection is to be cut."""
        ...

    def whole(self, answer: Answer) -> Json:
        """The answer in one piece."""
        ...

    def error(self, failure: Failure) -> Json:
        """The body of an HTTP error."""
        ...

    def models(self, names: Sequence[str]) -> Json:
        """The list of models."""
        ...

    def model(self, name: str) -> Json:
        """One model."""
        ...
