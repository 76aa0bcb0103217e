"""Keys, tokens and cookies of a request, and how they are cut out of what is copied.

The headers themselves stay where they are, in the flow: that is mitmproxy's business. Ours is that
no copy that we make, of a body, an excerpt or a warning, carries one any further.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import parse_qsl

from mitmproxy import http

from mitmproxy_windsurf.debug.keys import CENSORED, censor

SHORTEST = 6
"""A shorter value is no key, and cutting it out would mangle the text."""

_HEADER = re.compile(
    r"authorization|cookie|key|token|secret|password|credential|signature", re.IGNORECASE
)
_PARAMETER = re.compile(r"key|token|secret|password|sig(?:nature)?", re.IGNORECASE)


def _values(request: http.Request) -> Iterator[str]:
    for raw_name, raw_value in request.headers.fields:
        name, value = raw_name.decode("latin-1"), raw_value.decode("utf-8", "surrogateescape")
        if not _HEADER.search(name):
            continue
        if name.lower() == "cookie":
            yield from (part.partition("=")[2].strip() for part in value.split(";"))
        else:
            yield value.rpartition(" ")[2]  # without "Bearer"
    query = request.path.partition("?")[2]
    yield from (value for name, value in parse_qsl(query) if _PARAMETER.search(name))


class Secrets:
    """What must not be copied of one request."""

    def __init__(self, request: http.Request) -> None:
        found = {value for value in _values(request) if len(value) >= SHORTEST}
        longest_first = sorted(found, key=len, reverse=True)
        self._texts = longest_first
        self._bytes = [value.encode("utf-8", "surrogateescape") for value in longest_first]

    def cut(self, text: str) -> str:
        """A text that is copied, without them and without what has the shape of a key."""
        for value in self._texts:
            text = text.replace(value, CENSORED)
        return censor(text)

    def cut_bytes(self, data: bytes) -> bytes:
        """A body, as it is kept beside the very body that was sent; else it stays what it was."""
        for value in self._bytes:
            data = data.replace(value, CENSORED.encode())
        return data
