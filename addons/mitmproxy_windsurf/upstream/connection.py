"""One HTTP/1.1 connection: h11 between a transport and a handler.

    reading --request complete--> answering --answer complete--> reading ...
    reading --request refused---> refused   (the answer goes out, what still comes is dropped)

While a handler answers, the connection keeps reading, so that it sees the client leave: then the
handler is cancelled. A pipelined request waits in h11 for its turn. Time is limited between
requests and between two pieces of a request, and never while a handler answers.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
import struct
from typing import Protocol

import h11

from mitmproxy_windsurf.upstream.admission import Admission, Limits, Refused, refusal, with_close
from mitmproxy_windsurf.upstream.exchange import Handler, Request, Responder, error_json

log = logging.getLogger(__name__)

RESET = struct.pack("hh" if os.name == "nt" else "ii", 1, 0)
"""SO_LINGER on, zero seconds: closing sends RST."""


class Owner(Protocol):
    """Keeps the connections."""

    def opened(self, connection: Connection) -> None: ...

    def closed(self, connection: Connection) -> None:
        """Neither a socket nor a task of it is left."""
        ...


class Connection(asyncio.Protocol):
    """Serves one client."""

    def __init__(self, handler: Handler, limits: Limits, owner: Owner) -> None:
        self.gone = False
        self._handler = handler
        self._limits = limits
        self._owner = owner
        self._wire = h11.Connection(h11.SERVER, max_incomplete_event_size=limits.head)
        self._transport: asyncio.Transport
        self._incoming: Admission | None = None
        self._exchange: asyncio.Task[None] | None = None
        self._ahead = 0
        self._timer: asyncio.TimerHandle | None = None
        self._room = asyncio.Event()
        self._room.set()
        self._lost = self._refused = self._last = False

    def stop(self) -> None:
        """Close as soon as the request that is being read or answered is done."""
        self._last = True
        if not self._busy:
            self._close()

    # What the event loop calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        # asyncio does it for sockets that name their protocol; those of `create_server` do not.
        sock = transport.get_extra_info("socket")
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._expire_in(self._limits.idle)
        self._owner.opened(self)

    def data_received(self, data: bytes) -> None:
        if self._refused or self.gone:
            return
        self._wire.receive_data(data)
        if self._exchange is None:
            self._read()
        else:
            self._hold(self._ahead + len(data))

    def eof_received(self) -> bool:
        if self._exchange is None:
            self._close()
        else:
            self.gone = True
            self._exchange.cancel()
            self._transport.abort()
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        self.gone = self._lost = True
        self._expire_in(None)
        self._room.set()
        self._incoming = None
        if self._exchange is not None:
            self._exchange.cancel()
        self._settle()

    def pause_writing(self) -> None:
        self._room.clear()

    def resume_writing(self) -> None:
        self._room.set()

    # What a responder calls.

    def put(self, event: h11.Event) -> None:
        if self._last and isinstance(event, h11.Response):
            event = with_close(event)
        data = self._wire.send(event)
        if data and not self.gone:
            self._transport.write(data)

    async def room(self) -> None:
        await self._room.wait()

    def reset(self) -> None:
        self.gone = True
        with contextlib.suppress(OSError):
            self._transport.get_extra_info("socket").setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, RESET
            )
        self._transport.abort()

    # Reading.

    @property
    def _busy(self) -> bool:
        return (
            self._exchange is not None
            or self._incoming is not None
            or bool(self._wire.trailing_data[0])
        )

    def _read(self) -> None:
        """Take events off the wire until a request is whole or more bytes are needed."""
        try:
            while self._exchange is None and not self._transport.is_closing():
                event = self._wire.next_event()
                if event is h11.NEED_DATA:
                    self._ask_for_more()
                    return
                if isinstance(event, h11.Request):
                    self._incoming = Admission(event, self._limits)
                elif isinstance(event, h11.Data) and self._incoming is not None:
                    self._incoming.collect(event.data)
                elif isinstance(event, h11.EndOfMessage) and self._incoming is not None:
                    self._begin(self._incoming.request())
        except h11.RemoteProtocolError as error:
            self._refuse(error.error_status_hint, str(error))
        except Refused as error:
            self._refuse(error.status, str(error))

    def _ask_for_more(self) -> None:
        if self._wire.they_are_waiting_for_100_continue:
            self.put(h11.InformationalResponse(status_code=100, headers=[]))
        self._expire_in(self._limits.idle)

    def _refuse(self, status: int, message: str) -> None:
        """Answer and half-close: closing while the client still sends could destroy the answer."""
        self._refused = True
        self._incoming = None
        if self._wire.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            head, body = refusal(status, message)
            self.put(head)
            with contextlib.suppress(h11.LocalProtocolError):  # HEAD takes no body.
                self.put(body)
                self.put(h11.EndOfMessage())
        self._transport.write_eof()
        self._expire_in(self._limits.linger)

    # Answering.

    def _begin(self, request: Request) -> None:
        self._expire_in(None)
        self._incoming = None
        self._hold(len(self._wire.trailing_data[0]))
        responder = Responder(self, request.method)
        task = asyncio.get_running_loop().create_task(self._answer(request, responder))
        task.add_done_callback(self._ended)
        self._exchange = task

    def _hold(self, ahead: int) -> None:
        """So much came ahead of its turn. When it is too much, nothing is read, and only a failing
        write shows that the client has left."""
        self._ahead = ahead
        if ahead > self._limits.ahead:
            self._transport.pause_reading()

    async def _answer(self, request: Request, responder: Responder) -> None:
        try:
            await self._handler(request, responder)
            if not self.gone:
                await responder.finish()
        except Exception:
            if self.gone:
                return
            # h11 lets no control characters into either; the query is left out, it can carry a key.
            log.exception("%s %s: the handler failed", request.method, request.path)
            if responder.started or self._wire.our_state is not h11.SEND_RESPONSE:
                self.reset()
                return
            message = "The handler failed; the log says why."
            await responder.respond_json(500, error_json("api_error", message))
            await responder.finish()

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._exchange = None
        failed = task.cancelled() or task.exception() is not None
        if self.gone:
            self._settle()
        elif failed:
            self.reset()
        elif self._last or self._wire.states != {h11.CLIENT: h11.DONE, h11.SERVER: h11.DONE}:
            self._close()
        else:
            self._wire.start_next_cycle()
            self._transport.resume_reading()
            self._read()

    # Closing.

    def _close(self) -> None:
        """Close behind what was written; a client that does not read it is cut off in the end."""
        self._transport.close()
        self._expire_in(self._limits.idle)

    def _settle(self) -> None:
        if self._lost and self._exchange is None:
            self._owner.closed(self)

    def _expire_in(self, seconds: float | None) -> None:
        """None: do not expire."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if seconds is not None and not self._lost:
            self._timer = asyncio.get_running_loop().call_later(seconds, self._expire)

    def _expire(self) -> None:
        if self._refused or self._transport.is_closing():
            self._transport.abort()
        elif self._busy:
            self._refuse(408, "The request was not completed in time.")
        else:
            self._close()
