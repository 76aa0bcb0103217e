"""What answers chat requests: an OpenAI-compatible server, or anything that acts like one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from mitmproxy_windsurf.upstream.client import HTTPClient
from mitmproxy_windsurf.upstream.exchange import Headers
from mitmproxy_windsurf.upstream.target import Target, parse_target

DEMO = "demo"
EXAMPLE = "write demo, or for example http://127.0.0.1:11434/v1"


class Answer(Protocol):
    """As `client.Response`: header names are in lower case, the body is read once."""

    @property
    def status(self) -> int: ...

    @property
    def headers(self) -> Mapping[str, str]: ...

    def __aiter__(self) -> AsyncIterator[bytes]:
        """The body in pieces.

        Raises:
            AnswerBroken: it broke off.
        """
        ...

    async def read(self, limit: int) -> bytes:
        """The whole body.

        Raises:
            AnswerBroken: it broke off, or is longer.
        """
        ...


class Backend(Protocol):
    """Speaks OpenAI Chat Completions; `str()` says which one it is."""

    def send(
        self, method: str, path: str, *, headers: Headers = (), body: bytes = b""
    ) -> AbstractAsyncContextManager[Answer]:
        """Ask; `path` is below the base URL, as in "/chat/completions". What is not awaited to its
        end is cancelled.

        Raises:
            RequestFailed: there is no answer.
        """
        ...

    def close(self) -> None:
        """Let go of what is kept for the next request."""
        ...


class HTTPBackend:
    """A server at a base URL."""

    def __init__(self, target: Target, client: HTTPClient | None = None) -> None:
        self._target = target
        self._client = client or HTTPClient()

    def __str__(self) -> str:
        return str(self._target)

    def send(
        self, method: str, path: str, *, headers: Headers = (), body: bytes = b""
    ) -> AbstractAsyncContextManager[Answer]:
        return self._client.send(method, f"{self._target}{path}", headers=headers, body=body)

    def close(self) -> None:
        self._client.close()


def parse_backend(text: str) -> Target | None:
    """Read the name of a backend; the demo, and nothing, is None.

    Raises:
        ValueError: with words that follow the value in a sentence.
    """
    if text.strip().lower() in ("", DEMO):
        return None
    return parse_target(text, EXAMPLE)
