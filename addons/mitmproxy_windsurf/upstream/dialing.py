"""How a connection to a server is made: straight or through a proxy, with TLS or without."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from dataclasses import dataclass

from mitmproxy_windsurf.upstream.client_connection import ClientConnection, request_events
from mitmproxy_windsurf.upstream.client_errors import AnswerBroken, ConnectFailed
from mitmproxy_windsurf.upstream.proxies import Proxy
from mitmproxy_windsurf.upstream.target import Target
from mitmproxy_windsurf.upstream.trust import trusted


@dataclass(frozen=True, slots=True)
class Route:
    """A server, and the proxy on the way to it."""

    origin: Target
    proxy: Proxy | None = None

    @property
    def tunnels(self) -> bool:
        return self.proxy is not None and self.origin.scheme == "https"

    @property
    def first(self) -> Target:
        """Who is at the other end of the socket."""
        return self.proxy.target if self.proxy else self.origin


class Dialer:
    """Makes connections; `patience` is for each as a whole, in seconds."""

    def __init__(self, patience: float, trust: Callable[[], ssl.SSLContext] = trusted) -> None:
        self._patience = patience
        self._trust = trust
        self._context: ssl.SSLContext | None = None

    async def dial(self, route: Route) -> ClientConnection:
        """Connect.

        Raises:
            ConnectFailed: it could not be done.
        """
        try:
            async with asyncio.timeout(self._patience):
                return await self._dial(route)
        except TimeoutError as error:
            raise ConnectFailed(address(route.first), "it did not answer in time") from error
        except (OSError, UnicodeError, AnswerBroken) as error:
            raise ConnectFailed(address(route.first), reason(error)) from error

    async def _dial(self, route: Route) -> ClientConnection:
        connection = await self._connect(route.first)
        try:
            if route.first.scheme == "https":
                connection = await self._secured(connection, route.first)
            if route.tunnels:
                await self._tunnel(connection, route)
                connection = await self._secured(connection, route.origin)
        except BaseException:
            connection.abort()
            raise
        return connection

    async def _connect(self, target: Target) -> ClientConnection:
        """Neither with TLS at once nor with a race of addresses: when that is cancelled, asyncio
        loses a socket; and races fail where tasks are eager, as in mitmproxy (gh-124309)."""
        _, connection = await asyncio.get_running_loop().create_connection(
            ClientConnection, target.host, target.port
        )
        return connection

    async def _secured(self, outer: ClientConnection, target: Target) -> ClientConnection:
        """The connection with TLS in it."""
        inner = ClientConnection()
        transport = await asyncio.get_running_loop().start_tls(
            outer.transport, inner, self._tls(), server_hostname=target.host
        )
        if transport is None:
            raise ConnectionResetError("the connection was closed")
        inner.connection_made(transport)
        return inner

    async def _tunnel(self, connection: ClientConnection, route: Route) -> None:
        """Have the proxy lead to the origin (RFC 9110 section 9.3.6)."""
        authority = address(route.origin)
        headers = [("host", authority)]
        if route.proxy and route.proxy.authorization:
            headers.append(("proxy-authorization", route.proxy.authorization))
        connection.send(*request_events("CONNECT", authority.encode("ascii"), headers, b""))
        head = await connection.head(self._patience)
        if not 200 <= head.status_code <= 299:
            why = f"the proxy at {address(route.first)} answered {head.status_code}"
            raise ConnectFailed(authority, why)

    def _tls(self) -> ssl.SSLContext:
        if self._context is None:
            self._context = self._trust()
        return self._context


def address(target: Target) -> str:
    """Host and port."""
    host = f"[{target.host}]" if ":" in target.host else target.host
    return f"{host}:{target.port}"


def reason(error: Exception) -> str:
    """Why a connection was not made, in a few words."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted: {error.verify_message}"
    if isinstance(error, ConnectionRefusedError):
        return "nothing listens there"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__
