"""HTTP/2 on both sides: a client with prior knowledge or over TLS, and an upstream over TLS."""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import h2.config
import h2.connection
import h2.errors
import h2.events
from cryptography.hazmat.primitives import serialization as _serialization
from mitmproxy import certs

from proxy.http1 import PATIENCE


@dataclass
class Stream:
    """What has come on one stream; `ended` is "end", "reset" or "lost" when no more can come."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytearray = field(default_factory=bytearray)
    ended: str = ""


class Http2Client:
    """A client connection with any number of streams."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        config = h2.config.H2Configuration(client_side=True, header_encoding="utf-8")
        self._connection = h2.connection.H2Connection(config)
        self._streams: dict[int, Stream] = {}
        self._connection.initiate_connection()

    def send(self, authority: str, path: str, body: bytes = b"", **headers: str) -> Stream:
        number = self._connection.get_next_available_stream_id()
        pairs = [
            (":method", "POST" if body else "GET"),
            (":scheme", "http"),
            (":authority", authority),
            (":path", path),
            *((name.replace("_", "-"), value) for name, value in headers.items()),
        ]
        self._connection.send_headers(number, pairs, end_stream=not body)
        if body:
            self._connection.send_data(number, body, end_stream=True)
        self._writer.write(self._connection.data_to_send())
        self._streams[number] = Stream()
        return self._streams[number]

    async def until(self, condition: Callable[[], object]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not condition():
                await self._read()

    async def end(self, stream: Stream) -> Stream:
        await self.until(lambda: stream.ended)
        return stream

    async def _read(self) -> None:
        try:
            data = await self._reader.read(65536)
        except ConnectionError:
            data = b""
        if not data:
            for stream in self._streams.values():
                stream.ended = stream.ended or "lost"
            return
        for event in self._connection.receive_data(data):
            stream = self._streams.get(getattr(event, "stream_id", 0) or 0, Stream())
            if isinstance(event, h2.events.ResponseReceived):
                stream.headers = {str(name): str(value) for name, value in event.headers or []}
                stream.status = int(stream.headers.pop(":status"))
            elif isinstance(event, h2.events.DataReceived):
                stream.body += event.data or b""
                size = event.flow_controlled_length or 0
                self._connection.acknowledge_received_data(size, event.stream_id or 0)
            elif isinstance(event, h2.events.StreamEnded):
                stream.ended = "end"
            elif isinstance(event, h2.events.StreamReset):
                stream.ended = "reset"
        self._writer.write(self._connection.data_to_send())


@contextlib.asynccontextmanager
async def http2_client(port: int, *, tls: bool = False) -> AsyncIterator[Http2Client]:
    context = None
    if tls:
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        context.set_alpn_protocols(["h2"])
    reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=context)
    try:
        yield Http2Client(reader, writer)
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError, ssl.SSLError):
            await writer.wait_closed()


def server_tls(confdir: Path, *protocols: str) -> ssl.SSLContext:
    """A context with a certificate for 127.0.0.1 that nobody trusts."""
    store = certs.CertStore.from_store(confdir, "upstream", 2048)
    entry = store.get_cert("localhost", [])
    pem = confdir / "upstream.pem"
    key = entry.privatekey.private_bytes(
        _serialization.Encoding.PEM,
        _serialization.PrivateFormat.TraditionalOpenSSL,
        _serialization.NoEncryption(),
    )
    pem.write_bytes(entry.cert.to_pem() + key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    context.set_alpn_protocols(list(protocols))
    return context


class Http2Out:
    """What an HTTP/2 upstream writes on one stream."""

    def __init__(
        self, connection: h2.connection.H2Connection, writer: asyncio.StreamWriter, number: int
    ) -> None:
        self._connection = connection
        self._writer = writer
        self._number = number
        self.go_on = asyncio.Event()

    def _flush(self) -> None:
        self._writer.write(self._connection.data_to_send())

    def head(self, status: int = 200, **headers: str) -> None:
        pairs = [(name.replace("_", "-"), value) for name, value in headers.items()]
        self._connection.send_headers(self._number, [(":status", str(status)), *pairs])
        self._flush()

    def data(self, data: bytes, *, end: bool = False) -> None:
        self._connection.send_data(self._number, data, end_stream=end)
        self._flush()

    def reset(self) -> None:
        self._connection.reset_stream(self._number, h2.errors.ErrorCodes.INTERNAL_ERROR)
        self._flush()

    def go_away(self) -> None:
        self._connection.close_connection(h2.errors.ErrorCodes.INTERNAL_ERROR)
        self._flush()

    def close(self) -> None:
        self._writer.close()


@dataclass
class Http2Upstream:
    port: int
    outs: list[Http2Out] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}"


@contextlib.asynccontextmanager
async def http2_upstream(
    confdir: Path, script: Callable[[Http2Out], Awaitable[None]]
) -> AsyncIterator[Http2Upstream]:
    up = Http2Upstream(0)
    tasks: set[asyncio.Task[None]] = set()
    writers: list[asyncio.StreamWriter] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        config = h2.config.H2Configuration(client_side=False, header_encoding="utf-8")
        connection = h2.connection.H2Connection(config)
        connection.initiate_connection()
        writer.write(connection.data_to_send())
        while data := await _read(reader):
            for event in connection.receive_data(data):
                if isinstance(event, h2.events.DataReceived):
                    size = event.flow_controlled_length or 0
                    connection.acknowledge_received_data(size, event.stream_id or 0)
                if isinstance(event, h2.events.StreamEnded):
                    out = Http2Out(connection, writer, event.stream_id or 0)
                    up.outs.append(out)
                    tasks.add(asyncio.create_task(_shielded(script(out))))
            if not writer.is_closing():
                writer.write(connection.data_to_send())

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=server_tls(confdir, "h2"))
    up.port = server.sockets[0].getsockname()[1]
    try:
        yield up
    finally:
        server.close()
        for writer in writers:
            writer.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _shielded(work: Awaitable[None]) -> None:
    with contextlib.suppress(ConnectionError):
        await work


async def _read(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.read(65536)
    except (ConnectionError, ssl.SSLError):
        return b""
