"""An Anthropic request as a chat request: https://platform.claude.com/docs/en/api/messages

`cache_control` is dropped without a word: what it does, these servers do unasked.
"""

from __future__ import annotations

from typing import Any

from mitmproxy_windsurf.upstream.translate.anthropic_tools import tool_choice, tools_of
from mitmproxy_windsurf.upstream.translate.anthropic_turns import messages
from mitmproxy_windsurf.upstream.translate.chat_members import (
    STREAMED,
    WISHES,
    effort,
    effort_for,
    json_format,
)
from mitmproxy_windsurf.upstream.translate.checks import array, record, text
from mitmproxy_windsurf.upstream.translate.model import ChatRequest, Json, Refused

_SAME = {
    "max_tokens": "max_tokens",
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
}
_READ = {
    *_SAME,
    *("model", "messages", "system", "tools", "tool_choice", "stream", "stop_sequences"),
    *("thinking", "output_config", "output_format", "metadata", "cache_control"),
}
_REFUSED = {
    "mcp_servers": "the backend cannot reach MCP servers; let the client run their tools",
    "container": "the backend has no containers",
}


def chat_request(body: Json) -> ChatRequest:
    """What to ask the backend.

    Raises:
        Refused: what is asked for cannot be said in chat, or has the wrong shape.
    """
    for name, reason in _REFUSED.items():
        if body.get(name):
            raise Refused(name, reason)
    stream = body.get("stream") is True
    chat: Json = {"model": text(body, "model", ""), "messages": messages(body)}
    tools = tools_of(body)
    if tools.functions:
        chat |= {"tools": list(tools.functions.values()), **tool_choice(body, tools)}
    chat |= {name: body[own] for own, name in _SAME.items() if body.get(own) is not None}
    if stops := array(body.get("stop_sequences"), "stop_sequences"):
        chat["stop"] = stops
    chat |= _reasoning(body) | _format(body) | _user(body)
    if stream:
        chat |= STREAMED
    unread = (name for name in body if name not in _READ and name not in _REFUSED)
    ignored = (*unread, *tools.hosted.values())
    return ChatRequest(chat, stream=stream, ignored=ignored, wishes=WISHES)


def _reasoning(body: Json) -> Json:
    """How much to think. An explicit effort counts more than a budget; with neither the backend
    does as it likes."""
    thinking = record(body.get("thinking"), "thinking")
    named = record(body.get("output_config"), "output_config").get("effort")
    budget = thinking.get("budget_tokens")
    if thinking.get("type") == "disabled":
        return effort("none")
    if isinstance(named, str):
        return effort(named)
    if thinking.get("type") == "enabled" and isinstance(budget, int):
        return effort_for(budget)
    return {}


def _format(body: Json) -> Json:
    config = record(body.get("output_config"), "output_config")
    asked, place = config.get("format"), "output_config.format"
    if asked is None:
        asked, place = body.get("output_format"), "output_format"
    if asked is None:
        return {}
    asked = record(asked, place)
    if asked.get("type") != "json_schema":
        raise Refused(f"{place}.type", "only json_schema is known")
    return json_format(record(asked.get("schema"), f"{place}.schema"))


def _user(body: Json) -> Json:
    user: Any = record(body.get("metadata"), "metadata").get("user_id")
    return {"user": user} if isinstance(user, str) else {}
