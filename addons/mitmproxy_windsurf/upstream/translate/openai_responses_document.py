"""A response as one document, but for the items of its output."""

from __future__ import annotations

import secrets
from typing import Any

from mitmproxy_windsurf.upstream.translate.model import (
    Failure,
    Finished,
    FinishReason,
    Json,
    Started,
    Usage,
)

_ECHOED: Json = {
    "instructions": None,
    "max_output_tokens": None,
    "max_tool_calls": None,
    "metadata": {},
    "model": "",
    "parallel_tool_calls": True,
    "prompt_cache_key": None,
    "safety_identifier": None,
    "temperature": 1.0,
    "tool_choice": "auto",
    "tools": [],
    "top_logprobs": 0,
    "top_p": 1.0,
    "truncation": "disabled",
    "user": None,
}
"""Members of a request that come back with the response, as OpenAI fills them in."""

_INCOMPLETE: dict[FinishReason, str] = {
    "length": "max_output_tokens",
    "content_filter": "content_filter",
}
_RATE_LIMITED = 429


def head(started: Started, body: Json) -> Json:
    """A response before its output. Nothing is stored, whatever the client has asked for."""
    id = started.id or secrets.token_hex(12)
    echoed = {
        name: usual if body.get(name) is None else body[name] for name, usual in _ECHOED.items()
    }
    return {
        "id": id if id.startswith("resp_") else f"resp_{id}",
        "object": "response",
        "created_at": started.created,
        "status": "in_progress",
        "background": False,
        "error": None,
        "incomplete_details": None,
        "output": [],
        "previous_response_id": None,
        "service_tier": "default",
        "store": False,
        **echoed,
        "reasoning": {"effort": None, "summary": None} | _members(body.get("reasoning")),
        "text": {"format": {"type": "text"}} | _members(body.get("text")),
        "usage": None,
    }


def ending(finished: Finished | None, usage: Usage | None) -> Json:
    """What a response has once it has ended: `completed` or `incomplete`."""
    reason = _INCOMPLETE.get(finished.reason) if finished else None
    details = {"incomplete_details": {"reason": reason}} if reason else {}
    status = "incomplete" if reason else "completed"
    return {"status": status, **details, "usage": usage_members(usage)}


def failed(failure: Failure) -> Json:
    """What a response has that has failed."""
    limited = failure.status == _RATE_LIMITED
    code = failure.code or ("rate_limit_exceeded" if limited else "server_error")
    return {"status": "failed", "error": {"code": code, "message": failure.message}}


def usage_members(usage: Usage | None) -> Json:
    """Tokens; clients want them even where the backend does not count."""
    usage = usage or Usage()
    return {
        "input_tokens": usage.prompt,
        "input_tokens_details": {"cached_tokens": usage.cached, "cache_write_tokens": 0},
        "output_tokens": usage.completion,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning},
        "total_tokens": usage.prompt + usage.completion,
    }


def _members(value: Any) -> Json:
    return value if isinstance(value, dict) else {}
