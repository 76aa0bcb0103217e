"""The shortest answer that a protocol lets a request ask for: a bisection reads none of it.

Sources: the vendors' API references. Anthropic wants `max_tokens` above the budget for thinking and
a budget of 1,024 or more; the Responses API wants 16 tokens or more.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from mitmproxy_windsurf.wire.gemini_members import members
from mitmproxy_windsurf.wire.parts import Json
from mitmproxy_windsurf.wire.splice import Path, Splice, apply, insert_member, locate
from mitmproxy_windsurf.wire.walk import at

LEAST_THINKING = 1024
LEAST_OUTPUT = 16

Limit = tuple[Path, int]


def with_shortest_answer(protocol: str, raw: str) -> str:
    """The request with the smallest limit of tokens; one that is small enough already stays."""
    document = json.loads(raw)
    find = _LIMITS.get(protocol)
    for path, number in find(document) if find else ():
        raw = _with_number(raw, document, path, number)
    return raw


def _anthropic(body: Json) -> Iterator[Limit]:
    budget = at(body, ("thinking", "budget_tokens"))
    if at(body, ("thinking", "type")) == "enabled" and _is_number(budget):
        budget = min(budget, LEAST_THINKING)
        yield ("thinking", "budget_tokens"), budget
        yield ("max_tokens",), budget + 1
    else:
        yield ("max_tokens",), 1


def _openai_chat(body: Json) -> Iterator[Limit]:
    names = ("max_tokens", "max_completion_tokens")
    for name in [name for name in names if body.get(name) is not None] or names[1:]:
        yield (name,), 1


def _gemini(body: Json) -> Iterator[Limit]:
    path: Path = ("request",) if isinstance(body.get("request"), dict) else ()
    name, config = members(at(body, path))["generationconfig"]
    limit, _ = members(config)["maxoutputtokens"]
    yield (*path, name or "generationConfig", limit or "maxOutputTokens"), 1


_LIMITS: dict[str, Callable[[Json], Iterator[Limit]]] = {
    "anthropic": _anthropic,
    "gemini": _gemini,
    "ollama": lambda body: iter([(("options", "num_predict"), 1)]),
    "openai_chat": _openai_chat,
    "openai_completions": lambda body: iter([(("max_tokens",), 1)]),
    "openai_responses": lambda body: iter([(("max_output_tokens",), LEAST_OUTPUT)]),
}


def _with_number(raw: str, document: Json, path: Path, number: int) -> str:
    """The text with a number set, in objects that are made where they are missing."""
    present = at(document, path)
    if _is_number(present) and 0 <= present <= number:
        return raw
    spans = locate(raw, [path])
    deepest = max(spans, key=len)
    value: Any = number
    for step in reversed(path[len(deepest) + 1 :]):
        value = {step: value}
    if deepest == path:
        return apply(raw, [Splice(*spans[path], json.dumps(value))])
    step = path[len(deepest)]
    if not isinstance(at(document, deepest), dict):  # null, where an object may stand
        return apply(raw, [Splice(*spans[deepest], json.dumps({step: value}))])
    return apply(raw, [insert_member(raw, spans[deepest], json.dumps(step), json.dumps(value))])


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
