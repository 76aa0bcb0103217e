"""How an exchange ended, in one of the words of `debug.counters.OUTCOMES`."""

from __future__ import annotations

import re

from mitmproxy import http

_CLIENT_LEFT = re.compile(r"client disconnected|stream reset by client \(CANCEL", re.IGNORECASE)
"""mitmproxy's words; it says of an upstream too that it was "reset by client", with other codes."""


def outcome(response: http.Response | None, error: str | None, blocked: str | None) -> str:
    """`error` is what mitmproxy says of an exchange that has no end, `blocked` a verdict."""
    if error or response is None:
        return "disconnected" if error and _CLIENT_LEFT.search(error) else "broken"
    if blocked:
        return "blocked"
    return "failed" if response.status_code >= 400 else "complete"
