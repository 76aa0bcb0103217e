"""What Gemini's answers are made of, whole and streamed, and its errors and models."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mitmproxy_windsurf.upstream.translate.answer import CallPart, Part, ThinkingPart
from mitmproxy_windsurf.upstream.translate.model import (
    Failure,
    FinishReason,
    Json,
    Usage,
)

FINISH_REASONS: dict[FinishReason, str] = {
    "stop": "STOP",
    "length": "MAX_TOKENS",
    "tool_calls": "STOP",
    "content_filter": "SAFETY",
}
_STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    409: "ABORTED",
    413: "INVALID_ARGUMENT",
    422: "INVALID_ARGUMENT",
    429: "RESOURCE_EXHAUSTED",
    499: "CANCELLED",
    501: "UNIMPLEMENTED",
    502: "UNAVAILABLE",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
    529: "UNAVAILABLE",
}
"""https://cloud.google.com/apis/design/errors; anything else is INTERNAL."""

_METHODS = ("generateContent", "streamGenerateContent", "countTokens")


def part_of(part: Part) -> Json:
    """A part of a content. Arguments that are no object go under a name that says so."""
    match part:
        case CallPart():
            return {"functionCall": {"id": part.id, "name": part.name, "args": part.input}}
        case ThinkingPart(text):
            return {"text": text, "thought": True}
        case _:
            return {"text": part.text}


def candidate(index: int, parts: Sequence[Json], reason: FinishReason | None = None) -> Json:
    """One of the answers, or more of it."""
    found: Json = {"content": {"parts": [*parts], "role": "model"}}
    if reason is not None:
        found["finishReason"] = FINISH_REASONS[reason]
    return found | {"index": index}


def response(candidates: Sequence[Json], usage: Usage | None, model: str, id: str) -> Json:
    """An answer, or one piece of it."""
    found: Json = {"candidates": [*candidates]}
    return found | _about(usage, model, id)


def blocked(usage: Usage | None, model: str, id: str) -> Json:
    """An answer of which there is nothing, since a filter has held it back."""
    return {"promptFeedback": {"blockReason": "SAFETY"}} | _about(usage, model, id)


def is_blocked(reasons: Iterable[FinishReason], *, said: bool) -> bool:
    """Whether a filter left nothing of an answer that ended so."""
    return not said and {*reasons} == {"content_filter"}


def error(failure: Failure) -> Json:
    """An error, over HTTP or in a stream."""
    status = _STATUSES.get(failure.status, "INTERNAL")
    return {"error": {"code": failure.status, "message": failure.message, "status": status}}


def model(described: Json) -> Json:
    """A model, out of OpenAI's description of it."""
    id = str(described.get("id", ""))
    return {
        "name": f"models/{id}",
        "version": "001",
        "displayName": id,
        "supportedGenerationMethods": [*_METHODS],
    }


def _about(usage: Usage | None, model: str, id: str) -> Json:
    members = {"usageMetadata": _usage(usage)} if usage else {}
    return members | {"modelVersion": model, "responseId": id}


def _usage(usage: Usage) -> Json:
    """Gemini counts thoughts beside the answer, not in it."""
    members: Json = {
        "promptTokenCount": usage.prompt,
        "candidatesTokenCount": usage.completion - usage.reasoning,
        "totalTokenCount": usage.prompt + usage.completion,
    }
    if usage.cached:
        members["cachedContentTokenCount"] = usage.cached
    if usage.reasoning:
        members["thoughtsTokenCount"] = usage.reasoning
    return members
