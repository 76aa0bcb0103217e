"""Did the upstream refuse the request for what it says?

A verdict is a short text such as "HTTP 529", or None. Rate limits, timeouts and wrong keys are no
verdicts, since they say nothing about the prompt.
"""

from __future__ import annotations

import re

_POLICY = re.compile(
    rb"permission_denied|polic(?:y|ies)\b|prohibited|disallowed|not (?:allowed|permitted)|blocked"
    rb"|unauthori[sz]ed (?:client|use)|third.party",
    re.IGNORECASE,
)
_KEY = re.compile(
    rb"api[ _-]?key|credential|bearer|authenticat|unauthenticated|token|log ?in|sign ?in",
    re.IGNORECASE,
)
_RATE = re.compile(rb"rate.?limit|quota|too many requests|resource_exhausted", re.IGNORECASE)
_ERROR_EVENT = re.compile(  # also as a line, an element of an array, or bare among events
    rb"(?:^|\n)(?:event: ?error\b"
    rb'|(?:data: ?|\[)?\{\s*"(?:error"\s*:\s*[{"]|type"\s*:\s*"error"))'
)
_DATA = re.compile(rb"(?:^|\n)data:|^\s*\[?\s*\{")


def verdict(status: int, body: bytes, *, streamed: bool = False) -> str | None:
    """What a response says about its request; of a streamed body the beginning is enough."""
    if status == 200:
        return _stream_verdict(body) if streamed else None
    blocked = (
        status in (451, 529)
        or (status in (400, 403) and _POLICY.search(body) and not _RATE.search(body))
        or (status == 401 and not _KEY.search(body))
    )
    return f"HTTP {status}" if blocked else None


def _stream_verdict(body: bytes) -> str | None:
    if (error := _ERROR_EVENT.search(body)) and not _RATE.search(body, error.start()):
        return "HTTP 200 with an error event"
    if not _DATA.search(body) and not error:
        return "HTTP 200 with an empty stream"
    return None
