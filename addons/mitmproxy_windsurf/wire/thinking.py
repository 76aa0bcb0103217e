"""Did a request ask to see the model's thinking?

Each protocol says it in its own ways, vendors in more. An explicit "off" wins over every hint;
with no hint at all the answer is no.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mitmproxy_windsurf.wire.gemini_members import members

_OFF_EFFORTS = ("none", "minimal", "off")
_SWITCHES = ("enable_thinking", "include_reasoning", "think", "thinking")


def wants_thinking(protocol: str, body: dict[str, Any]) -> bool:
    """Whether a request of this protocol asks for visible thinking; `body` is its parsed JSON."""
    hints = list(_HINTS.get(protocol, _chat)(body))
    return bool(hints) and all(hints)


def _anthropic(body: dict[str, Any]) -> Iterable[bool]:
    thinking = body.get("thinking")
    if isinstance(thinking, dict):
        yield thinking.get("type") in ("enabled", "adaptive")
        if thinking.get("display") == "omitted":
            yield False


def _gemini(body: dict[str, Any]) -> Iterable[bool]:
    inner = members(body)["request"].value  # Code Assist
    generation = members(inner or body)["generationconfig"].value
    thinking = members(members(generation)["thinkingconfig"].value)
    if "includethoughts" in thinking:
        yield thinking["includethoughts"].value is True


def _responses(body: dict[str, Any]) -> Iterable[bool]:
    reasoning = body.get("reasoning")
    if isinstance(reasoning, dict):
        effort = reasoning.get("effort")
        if effort == "none":
            yield False
        summary = reasoning.get("summary") or reasoning.get("generate_summary")
        yield bool(summary) or bool(effort)


def _ollama(body: dict[str, Any]) -> Iterable[bool]:
    if "think" in body:
        yield _is_on(body["think"])


def _chat(body: dict[str, Any]) -> Iterable[bool]:
    thinking = body.get("thinking")
    if isinstance(thinking, dict):
        yield thinking.get("type") in ("enabled", "adaptive")
        if thinking.get("display") == "omitted":
            yield False
    if body.get("reasoning_effort") is not None:
        yield _is_on(body["reasoning_effort"])
    reasoning = body.get("reasoning")
    if isinstance(reasoning, dict):
        yield from _reasoning_object(reasoning)
    kwargs = body.get("chat_template_kwargs")
    for source in (body, kwargs if isinstance(kwargs, dict) else {}):
        for name in _SWITCHES:
            if isinstance(source.get(name), bool):
                yield source[name]
    if isinstance(body.get("reasoning_format"), str):  # Groq, llama.cpp
        yield body["reasoning_format"] not in ("hidden", "none")
    if isinstance(body.get("thinking_budget"), int):
        yield body["thinking_budget"] != 0
    venice = body.get("venice_parameters")
    if isinstance(venice, dict) and venice.get("disable_thinking") is True:
        yield False


def _reasoning_object(reasoning: dict[str, Any]) -> Iterable[bool]:
    """OpenRouter's and SGLang's `reasoning`."""
    if reasoning.get("exclude") is True:
        yield False
    if isinstance(reasoning.get("enabled"), bool):
        yield reasoning["enabled"]
    if reasoning.get("effort") is not None:
        yield _is_on(reasoning["effort"])
    if isinstance(reasoning.get("max_tokens"), int):
        yield reasoning["max_tokens"] > 0
    if reasoning.get("summary"):
        yield True


def _is_on(value: Any) -> bool:
    return value is True or (isinstance(value, str) and value.lower() not in _OFF_EFFORTS)


_HINTS = {
    "anthropic": _anthropic,
    "gemini": _gemini,
    "openai_responses": _responses,
    "ollama": _ollama,
    "openai_chat": _chat,
}
