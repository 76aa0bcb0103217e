"""The WebSockets that are under way: each message of ours is rewritten, held or let go.

A message that stands for several holds them as `Messages`, which the layer sends one by one; what
is kept to be shown and saved is plain bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

from mitmproxy import http
from mitmproxy.websocket import WebSocketMessage

from mitmproxy_windsurf.proxy import compat
from mitmproxy_windsurf.proxy.exchange import Exchange


class Messages(bytes):
    """Several messages in the place of one; as bytes they are its lines."""

    parts: Sequence[bytes]

    def __new__(cls, parts: Sequence[bytes]) -> Messages:
        made = super().__new__(cls, b"\n".join(parts))
        made.parts = parts
        return made


class Socket:
    """One WebSocket of ours."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        self._rewriter = exchange.open_socket()
        self._latest: WebSocketMessage | None = None

    def message(self, flow: http.HTTPFlow) -> None:
        """The latest message of the flow is on its way."""
        if flow.websocket is None:
            return
        self._settle()
        message = self._latest = flow.websocket.messages[-1]
        if message.is_text and not message.injected:
            text = message.content.decode("utf-8", "replace")
            if message.from_client:
                out = [self._rewriter.from_client(text)]
            else:
                out = self._rewriter.from_server(text)
            if not out:
                compat.drop(message)
            elif out != [text]:
                message.content = Messages([part.encode("utf-8", "replace") for part in out])
            self._exchange.tell(flow, self._rewriter)

    def release(self, flow: http.HTTPFlow) -> list[str]:
        """The server has closed: what is held, to be sent before the client is told."""
        held = self._rewriter.release()
        self._exchange.tell(flow, self._rewriter)
        return held

    def close(self, flow: http.HTTPFlow) -> None:
        """Nothing more can be sent."""
        self._settle()
        self.release(flow)

    def _settle(self) -> None:
        """A message that was sent is shown as what was sent."""
        if self._latest is not None:
            self._latest.content = bytes(self._latest.content)


_sockets: WeakKeyDictionary[http.HTTPFlow, Socket] = WeakKeyDictionary()


def begin(flow: http.HTTPFlow, exchange: Exchange) -> None:
    _sockets[flow] = Socket(exchange)


def socket_of(flow: http.HTTPFlow) -> Socket | None:
    """The socket of a flow that is ours and open."""
    return _sockets.get(flow)


def end(flow: http.HTTPFlow) -> Socket | None:
    """The socket of a flow that is ours, which is open no more."""
    return _sockets.pop(flow, None)
