"""HTTP/1.1 on both sides, byte for byte: upstreams that follow a script, clients that see all."""

import asyncio
import contextlib
import socket
import ssl
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

from proxy.messages import event

PATIENCE = 20
"""Seconds after which a test has failed, on however busy a machine."""


@dataclass
class Request:
    """What the upstream got."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes


class Out:
    """What an upstream's script writes, down to the way the connection dies."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self.go_on = asyncio.Event()
        """For scripts that wait until the test has seen something."""

    async def head(self, status: int = 200, /, **headers: str) -> None:
        lines = [f"HTTP/1.1 {status} Some"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        await self.raw("\r\n".join([*lines, "", ""]).encode())

    async def raw(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    async def chunk(self, data: bytes) -> None:
        await self.raw(b"%x\r\n%s\r\n" % (len(data), data))

    async def events(self, *texts: str, **headers: str) -> None:
        """The head of an event stream, and a chunk for each text."""
        await self.head(content_type="text/event-stream", transfer_encoding="chunked", **headers)
        for text in texts:
            await self.chunk(event(text))

    async def end(self) -> None:
        await self.raw(b"0\r\n\r\n")

    async def body(self, data: bytes, status: int = 200, /, **headers: str) -> None:
        headers = {"content_type": "application/json", **headers}
        await self.head(status, content_length=str(len(data)), **headers)
        await self.raw(data)

    def close(self) -> None:
        """FIN."""
        self._writer.close()

    def reset(self) -> None:
        """RST."""
        linger = struct.pack("ii", 1, 0)
        self._writer.get_extra_info("socket").setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, linger
        )
        self._writer.transport.abort()


Script = Callable[[Request, Out], Awaitable[None]]


@dataclass
class Upstream:
    """A server that plays a script for every request."""

    port: int
    requests: list[Request] = field(default_factory=list)
    outs: list[Out] = field(default_factory=list)
    connections: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def go_on(self) -> None:
        self.outs[-1].go_on.set()


@contextlib.asynccontextmanager
async def running_upstream(
    script: Script, port: int = 0, tls: ssl.SSLContext | None = None
) -> AsyncIterator[Upstream]:
    up = Upstream(0)
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        up.connections += 1
        tasks.add(task := _current())
        try:
            while (request := await _read_request(reader)) is not None:
                up.requests.append(request)
                out = Out(writer)
                up.outs.append(out)
                await script(request, out)
                if writer.is_closing():
                    return
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()
            tasks.discard(task)

    server = await asyncio.start_server(serve, "127.0.0.1", port, ssl=tls)
    up.port = server.sockets[0].getsockname()[1]
    try:
        yield up
    finally:
        server.close()
        for task in list(tasks):
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)


def _current() -> asyncio.Task[None]:
    task: asyncio.Task[None] | None = asyncio.current_task()
    assert task
    return task


async def _read_request(reader: asyncio.StreamReader) -> Request | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    method, target, _ = first.split(" ")
    headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
    if headers.get("transfer-encoding") == "chunked":
        body = b""
        while size := int(await reader.readline(), 16):
            body += await reader.readexactly(size)
            await reader.readline()
        await reader.readline()
    else:
        body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Request(method, target, headers, body)


# Clients


@dataclass
class Reply:
    """What a client got; `complete` tells an end from an abort, by the rules of HTTP/1.1."""

    status: int
    headers: dict[str, str]
    body: bytes
    complete: bool


class Client:
    """A connection on which every byte counts."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self.writer = writer
        self._got = bytearray()

    async def send(
        self, method: str, target: str, body: bytes = b"", *, version: str = "1.1", **headers: str
    ) -> None:
        named = {"host": "127.0.0.1", **headers}
        if body:
            named.setdefault("content_length", str(len(body)))
        lines = [f"{method} {target} HTTP/{version}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in named.items()]
        self.writer.write("\r\n".join([*lines, "", ""]).encode() + body)
        await self.writer.drain()

    async def seen(self, text: bytes) -> None:
        """Wait until these bytes have come."""
        async with asyncio.timeout(PATIENCE):
            while text not in self._got:
                data = await self._reader.read(65536)
                assert data, f"the connection ended with {bytes(self._got)!r}"
                self._got += data

    async def reply(self) -> Reply:
        """The next reply, to its end or its abort."""
        async with asyncio.timeout(PATIENCE):
            status, headers = await self.head()
            body, complete = await self._body(headers)
            return Reply(status, headers, body, complete)

    async def head(self) -> tuple[int, dict[str, str]]:
        """Status and headers of the next reply."""
        async with asyncio.timeout(PATIENCE):
            while b"\r\n\r\n" not in self._got:
                assert await self._more(), f"no reply, only {bytes(self._got)!r}"
            head, _, _ = bytes(self._got).partition(b"\r\n\r\n")
            del self._got[: len(head) + 4]
            first, *lines = head.decode("latin-1").split("\r\n")
            pairs = (line.split(":", 1) for line in lines)
            headers = {name.lower(): value.strip() for name, value in pairs}
            return int(first.split(" ")[1]), headers

    async def _body(self, headers: dict[str, str]) -> tuple[bytes, bool]:
        if headers.get("transfer-encoding") == "chunked":
            return await self._chunks()
        if "content-length" in headers:
            size = int(headers["content-length"])
            complete = await self._at_least(size)
            return self._take(size), complete
        while await self._more():
            pass
        return self._take(len(self._got)), True

    async def _chunks(self) -> tuple[bytes, bool]:
        body = b""
        while True:
            while b"\r\n" not in self._got:
                if not await self._more():
                    return body, False
            line, _, _ = bytes(self._got).partition(b"\r\n")
            size = int(line, 16)
            if not await self._at_least(len(line) + 2 + size + 2):
                return body + bytes(self._got[len(line) + 2 :]), False
            self._take(len(line) + 2)
            body += self._take(size)
            self._take(2)
            if not size:
                return body, True

    async def _more(self) -> bool:
        try:
            data = await self._reader.read(65536)
        except ConnectionError:
            return False
        self._got += data
        return bool(data)

    async def _at_least(self, size: int) -> bool:
        while len(self._got) < size:
            if not await self._more():
                return False
        return True

    def _take(self, size: int) -> bytes:
        taken = bytes(self._got[:size])
        del self._got[:size]
        return taken


@contextlib.asynccontextmanager
async def connected(port: int, host: str = "127.0.0.1") -> AsyncIterator[Client]:
    reader, writer = await asyncio.open_connection(host, port)
    try:
        yield Client(reader, writer)
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


async def ask(port: int, method: str, target: str, body: bytes = b"", **headers: str) -> Reply:
    """One request on a connection of its own."""
    async with connected(port) as client:
        await client.send(method, target, body, **headers)
        return await client.reply()
