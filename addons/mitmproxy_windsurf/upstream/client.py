"""A small HTTP/1.1 client: streamed answers, no redirects, no retries, no limit on a whole
exchange.

    client = HTTPClient()
    async with client.send("POST", url, headers=headers, body=body) as response:
        response.status, response.headers
        async for data in response: ...      # or: await response.read(limit)
    client.close()

Leaving the block before the end of an answer closes its connection, as cancelling does. Proxies are
those of the environment. An answer is asked for without compression, and decoded if it has some.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import h11

from mitmproxy_windsurf.upstream.client_connection import ClientConnection, request_events
from mitmproxy_windsurf.upstream.client_errors import AnswerBroken, ConnectFailed
from mitmproxy_windsurf.upstream.connection_pool import ConnectionPool
from mitmproxy_windsurf.upstream.dialing import Dialer, Route, address
from mitmproxy_windsurf.upstream.exchange import Headers, joined
from mitmproxy_windsurf.upstream.proxies import proxy_for
from mitmproxy_windsurf.upstream.target import Target, parse_target
from mitmproxy_windsurf.wire.decoders import decoder, is_identity

CONNECT_PATIENCE = 10.0
SILENCE = 600.0
"""Seconds without a byte until an answer is given up; a model may think for minutes before its
first."""

KEPT = {"http": 4.0, "https": 30.0}
"""Seconds for which a connection waits for the next request, where the server says nothing else."""

AGENT = "mitmproxy-windsurf"


class HTTPClient:
    """Times are in seconds."""

    def __init__(
        self,
        *,
        connect_patience: float = CONNECT_PATIENCE,
        silence: float = SILENCE,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self._dialer = Dialer(connect_patience)
        self._silence = silence
        self._environment = environment
        self._pool = ConnectionPool()

    @property
    def idle(self) -> int:
        """How many connections wait for a request."""
        return len(self._pool)

    @asynccontextmanager
    async def send(
        self, method: str, url: str, *, headers: Headers = (), body: bytes = b""
    ) -> AsyncIterator[Response]:
        """Send a request, and wait for the head of the answer.

        Raises:
            ConnectFailed: nothing was sent.
            AnswerBroken: there is no answer; while it is read, that it broke off.
            ValueError: this is not an http or https URL, or a header has a line break in it.
        """
        route, path = self._route(url)
        head = [*_defaults(route, headers, body, method), *headers]
        target = f"http://{address(route.origin)}{path}" if _is_forwarded(route) else path
        try:
            events = request_events(method, target.encode("ascii"), head, body)
        except h11.LocalProtocolError as error:
            raise ValueError(f"the request cannot be sent: {error}") from error
        connection = await self._pool.take(route) or await self._dialer.dial(route)
        try:
            connection.send(*events)
            response = Response(connection, await connection.head(self._silence), self._silence)
            yield response
        except BaseException:
            connection.abort()
            raise
        if connection.renew():
            self._pool.put(route, connection, _kept(route, response.headers))
        else:
            connection.abort()

    def close(self) -> None:
        """Close what waits; exchanges that are under way end in their own time."""
        self._pool.close()

    def _route(self, url: str) -> tuple[Route, str]:
        base, _, query = url.partition("?")
        try:
            target = parse_target(base)
        except ValueError as error:
            raise ValueError(f"the URL {error}") from error
        if target is None:
            raise ValueError("the URL is empty")
        origin = Target(target.scheme, target.host, target.port)
        try:
            proxy = proxy_for(origin, self._environment)
        except ValueError as error:
            raise ConnectFailed(address(origin), str(error)) from error
        path = urlsplit(base).path or "/"
        return Route(origin, proxy), f"{path}?{query}" if query else path


class Response:
    """An answer; it is read once, as an async iterator or by `read`. Header names are in lower
    case."""

    def __init__(self, connection: ClientConnection, head: h11.Response, silence: float) -> None:
        self.status = head.status_code
        self.headers = joined(head.headers)
        self._connection = connection
        self._silence = silence
        encoding = self.headers.get("content-encoding", "")
        self._decoder = None if is_identity(encoding) else decoder(encoding)
        if self._decoder is None and not is_identity(encoding):
            raise AnswerBroken(
                f"the answer has a content-encoding that is not understood: {encoding}"
            )
        self._ended = False

    def __aiter__(self) -> Response:
        return self

    async def __anext__(self) -> bytes:
        """What has arrived, never empty."""
        while not self._ended:
            data = await self._connection.body(self._silence)
            self._ended = not data
            if decoded := self._decoded(data):
                return decoded
        raise StopAsyncIteration

    async def read(self, limit: int) -> bytes:
        """The whole body.

        Raises:
            AnswerBroken: it broke off, or is longer than so many bytes.
        """
        pieces, size = [], 0
        async for data in self:
            pieces.append(data)
            size += len(data)
            if size > limit:
                raise AnswerBroken(f"the answer is larger than {limit} bytes")
        return b"".join(pieces)

    def _decoded(self, data: bytes) -> bytes:
        if self._decoder is None:
            return data
        try:
            return self._decoder.feed(data) if data else self._decoder.flush()
        except Exception as error:
            raise AnswerBroken(f"the answer cannot be decompressed: {error}") from error


def _defaults(
    route: Route, headers: Headers, body: bytes, method: str
) -> Sequence[tuple[str, str]]:
    """The headers that a request needs and the caller has not given."""
    given = {name.lower() for name, _ in headers}
    needed = [
        ("host", _authority(route.origin)),
        ("user-agent", AGENT),
        ("accept-encoding", "identity"),
    ]
    if body or method in ("POST", "PUT", "PATCH"):
        needed.append(("content-length", str(len(body))))
    if _is_forwarded(route) and route.proxy and route.proxy.authorization:
        needed.append(("proxy-authorization", route.proxy.authorization))
    return [(name, value) for name, value in needed if name not in given]


def _is_forwarded(route: Route) -> bool:
    """A proxy gets the request itself, and so its whole URL (RFC 9112 section 3.2.2)."""
    return route.proxy is not None and not route.tunnels


def _authority(origin: Target) -> str:
    """A Host header: without the port where that is the usual one."""
    return str(origin).partition("://")[2]


def _kept(route: Route, headers: Mapping[str, str]) -> float:
    """For how long a connection may wait: a second less than the server would."""
    for word in headers.get("keep-alive", "").split(","):
        name, _, seconds = word.strip().partition("=")
        if name.lower() == "timeout" and seconds.isdecimal():
            return min(float(seconds) - 1, 60.0)
    return KEPT[route.first.scheme]
