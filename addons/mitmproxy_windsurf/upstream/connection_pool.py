"""Connections that wait for their next request, few and not for long.

Servers close idle connections after a time of their own, and a request that crosses the close on
its way is lost: so these are given up before. Many local servers wait 5 seconds (uvicorn, Node); in
front of the others, which need TLS, are machines that wait for a minute.
"""

from __future__ import annotations

import asyncio
from collections.abc import Hashable

from mitmproxy_windsurf.upstream.client_connection import ClientConnection

MAX_IDLE = 16
"""Connections that wait, to all servers together."""


class ConnectionPool:
    def __init__(self, limit: int = MAX_IDLE) -> None:
        self._limit = limit
        self._idle: list[tuple[Hashable, ClientConnection, asyncio.TimerHandle]] = []
        self._closed = False

    def __len__(self) -> int:
        return len(self._idle)

    async def take(self, key: Hashable) -> ClientConnection | None:
        """The connection that was used last, if one can be used still."""
        while waiting := next((item for item in reversed(self._idle) if item[0] == key), None):
            self._remove(waiting)
            await asyncio.sleep(0)  # what the socket has to say, as that it is closed, comes first
            if waiting[1].is_usable:
                return waiting[1]
            waiting[1].abort()
        return None

    def put(self, key: Hashable, connection: ClientConnection, patience: float) -> None:
        """Keep a connection for so many seconds."""
        if self._closed or patience <= 0:
            connection.abort()
            return
        loop = asyncio.get_running_loop()
        self._idle.append((key, connection, loop.call_later(patience, self._drop, connection)))
        if len(self._idle) > self._limit:
            self._drop(self._idle[0][1])

    def close(self) -> None:
        """Let go of all, and keep none from now on."""
        self._closed = True
        for _, connection, _ in list(self._idle):
            self._drop(connection)

    def _drop(self, connection: ClientConnection) -> None:
        for item in self._idle:
            if item[1] is connection:
                self._remove(item)
                break
        connection.abort()

    def _remove(self, item: tuple[Hashable, ClientConnection, asyncio.TimerHandle]) -> None:
        self._idle.remove(item)
        item[2].cancel()
