"""Both ends of a WebSocket, on wsproto: a server that follows a script, and a client."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

from wsproto import ConnectionType, WSConnection
from wsproto.connection import ConnectionState
from wsproto.events import (
    AcceptConnection,
    CloseConnection,
    Message,
    Request,
    TextMessage,
)
from wsproto.extensions import PerMessageDeflate

from proxy.http1 import PATIENCE


class End:
    """One end of a socket that is open."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, kind: ConnectionType
    ) -> None:
        self._reader = reader
        self._writer = writer
        self.wire = WSConnection(kind)
        self.closed: int | None = None
        """The code of the close that came."""
        self._text = ""

    async def send(self, *documents: Any) -> None:
        """Send messages in one write; strings go as they are."""
        texts = [item if isinstance(item, str) else compact(item) for item in documents]
        self._writer.write(b"".join(self.wire.send(TextMessage(data=text)) for text in texts))
        await self._writer.drain()

    async def event(self, event: Any) -> None:
        self._writer.write(self.wire.send(event))
        await self._writer.drain()

    async def receive(self) -> str | None:
        """The next message; None when the socket was closed."""
        async with asyncio.timeout(PATIENCE):
            async for event in self._events():
                if isinstance(event, CloseConnection):
                    self.closed = event.code
                    return None
                if isinstance(event, Message):
                    self._text += str(event.data)
                    if event.message_finished:
                        text, self._text = self._text, ""
                        return text
        return None

    async def expect(self, kind: type[Any]) -> Any:
        async with asyncio.timeout(PATIENCE):
            async for event in self._events():
                if isinstance(event, kind):
                    return event
        raise AssertionError("the socket was closed")

    async def close(self, code: int = 1000) -> None:
        await self.event(CloseConnection(code=code))

    def cut(self) -> None:
        """Close the connection, with or without a close before."""
        self._writer.close()

    async def _events(self) -> AsyncIterator[Any]:
        while True:
            # One at a time: what follows is for whoever asks next.
            for event in self.wire.events():
                yield event
            if self.wire.state is ConnectionState.CLOSED:
                return
            self.wire.receive_data(await self._reader.read(65536) or None)


async def gone(writer: asyncio.StreamWriter) -> None:
    """Close a connection, and wait for it."""
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()


def compact(document: Any) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


Script = Callable[[End], Awaitable[None]]


@contextlib.asynccontextmanager
async def socket_server(script: Script) -> AsyncIterator[str]:
    """A server whose sockets follow the script; yields its URL."""
    sockets: list[tuple[asyncio.Task[None], asyncio.StreamWriter]] = []

    async def serve(end: End) -> None:
        await end.expect(Request)
        await end.event(AcceptConnection(extensions=[PerMessageDeflate()]))
        try:
            await script(end)
        finally:
            end.cut()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        end = End(reader, writer, ConnectionType.SERVER)
        sockets.append((asyncio.create_task(serve(end)), writer))

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        for task, writer in sockets:
            task.cancel()
            await gone(writer)
        await asyncio.gather(*(task for task, _ in sockets), return_exceptions=True)


@contextlib.asynccontextmanager
async def socket_client(
    port: int, path: str = "/v1/responses", headers: Sequence[tuple[str, str]] = ()
) -> AsyncIterator[End]:
    """A client that is connected and upgraded."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    end = End(reader, writer, ConnectionType.CLIENT)
    try:
        encoded = [(name.encode(), value.encode()) for name, value in headers]
        await end.event(
            Request(
                host=f"127.0.0.1:{port}",
                target=path,
                extra_headers=encoded,
                extensions=[PerMessageDeflate()],
            )
        )
        await end.expect(AcceptConnection)
        yield end
    finally:
        await gone(writer)
