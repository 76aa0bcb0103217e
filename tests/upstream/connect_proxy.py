"""A proxy that only tunnels, and finds every host on this machine."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator
from dataclasses import dataclass, field


@dataclass
class ConnectProxy:
    """`heads` are those of the requests for a tunnel."""

    port: int = 0
    status: int = 200
    heads: list[str] = field(default_factory=list)


@contextlib.asynccontextmanager
async def running_proxy(
    target: int, status: int = 200, tls: ssl.SSLContext | None = None
) -> AsyncIterator[ConnectProxy]:
    """Whatever is asked for, it is the loopback port `target` that is reached."""
    proxy = ConnectProxy(status=status)
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        task.add_done_callback(tasks.discard)
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            proxy.heads.append((await reader.readuntil(b"\r\n\r\n")).decode())
            writer.write(b"HTTP/1.1 %d Some\r\n\r\n" % proxy.status)
            if proxy.status == 200:
                up_reader, up_writer = await asyncio.open_connection("127.0.0.1", target)
                await asyncio.gather(_pump(reader, up_writer), _pump(up_reader, writer))
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        server.close()
        for task in list(tasks):
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()
