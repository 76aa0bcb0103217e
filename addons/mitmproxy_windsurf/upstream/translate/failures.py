"""What a backend says when it fails: over HTTP, or in the middle of a stream.

Shapes as OpenAI documents them and as vLLM, SGLang, llama.cpp, Ollama, OpenRouter, Groq, GPUStack
and FastAPI servers send them.
"""

from __future__ import annotations

import json
from typing import Any

from mitmproxy_windsurf.upstream.translate.model import Failure, Json

BAD_GATEWAY = 502
_EXCERPT = 500
_STATUSES = ("status_code", "code", "status")
_MESSAGES = ("message", "detail", "msg", "error")
_DEPTH = 4


def failure_of(status: int, body: bytes) -> Failure:
    """An answer over HTTP that is none; a status that is no error becomes 502."""
    status = status if 400 <= status <= 599 else BAD_GATEWAY
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        text = " ".join(body.decode("utf-8", "replace").split())
        document = text[:_EXCERPT] or f"the backend answered {status} and gave no reason"
    return _failure(document, status, fixed=True)


def failure_in(document: Any) -> Failure:
    """An error within an answer; its status is what the error says, or 502."""
    return _failure(document, BAD_GATEWAY, fixed=False)


def failure_told(body: bytes) -> Failure | None:
    """The error that an answer over HTTP with a status of success holds in place of choices."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict) or document.get("choices") or not document.get("error"):
        return None
    return failure_in(document)


def broken(message: str) -> Failure:
    """What the backend did is no answer."""
    return Failure(BAD_GATEWAY, message, kind="api_error")


def _failure(document: Any, status: int, *, fixed: bool) -> Failure:
    outer = document if isinstance(document, dict) else {}
    error = outer.get("error") or document
    members = error if isinstance(error, dict) else {}
    if not fixed:
        status = _status(members) or _status(outer) or status
    code = members.get("code")
    return Failure(
        status,
        _message(error) or _message(outer) or f"the backend failed with {json.dumps(document)}",
        kind=_text(members.get("type")) or "",
        code=str(code) if isinstance(code, str | int) else None,
        place=_text(members.get("param")),
    )


def _status(members: Json) -> int | None:
    found = (members.get(name) for name in _STATUSES)
    return next((code for code in found if isinstance(code, int) and 400 <= code <= 599), None)


def _message(error: Any, depth: int = _DEPTH) -> str | None:
    if isinstance(error, str):
        return error.strip() or None
    if not depth:
        return None
    if isinstance(error, list):  # FastAPI: one entry for each field
        return "; ".join(filter(None, (_message(item, depth - 1) for item in error))) or None
    if not isinstance(error, dict):
        return None
    inner = (_message(error.get(name), depth - 1) for name in _MESSAGES)
    found = next(filter(None, inner), None)
    place = error.get("loc")
    if found and isinstance(place, list):
        return f"{'.'.join(map(str, place))}: {found}"
    metadata = error.get("metadata")
    raw = _text(metadata.get("raw")) if isinstance(metadata, dict) else None
    return f"{found}: {raw}" if found and raw else found  # OpenRouter: what the provider said


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
