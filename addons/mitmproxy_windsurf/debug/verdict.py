"""What an answer says about its request: is the upstream's refusal about what the request says?

A verdict is a short text such as "HTTP 529", or None. Rate limits, timeouts and wrong keys are no
verdicts, since they say nothing about the prompt. A judgement also says what to make of those.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

_POLICY = re.compile(
    rb"permission_denied|polic(?:y|ies)\b|prohibited|disallowed|not (?:allowed|permitted)|blocked"
    rb"|unauthori[sz]ed (?:client|use)|client is not supported|third.party",
    re.IGNORECASE,
)
_KEY = re.compile(
    rb"api[ _-]?key|credential|bearer|authenticat|unauthenticated|token|log ?in|sign ?in",
    re.IGNORECASE,
)
_ABUSE = re.compile(rb"abus(?:e|ive)\b|violat|polic(?:y|ies)\b|prohibited", re.IGNORECASE)
"""Says more than the type `authentication_error`, which comes with every 401."""

_RATE = re.compile(rb"rate.?limit|quota|too many requests|resource_exhausted", re.IGNORECASE)
_TOO_SHORT = re.compile(rb"max_(?:completion_|output_)?tokens or model output limit was reached")
"""What OpenAI answers with HTTP 400 if a model has used up a small limit by reasoning."""

_ERROR_EVENT = re.compile(  # also as a line, an element of an array, or bare among events
    rb"(?:^|\n)(?:event: ?error\b"
    rb'|(?:data: ?|\[)?\{\s*"(?:error"\s*:\s*[{"]|type"\s*:\s*"error"))'
)
_DATA = re.compile(rb"(?:^|\n)data:(?! ?\[DONE\])|^\s*\[?\s*\{")
_BUSY = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524})


class Judgement(NamedTuple):
    """`wait`: the same request may be answered later; `stop`: no request will be."""

    kind: Literal["blocked", "passed", "wait", "stop"]
    reason: str


def verdict(status: int, body: bytes, *, streamed: bool = False) -> str | None:
    """What a response says about its request; of a streamed body the beginning is enough."""
    if status == 200:
        return _stream_verdict(body) if streamed else None
    blocked = (
        status in (451, 529)
        or (status in (400, 403) and _POLICY.search(body) and not _RATE.search(body))
        or (status == 401 and (_ABUSE.search(body) or not _KEY.search(body)))
    )
    return f"HTTP {status}" if blocked else None


def judge(
    status: int, body: bytes, *, streamed: bool, pattern: re.Pattern[bytes] | None = None
) -> Judgement:
    """What to make of an answer. A `pattern` is looked for in all answers and means a refusal."""
    if pattern and pattern.search(body):
        return Judgement("blocked", f"HTTP {status} with the pattern")
    if blocked := verdict(status, body, streamed=streamed):
        return Judgement("blocked", blocked)
    if status == 200 and streamed and (error := _ERROR_EVENT.search(body)):
        return Judgement("wait", f"HTTP 200 with a rate limit: {_said(body[error.start() :])}")
    if 200 <= status < 300 or _TOO_SHORT.search(body):
        return Judgement("passed", f"HTTP {status}")
    answer = f"HTTP {status}: {_said(body)}"
    if status in _BUSY or _RATE.search(body):
        return Judgement("wait", answer)
    if status in (401, 403):
        return Judgement("stop", f"the upstream refuses the key ({answer})")
    return Judgement(
        "stop", f"this is no refusal that is known, a pattern can make it one ({answer})"
    )


def _said(body: bytes) -> str:
    return " ".join(body[:200].decode("utf-8", "replace").split()) or "nothing more"


def _stream_verdict(body: bytes) -> str | None:
    if (error := _ERROR_EVENT.search(body)) and not _RATE.search(body, error.start()):
        return "HTTP 200 with an error event"
    if not _DATA.search(body) and not error:
        return "HTTP 200 with an empty stream"
    return None
