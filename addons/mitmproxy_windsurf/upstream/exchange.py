"""One request and the answer to it, as a handler sees them.

A handler is called with a whole `Request` and answers through a `Responder`: either `respond` once,
or `start`, any number of `send`, and return. When the client goes away the handler is cancelled.

What a handler sends between two visits of the event loop leaves as one write, so a burst of small
frames costs little; and every few frames `send` gives the other tasks their turn, because waiting
for a socket that has room does not.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import h11

BATCH_FRAMES = 32
BATCH_BYTES = 64 * 1024
"""A batch this long is written at once, and the other tasks get their turn."""

Headers = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Request:
    """Header names are in lower case; a repeated header is joined with commas."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes = b""


def joined(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Headers as they come off the wire, in the shape that they have in a `Request`."""
    found: dict[str, str] = {}
    for raw_name, raw_value in headers:
        name, value = raw_name.decode("ascii").lower(), raw_value.decode("latin-1")
        found[name] = f"{found[name]}, {value}" if name in found else value
    return found


def encoded(headers: Iterable[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    """Headers as they go on the wire."""
    return [(name.encode("ascii"), value.encode("latin-1", "replace")) for name, value in headers]


class Link(Protocol):
    """What a responder needs of its connection."""

    @property
    def gone(self) -> bool:
        """Nothing can be sent any more."""
        ...

    def put(self, event: h11.Event) -> None:
        """Encode an event and write it."""
        ...

    async def room(self) -> None:
        """Wait until the client has read most of what was written."""
        ...

    def reset(self) -> None:
        """Cut the connection so that the client sees a failure, not an end."""
        ...


class Responder:
    """The answer to one request."""

    def __init__(self, link: Link, method: str) -> None:
        self._link = link
        self._bodiless = method == "HEAD"
        self._batch: list[bytes] = []
        self._size = 0
        self.started = False

    async def start(self, status: int = 200, headers: Headers = ()) -> None:
        """Send the head. Without a content-length the body is chunked."""
        if self.started:
            raise RuntimeError("the answer has already begun")
        self._link.put(h11.Response(status_code=status, headers=encoded(headers)))
        self.started = True
        self._bodiless = self._bodiless or status in (204, 304)

    async def send(self, data: bytes) -> None:
        """Send a piece of the body; raises ConnectionResetError once nobody listens."""
        if self._link.gone:
            raise ConnectionResetError("the client has gone")
        if not data or self._bodiless:
            return
        self._batch.append(data)
        self._size += len(data)
        if len(self._batch) >= BATCH_FRAMES or self._size >= BATCH_BYTES:
            self._write()
            await asyncio.sleep(0)
        elif len(self._batch) == 1:
            asyncio.get_running_loop().call_soon(self._write)
        await self._link.room()

    async def respond(self, status: int, body: bytes, headers: Headers = ()) -> None:
        """Send a whole answer."""
        await self.start(status, [*headers, ("content-length", str(len(body)))])
        await self.send(body)

    async def respond_json(self, status: int, value: object, headers: Headers = ()) -> None:
        """Send a whole answer in JSON."""
        await self.respond(
            status, json_bytes(value), [("content-type", "application/json"), *headers]
        )

    async def finish(self) -> None:
        """End the body. The connection does it when the handler returns."""
        if not self.started:
            raise RuntimeError("the handler gave no answer")
        self._write()
        self._link.put(h11.EndOfMessage())
        await self._link.room()

    def abort(self) -> None:
        """Cut the connection; what the client has not read by then may be lost to it."""
        self._write()
        self._link.reset()

    def _write(self) -> None:
        batch, self._batch, self._size = self._batch, [], 0
        if batch and not self._link.gone:
            self._link.put(h11.Data(data=b"".join(batch)))


Handler = Callable[[Request, Responder], Awaitable[None]]


def json_bytes(value: object) -> bytes:
    """Compact JSON with raw UTF-8, as most servers write it. Halves of a surrogate pair, which some
    backends send in two deltas, stay halves and are escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()


def error_json(kind: str, message: str) -> dict[str, object]:
    """An error that both an Anthropic and an OpenAI client can read."""
    return {"type": "error", "error": {"type": kind, "message": message}}
