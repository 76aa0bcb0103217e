"""Which framing an answer has: told by its type, and where that says little by its first byte."""

from __future__ import annotations

from collections.abc import Callable

from mitmproxy_windsurf.wire.framing import Framer
from mitmproxy_windsurf.wire.json_array import JSONArrayFramer
from mitmproxy_windsurf.wire.ndjson import NDJSONFramer
from mitmproxy_windsurf.wire.sse import SSEFramer

_LINES = (
    "application/x-ndjson",
    "application/ndjson",
    "application/jsonl",
    "application/jsonlines",
)
_EVENTS = "text/event-stream"


def framer_of(protocol: str, content_type: str, first: bytes) -> Callable[..., Framer] | None:
    """What cuts an answer that begins with the byte `first`; None if it is one document.

    Servers that send no type, or the wrong one, are told by what they send.
    """
    kind = content_type.partition(";")[0].strip().lower()
    if kind in _LINES:
        return NDJSONFramer
    if first == b"[" and protocol == "gemini" and kind != _EVENTS:
        return JSONArrayFramer
    if first == b"{" and protocol == "ollama" and not kind:
        return NDJSONFramer
    if first in (b"{", b"[") and not (kind == _EVENTS and protocol == "gemini"):
        return None
    return SSEFramer
