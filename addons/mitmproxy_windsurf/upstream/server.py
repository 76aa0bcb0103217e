"""A small HTTP/1.1 server for one machine: loopback, streaming answers, no dependency but h11.

`start` and `stop` are synchronous, because they are called from mitmproxy's hooks, inside its
running event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket

from mitmproxy_windsurf.upstream.admission import Limits
from mitmproxy_windsurf.upstream.connection import Connection
from mitmproxy_windsurf.upstream.exchange import Handler, Request, Responder

__all__ = ["Handler", "Limits", "Request", "Responder", "UpstreamServer"]


class UpstreamServer:
    """Serves a handler on one port."""

    def __init__(
        self,
        handler: Handler,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        limits: Limits | None = None,
    ) -> None:
        self._handler = handler
        self._host = host
        self._port = port
        self._limits = limits or Limits()
        self._socket: socket.socket | None = None
        self._serving: asyncio.Task[asyncio.Server] | None = None
        self._connections: set[Connection] = set()
        self._none_left = asyncio.Event()
        self._none_left.set()

    @property
    def port(self) -> int | None:
        """The bound port while the server listens."""
        return None if self._socket is None else self._port

    @property
    def connections(self) -> int:
        """How many clients are connected or still being answered."""
        return len(self._connections)

    def start(self) -> int:
        """Bind now, serve from a task, return the port. Needs a running event loop."""
        if self._socket is not None:
            raise RuntimeError("the server is already running")
        family = socket.AF_INET6 if ":" in self._host else socket.AF_INET
        self._socket = socket.create_server((self._host, self._port), family=family, backlog=128)
        self._port = int(self._socket.getsockname()[1])
        self._serving = asyncio.get_running_loop().create_task(
            asyncio.get_running_loop().create_server(self._connection, sock=self._socket)
        )
        return self._port

    def stop(self) -> None:
        """Stop listening and close idle connections; running exchanges end in their own time."""
        if self._socket is None or self._serving is None:
            return
        self._serving.cancel()
        # Not `asyncio.Server.close`: it would drop a client that has just been accepted, unclosed.
        with contextlib.suppress(NotImplementedError):  # Windows: closing the socket is enough.
            self._serving.get_loop().remove_reader(self._socket)
        self._socket.close()
        self._socket = self._serving = None
        for connection in list(self._connections):
            connection.stop()

    async def wait_closed(self) -> None:
        """Wait until the last connection has ended."""
        await self._none_left.wait()

    def opened(self, connection: Connection) -> None:
        self._connections.add(connection)
        self._none_left.clear()
        if self._socket is None:
            connection.stop()

    def closed(self, connection: Connection) -> None:
        self._connections.discard(connection)
        if not self._connections:
            self._none_left.set()

    def _connection(self) -> Connection:
        return Connection(self._handler, self._limits, self)
