"""The differences between the supported mitmproxy versions, and what is asked of all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import ModuleType
from typing import Any

from mitmproxy import ctx, exceptions, http
from mitmproxy.proxy.layer import NextLayer
from mitmproxy.proxy.layers import http as http_layers
from mitmproxy.proxy.layers import websocket as websocket_layers
from mitmproxy.websocket import WebSocketMessage

UPSTREAM_CONNECTIONS = 100
"""mitmproxy opens 5 connections per client connection and address, so that the sixth stream of an
HTTP/2 client would wait until one of the others has ended."""

_NEEDS: dict[ModuleType, dict[str, tuple[str, ...]]] = {
    http_layers: {
        "HttpLayer": ("make_stream",),
        "HttpStream": (
            "check_body_size",
            "handle_protocol_error",
            "send_response",
            "state_consume_response_body",
            "state_stream_response_body",
        ),
    },
    websocket_layers: {
        "Fragmentizer": ("__call__", "msg"),
        "WebsocketLayer": ("relay_messages",),
    },
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


def drop(message: WebSocketMessage) -> None:
    untyped: Any = message
    untyped.drop()


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


def install_layers() -> str:
    """Put our HttpStream and WebSocket layer in mitmproxy's place; returns what this mitmproxy
    lacks for it.

    They are looked up by name for every new stream and socket. They stay when the addon is
    unloaded: open streams are instances of them, and for the flows of others they change nothing.
    """
    for module, classes in _NEEDS.items():
        for name, members in classes.items():
            for member in members:
                if not hasattr(getattr(module, name, None), member):
                    return f"{name}.{member}"
    try:
        from mitmproxy_windsurf.proxy.httpstream import ReleasingHttpStream
        from mitmproxy_windsurf.proxy.websocketlayer import ReleasingWebsocketLayer, WholeMessages
    except ImportError as error:
        return str(error)
    vars(http_layers)["HttpStream"] = ReleasingHttpStream
    vars(websocket_layers)["WebsocketLayer"] = ReleasingWebsocketLayer
    vars(websocket_layers)["Fragmentizer"] = WholeMessages
    return ""
