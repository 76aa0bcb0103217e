"""Members of a chat request that clients ask for in words of their own.

The limit of an answer goes as `max_tokens`, the name that local servers know.
"""

from __future__ import annotations

from mitmproxy_windsurf.upstream.translate.model import Json

WISHES = (
    "reasoning_effort",
    "reasoning_content",
    "parallel_tool_calls",
    "top_k",
    "user",
    "stream_options",
)
"""Not every backend takes these: `reasoning_content` stands in messages."""

_BUDGETS = ((4096, "low"), (16384, "medium"))
"""Up to so many tokens of thinking is that effort; more is high."""

_EFFORTS = {"minimal": "low", "xhigh": "high", "max": "high"}
"""Efforts that few others know."""

STREAMED: Json = {"stream": True, "stream_options": {"include_usage": True}}


def effort(named: str) -> Json:
    """How much to think, by name; "none" is not at all."""
    return {"reasoning_effort": _EFFORTS.get(named, named)}


def effort_for(budget: int) -> Json:
    """How much to think, by the tokens that it may take."""
    return effort(next((name for most, name in _BUDGETS if budget <= most), "high"))


def json_format(schema: Json, name: str = "answer", *, strict: bool = True) -> Json:
    """An answer that is JSON of this schema."""
    json_schema = {"name": name, "schema": schema, "strict": strict}
    return {"response_format": {"type": "json_schema", "json_schema": json_schema}}
