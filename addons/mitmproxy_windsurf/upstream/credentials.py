"""The key that a client sends, as an OpenAI-compatible backend takes it: a bearer token.

Anthropic's clients send `x-api-key`, Google's `x-goog-api-key` or `?key=`.
"""

from __future__ import annotations

from urllib.parse import parse_qs

from mitmproxy_windsurf.upstream.exchange import Headers, Request

_HEADERS = ("x-api-key", "x-goog-api-key")


def credentials(request: Request, key: str = "") -> Headers:
    """The header that identifies the client to the backend; `key` stands for the client's own."""
    if not key and (given := request.headers.get("authorization")):
        return [("authorization", given)]
    in_query = parse_qs(request.query).get("key", [""])
    candidates = [key, *(request.headers.get(name, "") for name in _HEADERS), *in_query]
    found = next(filter(None, (candidate.strip() for candidate in candidates)), None)
    return [("authorization", f"Bearer {found}")] if found else []
