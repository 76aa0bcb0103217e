"""The differences between the supported mitmproxy versions, and what is asked of all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from mitmproxy import ctx, exceptions, http
from mitmproxy.proxy.layer import NextLayer
from mitmproxy.proxy.layers import http as http_layers

UPSTREAM_CONNECTIONS = 100
"""mitmproxy opens 5 connections per client connection and address, so that the sixth stream of an
HTTP/2 client would wait until one of the others has ended."""

_HTTP_STREAM_NEEDS = {
    "HttpLayer": ("make_stream",),
    "HttpStream": (
        "check_body_size",
        "handle_protocol_error",
        "send_response",
        "state_consume_response_body",
        "state_stream_response_body",
    ),
}

OptionsError: Callable[[str], Exception] = exceptions.OptionsError
"""Here and below: mitmproxy leaves these without types."""


def client_data(next_layer: NextLayer) -> bytes:
    """What the client has sent so far."""
    untyped: Any = next_layer
    return bytes(untyped.data_client())


def kill(flow: http.HTTPFlow) -> None:
    untyped: Any = flow
    untyped.kill()


def _proxyserver() -> Any:
    addons: Any = ctx.master.addons
    return addons.get("proxyserver")


def listening_addresses() -> list[tuple[str, int]]:
    """Where the proxy listens; empty when it does not (`--no-server`)."""
    server = _proxyserver()
    return [(address[0], address[1]) for address in server.listen_addrs()] if server else []


def lift_connection_limit(client_id: str) -> None:
    """Let one client connection have more upstream connections at once."""
    handler = getattr(_proxyserver(), "connections", {}).get(client_id)
    limits = getattr(handler, "max_conns", None)
    if limits is not None:
        limits.default_factory = lambda: asyncio.Semaphore(UPSTREAM_CONNECTIONS)


def install_http_stream() -> str:
    """Put our HttpStream in mitmproxy's place; returns what this mitmproxy lacks for it.

    It is looked up by name for every new stream (`HttpLayer.make_stream`). It stays when the addon
    is unloaded: open streams are instances of it, and for the flows of others it changes nothing.
    """
    for name, members in _HTTP_STREAM_NEEDS.items():
        for member in members:
            if not hasattr(getattr(http_layers, name, None), member):
                return f"{name}.{member}"
    try:
        from mitmproxy_windsurf.proxy.httpstream import ReleasingHttpStream
    except ImportError as error:
        return str(error)
    vars(http_layers)["HttpStream"] = ReleasingHttpStream
    return ""


def _zstd() -> Callable[[], Any]:
    try:
        from compression import zstd  # Python 3.14
    except ImportError:
        try:
            from backports import zstd  # mitmproxy 12
        except ImportError:
            import zstandard  # mitmproxy 11

            return lambda: zstandard.ZstdDecompressor().decompressobj()
    return lambda: zstd.ZstdDecompressor()


zstd_decompressor = _zstd()
"""A new decompressor object for one zstd frame, with `decompress`, `eof` and `unused_data`."""
