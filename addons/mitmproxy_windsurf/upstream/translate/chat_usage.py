"""The tokens of a chat answer, wherever a backend counts them."""

from __future__ import annotations

from typing import Any

from mitmproxy_windsurf.upstream.translate.model import Json, Usage


def usage_of(document: Json) -> Usage | None:
    """The usage that a chunk or a completion tells, if it does."""
    for found in _places(document):
        if isinstance(found, dict) and _count(found, "prompt_tokens", "completion_tokens"):
            return _read(found)
    return None


def _places(document: Json) -> list[Any]:
    choices, groq = document.get("choices"), document.get("x_groq")
    inner = [
        choice.get("usage")  # Kimi
        for choice in (choices if isinstance(choices, list) else ())
        if isinstance(choice, dict)
    ]
    return [document.get("usage"), *inner, groq.get("usage") if isinstance(groq, dict) else None]


def _read(usage: Json) -> Usage:
    prompt, completion = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
    details = usage.get("completion_tokens_details")
    reasoning = _count(details, "reasoning_tokens") or _count(usage, "reasoning_tokens")
    if reasoning and _count(usage, "total_tokens") == prompt + completion + reasoning:
        completion += reasoning  # xAI counts them beside the others
    cached = (
        _count(usage.get("prompt_tokens_details"), "cached_tokens")
        or _count(usage, "cached_tokens")  # Kimi
        or _count(usage, "prompt_cache_hit_tokens")  # DeepSeek
    )
    return Usage(prompt, completion, min(cached, prompt), min(reasoning, completion))


def _count(members: Any, *names: str) -> int:
    """The sum of the numbers of these names."""
    found = (members.get(name) for name in names) if isinstance(members, dict) else ()
    return sum(number for number in found if isinstance(number, int) and number > 0)
