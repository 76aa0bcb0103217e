"""Server-sent events as this handler writes them."""

from __future__ import annotations

from mitmproxy_windsurf.upstream.exchange import json_bytes

CONTENT_TYPE = "text/event-stream; charset=utf-8"


def sse(data: object, event: str | None = None) -> bytes:
    """One event; `data` is any JSON value."""
    name = b"" if event is None else b"event: %s\n" % event.encode()
    return b"%sdata: %s\n\n" % (name, json_bytes(data))
