"""Servers and clients of one test; afterwards no connection and no task may be left."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from mitmproxy_windsurf.upstream.connection import Connection
from mitmproxy_windsurf.upstream.server import Handler, Limits, UpstreamServer
from upstream.raw_http import PATIENCE, RawClient

Serve = Callable[..., UpstreamServer]
Connect = Callable[..., Awaitable[RawClient]]


@pytest.fixture
async def serve() -> AsyncIterator[Serve]:
    """`serve(handler)` starts a server."""
    servers = []

    def start(handler: Handler, limits: Limits | None = None) -> UpstreamServer:
        server = UpstreamServer(handler, limits=limits)
        servers.append(server)
        server.start()
        return server

    yield start
    for server in servers:
        server.stop()
        await asyncio.wait_for(server.wait_closed(), PATIENCE)
    await asyncio.sleep(0)
    left = {getattr(task.get_coro(), "__qualname__", "") for task in asyncio.all_tasks()}
    assert not left & {
        Connection._answer.__qualname__,
        asyncio.BaseEventLoop.create_server.__qualname__,
    }


@pytest.fixture
async def connect(serve: Serve) -> AsyncIterator[Connect]:
    """`connect(server)` opens a connection; closed before the servers are stopped."""
    clients = []

    async def open_client(
        server: UpstreamServer, *, receive_buffer: int | None = None
    ) -> RawClient:
        assert server.port is not None
        clients.append(await RawClient.connect(server.port, receive_buffer=receive_buffer))
        return clients[-1]

    yield open_client
    for client in clients:
        await client.close()
