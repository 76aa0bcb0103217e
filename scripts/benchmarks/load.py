"""The two ends of what is measured, in this process: an upstream that answers as the prompt wishes,
and clients that note when each delta reaches them."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from benchmarks.answers import MARK, Ask, Wish, chat_events, events
from mitmproxy_windsurf.wire.detect import detect

PATIENCE = 120
"""Seconds for one answer."""

Times = dict[bytes, float]
"""When each numbered delta was seen."""

_HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n"
    b"connection: close\r\n\r\n"
)
_LAST = b"0\r\n\r\n"


class Upstream:
    """Speaks every protocol; a paced answer notes in `written` when each delta went out."""

    def __init__(self) -> None:
        self.port = 0
        self.written: Times = {}
        self._answers: dict[tuple[str, int], list[bytes]] = {}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def prepare(self, protocol: str, *lengths: int) -> None:
        """Have answers ready, so that making them falls into no measurement: in this protocol, and
        in the one that a translating handler asks for."""
        for words in lengths:
            chat = chat_events(words, marked=True)
            for spoken in {protocol, "openai_chat"}:
                made = events(spoken, chat)
                chunks = [b"%x\r\n%s\r\n" % (len(one), one) for one in made]
                self._answers[spoken, words] = chunks

    @asynccontextmanager
    async def listening(self, port: int = 0) -> AsyncIterator[Upstream]:
        server = await asyncio.start_server(self._connected, "127.0.0.1", port)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            method, path = head.split(b" ", 2)[:2]
            body = await reader.readexactly(_content_length(head))
            route = detect(method.decode(), path.decode())
            protocol = route.protocol if route else ""
            wish = Wish.found(body)
            answer = self._answers[protocol, wish.words]
            writer.write(_HEAD)
            if wish.pause:
                await self._paced(writer, answer, wish.pause)
            else:
                writer.writelines(answer)
            writer.write(_LAST)
            await writer.drain()
        writer.close()

    async def _paced(self, writer: asyncio.StreamWriter, answer: list[bytes], pause: float) -> None:
        due = time.perf_counter()
        for chunk in answer:
            due += pause
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            note(self.written, chunk)
            writer.write(chunk)


def note(times: Times, data: bytes) -> None:
    now = time.perf_counter()
    for mark in MARK.findall(data):
        times.setdefault(mark, now)


async def receive(port: int, asked: Ask) -> Times:
    """Ask, read the answer to its end, and tell when each delta came.

    Raises:
        RuntimeError: there is no answer, or none that is whole.
    """
    times: Times = {}
    async with asyncio.timeout(PATIENCE):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(
            b"POST %s HTTP/1.1\r\nhost: 127.0.0.1:%d\r\ncontent-type: application/json\r\n"
            b"connection: close\r\ncontent-length: %d\r\n\r\n%s"
            % (asked.path.encode(), port, len(asked.data), asked.data)
        )
        tail = head = b""
        while data := await reader.read(1 << 16):
            head = head or data[:200]
            note(times, tail + data)
            tail = data[-16:]
        writer.close()
    if not head.startswith(b"HTTP/1.1 200 ") or not tail.endswith(_LAST):
        raise RuntimeError(f"no whole answer, but {head!r} … {tail!r}")
    return times


def delays(written: Times, received: Times) -> list[float]:
    """Seconds between the upstream's write and the client's read, of each delta."""
    return [received[mark] - at for mark, at in written.items() if mark in received]


def _content_length(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    return 0
