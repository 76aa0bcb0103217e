"""One HTTP/1.1 connection to a server: h11 over a transport, one exchange at a time.

What has arrived before a connection breaks is still read; only then the break is seen. Whoever has
enough of an exchange calls `abort`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import h11

from mitmproxy_windsurf.upstream.client_errors import AnswerBroken, AnswerSilent
from mitmproxy_windsurf.upstream.exchange import encoded

MAX_HEAD = 128 * 1024
"""Bytes of the head of an answer."""

PIECE = 16 * 1024
"""About so much of a body is read at once: other tasks have their turn in between."""

AHEAD = 256 * 1024
"""So much may have arrived unread before the server is made to wait."""


class ClientConnection(asyncio.Protocol):
    """For `loop.create_connection`."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport
        self._wire = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD)
        self._unread = 0
        self._lost = False
        self._reason: Exception | None = None
        self._failure: AnswerBroken | None = None
        self._arrival: asyncio.Future[None] | None = None

    # What the event loop calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self._wire.receive_data(data)
        self._unread += len(data)
        if self._unread > AHEAD:
            self.transport.pause_reading()
        self._wake()

    def eof_received(self) -> bool:
        self._wire.receive_data(b"")
        self._unread += 1
        self._wake()
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost, self._reason = True, exc
        self._wake()

    # What a client calls.

    @property
    def is_usable(self) -> bool:
        """Whether another request can be sent: the server has neither gone nor said anything."""
        return not (self._lost or self._unread or self.transport.is_closing())

    def send(self, *events: h11.Event) -> None:
        """Write a request. What the socket does not take at once goes out by itself."""
        self.transport.write(b"".join(filter(None, map(self._wire.send, events))))

    async def head(self, patience: float) -> h11.Response:
        """The head of the answer, `patience` being the longest silence in seconds.

        Raises:
            AnswerBroken: there is none.
        """
        while not isinstance(event := await self._event(patience), h11.Response):
            pass
        return event

    async def body(self, patience: float) -> bytes:
        """What has arrived of the body; nothing at its end.

        Raises:
            AnswerBroken: the connection ended before the body did.
        """
        if self._failure is None and self._wire.their_state is not h11.SEND_BODY:
            return b""
        event: h11.Event | None = await self._event(patience)
        pieces, size = [], 0
        while isinstance(event, h11.Data):
            pieces.append(event.data)
            size += len(event.data)
            if size >= PIECE:
                await asyncio.sleep(0)  # more may have come, and then nothing else would wait
                break
            event = self._next()
        return b"".join(pieces)

    def renew(self) -> bool:
        """After an exchange, make ready for the next one. False: this connection is done."""
        while self._wire.their_state is h11.SEND_BODY:  # an end that nobody has read yet
            if self._next() is None:
                return False
        if self._wire.states != {h11.CLIENT: h11.DONE, h11.SERVER: h11.DONE}:
            return False
        self._wire.start_next_cycle()
        self._unread = len(self._wire.trailing_data[0])
        return self.is_usable

    def abort(self) -> None:
        """Close at once, without a word."""
        self.transport.abort()

    # Reading.

    async def _event(self, patience: float) -> h11.Event:
        while (event := self._next()) is None:
            if self._failure:
                raise self._failure
            if self._lost:
                why = f" ({self._reason})" if self._reason else ""
                raise AnswerBroken(f"the connection was closed before the answer was complete{why}")
            self._arrival = asyncio.get_running_loop().create_future()
            try:
                async with asyncio.timeout(patience):
                    await self._arrival
            except TimeoutError:
                raise AnswerSilent(f"nothing came for {patience:g} seconds") from None
            finally:
                self._arrival = None
        return event

    def _next(self) -> h11.Event | None:
        """What has arrived, or None; a failure is kept until all before it has been read."""
        if self._failure:
            return None
        try:
            event = self._wire.next_event()
        except h11.RemoteProtocolError as error:
            self._failure = AnswerBroken(str(error))
            return None
        if isinstance(event, h11.Event):
            return event
        self._unread = 0
        if not self._lost:
            self.transport.resume_reading()
        return None

    def _wake(self) -> None:
        if self._arrival is not None and not self._arrival.done():
            self._arrival.set_result(None)


def request_events(
    method: str, target: bytes, headers: Iterable[tuple[str, str]], body: bytes
) -> tuple[h11.Event, ...]:
    """A whole request."""
    head = h11.Request(method=method, target=target, headers=encoded(headers))
    return (head, *([h11.Data(data=body)] if body else []), h11.EndOfMessage())
