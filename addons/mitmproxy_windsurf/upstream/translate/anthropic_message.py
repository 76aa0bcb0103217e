"""The members of an Anthropic message, and of what stands in for one when it fails."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import UTC, datetime

from mitmproxy_windsurf.upstream.translate.answer import CallPart, Choice, Part, ThinkingPart
from mitmproxy_windsurf.upstream.translate.model import (
    Failure,
    Finished,
    FinishReason,
    Json,
    Started,
    Usage,
)

STOP_REASONS: dict[FinishReason, str] = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_calls": "tool_use",
    "content_filter": "refusal",
}

UNSIGNED = "0" * 32
"""The signature of thinking that nobody signed, in the form of those that vLLM makes up. With none,
Qwen Code 0.24 gives up on a turn that calls tools."""

ERRORS = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    422: "invalid_request_error",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}
"""https://platform.claude.com/docs/en/api/errors; anything else is an `api_error`."""


def head(started: Started, model: str) -> Json:
    """A message before its content. It goes by the client's name for the model."""
    id = started.id or secrets.token_hex(12)
    return {
        "id": id if id.startswith("msg_") else f"msg_{id}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage_members(None),
    }


def opening(part: Part) -> Json:
    """A content block without its content, and thinking without its signature."""
    match part:
        case ThinkingPart():
            return {"type": "thinking", "thinking": "", "signature": ""}
        case CallPart(id=id, name=name):
            return {"type": "tool_use", "id": id, "name": name, "input": {}}
        case _:
            return {"type": "text", "text": ""}


def block(part: Part) -> Json:
    """A content block."""
    match part:
        case ThinkingPart(text):
            return opening(part) | {"thinking": text, "signature": UNSIGNED}
        case CallPart():
            return opening(part) | {"input": part.input}
        case _:
            return opening(part) | {"text": part.text}


def ending(finished: Finished | None, *, refused: bool, stops: Sequence[str]) -> Json:
    """Why a message ended; a backend's own stop sequences are an end like any other."""
    reason = STOP_REASONS[finished.reason if finished else "stop"]
    stop = finished.stop if finished and finished.stop in stops else None
    if refused:
        reason = "refusal"
    elif reason == "end_turn" and stop is not None:
        return {"stop_reason": "stop_sequence", "stop_sequence": stop}
    return {"stop_reason": reason, "stop_sequence": None}


def usage_members(usage: Usage | None) -> Json:
    """Anthropic counts what came from the cache beside the input, not in it."""
    usage = usage or Usage()
    members: Json = {
        "input_tokens": usage.prompt - usage.cached,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": usage.cached,
        "output_tokens": usage.completion,
    }
    if usage.reasoning:
        members["output_tokens_details"] = {"thinking_tokens": usage.reasoning}
    return members


def whole(started: Started, model: str, choice: Choice, usage: Usage | None, end: Json) -> Json:
    """A message in one piece."""
    content = [block(part) for part in choice.parts]
    return head(started, model) | {"content": content, **end, "usage": usage_members(usage)}


def error(failure: Failure) -> Json:
    """An error, over HTTP or in a stream."""
    known = failure.kind in ERRORS.values()
    kind = failure.kind if known else ERRORS.get(failure.status, "api_error")
    return {"type": "error", "error": {"type": kind, "message": failure.message}}


def model(described: Json) -> Json:
    """A model, out of OpenAI's description of it."""
    id, created = str(described.get("id", "")), described.get("created")
    seconds = created if isinstance(created, int) and 0 <= created < 1 << 32 else 0
    when = datetime.fromtimestamp(seconds, UTC)
    return {
        "type": "model",
        "id": id,
        "display_name": id,
        "created_at": when.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "lifecycle": "active",
    }
