"""One port for both ways: base-URL requests go to the upstream handler, others are forwarded.

A request in origin-form is meant for us, because a client of a forward proxy sends absolute-form or
CONNECT. `next_layer` sees that before mitmproxy has chosen a layer, and exactly, whatever the Host
header says. Over TLS, and in absolute-form, a request is ours if it names our own address.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from weakref import WeakSet

from mitmproxy import http
from mitmproxy.connection import Client, Server
from mitmproxy.proxy import mode_specs
from mitmproxy.proxy.layer import NextLayer
from mitmproxy.proxy.layers import HttpLayer, modes
from mitmproxy.proxy.layers.http import HTTPMode

from mitmproxy_windsurf.proxy import compat
from mitmproxy_windsurf.proxy.clients import matches
from mitmproxy_windsurf.proxy.record import recorded
from mitmproxy_windsurf.upstream.target import Target, is_loopback, is_unspecified

Destination = Literal["upstream", "reverse", "listed"]
"""Why a request is ours: it goes to the upstream handler, through the user's own reverse proxy, or
to a host in windsurf_hosts."""

ORIGIN_FORM = re.compile(rb"[A-Z]{3,16} /")
HTTP2_PREFACE = b"PRI * HTTP/2.0"

_base_url_clients: WeakSet[Client] = WeakSet()
"""Connections that `adopt` took; not in an instance, since they outlive a reloaded script."""


def adopt(next_layer: NextLayer, target: Target) -> None:
    """Take a new connection if it begins with a base-URL request, in HTTP/1 or in HTTP/2."""
    context = next_layer.context
    proxies = (modes.HttpProxy, modes.HttpUpstreamProxy)
    if not 1 <= len(context.layers) <= 2 or not isinstance(context.layers[0], proxies):
        return
    data = compat.client_data(next_layer)
    if data.startswith(HTTP2_PREFACE):
        context.client.alpn = b"h2"  # or mitmproxy would take the preface for an HTTP/1 request
    elif not ORIGIN_FORM.match(data):
        return
    if next_layer.layer is None:
        next_layer.layer = HttpLayer(context, HTTPMode.transparent)
    elif isinstance(next_layer.layer, HttpLayer):  # mitmproxy's own addon came first
        next_layer.layer.mode = HTTPMode.transparent
    else:
        return
    context.server.address = target.address
    _base_url_clients.add(context.client)


def destination(
    flow: http.HTTPFlow, target: Target | None, hosts: Sequence[str]
) -> Destination | None:
    """Why a request is ours, or None for one that merely passes through."""
    if target and (is_base_url(flow) or _goes_to(flow, target)):
        return "upstream"
    if isinstance(flow.client_conn.proxy_mode, mode_specs.ReverseMode):
        return "reverse"
    return "listed" if matches(flow.request.pretty_host, hosts) else None


def is_base_url(flow: http.HTTPFlow) -> bool:
    """Whether the client takes us for the server, or did so when a replayed flow was recorded."""
    if flow.client_conn in _base_url_clients:
        return True
    if flow.is_replay == "request" and recorded(flow).get("destination") == "upstream":
        return True
    forwards = (mode_specs.RegularMode, mode_specs.UpstreamMode)
    return isinstance(flow.client_conn.proxy_mode, forwards) and _names_us(flow)


def is_local(flow: http.HTTPFlow) -> bool:
    """Whether a request comes from this machine; a replayed one comes from the user."""
    return flow.is_replay == "request" or is_loopback(flow.client_conn.peername[0])


def _names_us(flow: http.HTTPFlow) -> bool:
    host, port, *_ = flow.client_conn.sockname
    return flow.request.port == port and (
        flow.request.host == host or is_loopback(flow.request.host)
    )


def _goes_to(flow: http.HTTPFlow, target: Target) -> bool:
    host, port = flow.request.host, flow.request.port
    same_host = host == target.host or (is_loopback(host) and is_loopback(target.host))
    return same_host and port == target.port


def send_to(flow: http.HTTPFlow, target: Target, *, keep_host: bool) -> None:
    """Change the destination of a request.

    With `keep_host` the Host header stays what the client sent, otherwise it names the target.
    """
    request = flow.request
    host_header = request.host_header
    prefix = recorded(flow).get("prefix", "") if flow.is_replay else ""
    request.scheme = target.scheme
    request.host = target.host
    request.port = target.port
    request.path = target.prefix + request.path.removeprefix(prefix)
    if keep_host:
        request.host_header = host_header
    if flow.server_conn.via:  # --mode upstream: the handler is not behind that proxy
        flow.server_conn = Server(address=target.address)


@dataclass(frozen=True)
class Listening:
    """Where the proxy can be reached."""

    addresses: Sequence[tuple[str, int]] = ()

    @property
    def url(self) -> str | None:
        """What a client on this machine takes for its base URL; None when nothing listens."""
        if not self.addresses:
            return None
        host, port = min(self.addresses, key=lambda address: ":" in address[0])
        if is_unspecified(host):
            host = "127.0.0.1"
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    @property
    def is_open(self) -> bool:
        """Whether other machines can reach it."""
        return any(not is_loopback(host) for host, _ in self.addresses)

    def includes(self, target: Target) -> bool:
        """Whether a target is this proxy itself."""
        return any(
            port == target.port and (host == target.host or is_loopback(target.host))
            for host, port in self.addresses
        )
