"""The request of a flow as a search for a trigger sends it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from mitmproxy import http

from mitmproxy_windsurf.proxy.record import recorded
from mitmproxy_windsurf.proxy.streaming import DIGEST_HEADERS
from mitmproxy_windsurf.upstream.target import Target
from mitmproxy_windsurf.wire.decoders import decode
from mitmproxy_windsurf.wire.detect import Route, detect, facts

_FRAMING = frozenset(
    {
        "accept-encoding",
        "connection",
        "content-encoding",
        "content-length",
        "expect",
        "host",
        "keep-alive",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        *DIGEST_HEADERS,
    }
)
"""Headers that belong to one connection or to the bytes of one body; those that are needed are made
anew."""


@dataclass(frozen=True)
class Captured:
    """A request with its body as the upstream saw it."""

    protocol: str
    url: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    streamed: bool


def captured(flow: http.HTTPFlow, target: Target | None) -> Captured:
    """The request of a flow. One that went to the upstream handler goes to today's, `target`.

    Raises:
        ValueError: says why it cannot be searched.
    """
    request = flow.request
    route = _generating(detect(request.method, request.path))
    if flow.websocket:
        raise ValueError("a WebSocket cannot be searched")
    if request.raw_content is None:
        raise ValueError("the request's body was not kept, so there is nothing to search")
    body = decode(request.raw_content, request.headers.get("content-encoding", ""))
    record = recorded(flow)
    if target and record.get("destination") == "upstream":
        url = f"{target}{request.path.removeprefix(str(record.get('prefix', '')))}"
    else:
        host = request.pretty_host if record.get("destination") == "listed" else request.host
        host = f"[{host}]" if ":" in host else host
        url = f"{request.scheme}://{host}:{request.port}{request.path}"
    return Captured(
        route.protocol, url, tuple(_headers(request)), body, is_streamed(route, url, body)
    )


def is_streamed(route: Route, url: str, body: bytes) -> bool:
    """Whether the request asks for a stream.

    Raises:
        ValueError: the body is no JSON.
    """
    try:
        document: Any = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the request's body is no JSON: {error}") from error
    return facts(route.protocol, document).stream or "streamGenerateContent" in url


def _generating(route: Route | None) -> Route:
    if route is None or route.kind != "generate":
        raise ValueError("this is no request for an answer of a model")
    return route


def _headers(request: http.Request) -> Iterator[tuple[str, str]]:
    for raw_name, raw_value in request.headers.fields:
        name = raw_name.decode("latin-1")
        if name.lower() not in _FRAMING and not name.startswith(":"):
            yield name, raw_value.decode("latin-1")
