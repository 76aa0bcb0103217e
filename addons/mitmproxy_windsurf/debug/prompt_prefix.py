"""Where a request stops being the continuation of the one before, as prompt caches see it.

Vendors cache a prompt by its beginning, in an order of their own, which is not that of the JSON: of
Anthropic first the tools, then the system prompt, then the messages. A later request is served from
the cache up to the first difference. `cache_control` only marks places and is no part of the
prompt; a text is the same as an array with one block of text; the order of members counts.

https://platform.claude.com/docs/en/build-with-claude/prompt-caching
https://platform.openai.com/docs/guides/prompt-caching
https://ai.google.dev/gemini-api/docs/caching
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import zip_longest
from typing import Any, NamedTuple

from mitmproxy_windsurf.debug.keys import censor
from mitmproxy_windsurf.debug.plain import on_one_line
from mitmproxy_windsurf.wire.splice import Path, locate

ORDER: dict[str, tuple[str, ...]] = {
    "anthropic": ("model", "tools", "system", "messages"),
    "openai_chat": ("model", "tools", "functions", "response_format", "messages"),
    "openai_responses": ("model", "tools", "text", "instructions", "input"),
    "gemini": ("tools", "systemInstruction", "system_instruction", "contents"),
    "openai_completions": ("model", "prompt"),
    "ollama": ("model", "tools", "system", "messages", "prompt"),
}
"""The members of a request that make its prompt, in the order in which it is cached."""

TURNS = ("messages", "input", "contents")
"""The member that grows from request to request."""

_MARKS = frozenset({"cache_control"})
_TEXTS = ("system", "content")
"""Members that are a text or an array of blocks."""

_CHARACTER = re.compile(
    r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\.|.", re.DOTALL
)  # as it is spelled in a JSON string
_CONTEXT = 20
_EXCERPT = 80
_ABSENT = object()

Difference = tuple[Path, Any, Any]


class Break(NamedTuple):
    """The first difference: where it is in the JSON, at which byte of the later body (the byte of
    what it lies in, if it is something that has gone), and what is there."""

    path: Path
    byte: int
    before: str
    after: str


def first_break(protocol: str, before: bytes, after: bytes) -> Break | None:
    """Where the prompt of `after` leaves that of `before`; None if it only goes on.

    Raises:
        ValueError: one of the bodies is no JSON object.
    """
    old, new = json.loads(before), json.loads(after)
    if not isinstance(old, dict) or not isinstance(new, dict):
        raise ValueError("the body of a request must be an object")
    for member in ORDER.get(protocol, TURNS):
        was, now = (
            _plain(body[member], member) if member in body else _ABSENT for body in (old, new)
        )
        if member in TURNS and isinstance(was, list) and isinstance(now, list):
            now = now[: max(len(was), 1)] if was else was  # what is new at the end goes on
        if found := _difference(was, now, (member,)):
            return _described(*found, after.decode())
    return None


def dotted(path: Path) -> str:
    """Such as "messages[3].content"."""
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return "".join(steps).lstrip(".")


def _plain(value: Any, member: str | int = "") -> Any:
    """The value without marks, and with blocks of text in the place of a text."""
    if isinstance(value, dict):
        return {key: _plain(item, key) for key, item in value.items() if key not in _MARKS}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, str) and member in _TEXTS:
        return [{"type": "text", "text": value}]
    return value


def _difference(old: Any, new: Any, path: Path) -> Difference | None:
    if isinstance(old, dict) and isinstance(new, dict):
        return _difference_of_objects(old, new, path)
    if isinstance(old, list) and isinstance(new, list):
        for index, (was, now) in enumerate(zip_longest(old, new, fillvalue=_ABSENT)):
            if found := _difference(was, now, (*path, index)):
                return found
        return None
    return None if type(old) is type(new) and old == new else (path, old, new)


def _difference_of_objects(
    old: Mapping[str, Any], new: Mapping[str, Any], path: Path
) -> Difference | None:
    nothing = (None, _ABSENT)
    for (key, was), (other, now) in zip_longest(old.items(), new.items(), fillvalue=nothing):
        if key != other:
            gone = _ABSENT if key is None else {key: was}
            come = _ABSENT if other is None else {other: now}
            return (*path, other or key or ""), gone, come
        if found := _difference(was, now, (*path, str(key))):
            return found
    return None


def _described(path: Path, old: Any, new: Any, raw: str) -> Break:
    spans = locate(raw, [path])
    place = next((path[:end] for end in range(len(path), 0, -1) if path[:end] in spans), ())
    index = spans[place].start if place in spans else 0
    if isinstance(old, str) and isinstance(new, str):
        same = _same(old, new)
        if raw[index] == '"':
            index += 1
            for _ in range(same):
                match = _CHARACTER.match(raw, index)
                index = match.end() if match else index
        old, new = censor(old), censor(new)  # before they are cut, maybe in the middle of a key
        start = max(0, _same(old, new) - _CONTEXT)
        old, new = old[start:], new[start:]
    return Break(place or path, len(raw[:index].encode()), _shown(old), _shown(new))


def _same(old: str, new: str) -> int:
    """How many characters two texts have in common at the beginning."""
    pairs = enumerate(zip(old, new, strict=False))
    return next((index for index, (was, now) in pairs if was != now), min(len(old), len(new)))


def _shown(value: Any) -> str:
    if value is _ABSENT:
        return "nothing"
    if isinstance(value, str):
        return on_one_line(value, _EXCERPT)
    return on_one_line(json.dumps(value, ensure_ascii=False), _EXCERPT)
