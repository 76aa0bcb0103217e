"""A client that writes bytes as they are given and reads one response at a time.

Its time limits are `asyncio.timeout`, not `wait_for`, which gives the event loop so many turns
before Python 3.12 that a reset overtakes the bytes in front of it.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from collections.abc import AsyncIterator
from dataclasses import dataclass

PATIENCE = 20
"""Seconds until a test that hangs is given up; none waits for them."""


@dataclass(frozen=True, slots=True)
class Response:
    status: int
    headers: dict[str, str]
    body: bytes


class RawClient:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def connect(cls, port: int, *, receive_buffer: int | None = None) -> RawClient:
        sock = socket.socket(proto=socket.IPPROTO_TCP)
        if receive_buffer is not None:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        sock.setblocking(False)
        try:
            await asyncio.get_running_loop().sock_connect(sock, ("127.0.0.1", port))
        except OSError:
            sock.close()
            raise
        limit = receive_buffer or 2**16
        return cls(*await asyncio.open_connection(sock=sock, limit=limit))

    async def send(self, data: bytes) -> None:
        self._writer.write(data)
        async with asyncio.timeout(PATIENCE):
            await self._writer.drain()

    async def request(
        self, method: str, target: str, body: bytes | None = None, headers: str = ""
    ) -> Response:
        await self.send(request_bytes(method, target, body, headers))
        return await self.response(bodiless=method == "HEAD")

    async def head(self) -> tuple[int, dict[str, str]]:
        raw = await self.until(b"\r\n\r\n")
        first, *lines = raw.decode("latin-1").strip().split("\r\n")
        pairs = (line.split(": ", 1) for line in lines)
        return int(first.split()[1]), {name.lower(): value for name, value in pairs}

    async def response(self, *, bodiless: bool = False) -> Response:
        status, headers = await self.head()
        body = b""
        if bodiless:
            pass
        elif headers.get("transfer-encoding") == "chunked":
            body = b"".join([chunk async for chunk in self.chunks()])
        elif "content-length" in headers:
            body = await self.exactly(int(headers["content-length"]))
        else:
            body = await self.rest()
        return Response(status, headers, body)

    async def chunk(self) -> bytes:
        size = int(await self.until(b"\r\n"), 16)
        return (await self.exactly(size + 2))[:-2]

    async def chunk_after_head(self) -> bytes:
        await self.head()
        return await self.chunk()

    async def chunks(self) -> AsyncIterator[bytes]:
        while chunk := await self.chunk():
            yield chunk

    async def until(self, end: bytes) -> bytes:
        async with asyncio.timeout(PATIENCE):
            return await self._reader.readuntil(end)

    async def exactly(self, size: int) -> bytes:
        async with asyncio.timeout(PATIENCE):
            return await self._reader.readexactly(size)

    async def rest(self) -> bytes:
        """Everything up to the end; a reset raises."""
        async with asyncio.timeout(PATIENCE):
            return await self._reader.read()

    def half_close(self) -> None:
        self._writer.write_eof()

    def reset(self) -> None:
        """Leave with RST, as a killed process with unread data does."""
        sock = self._writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()

    async def close(self) -> None:
        self._writer.close()
        with contextlib.suppress(OSError):
            async with asyncio.timeout(PATIENCE):
                await self._writer.wait_closed()


def request_bytes(method: str, target: str, body: bytes | None = None, headers: str = "") -> bytes:
    length = "" if body is None else f"content-length: {len(body)}\r\n"
    head = f"{method} {target} HTTP/1.1\r\nhost: 127.0.0.1\r\n{length}{headers}\r\n"
    return head.encode("latin-1") + (body or b"")
