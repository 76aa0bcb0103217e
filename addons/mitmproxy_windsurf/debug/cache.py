"""Which requests of a conversation are served from the prompt cache, and what breaks it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from mitmproxy_windsurf.debug.plain import count, on_one_line
from mitmproxy_windsurf.debug.prompt_prefix import TURNS, Break, dotted, first_break
from mitmproxy_windsurf.debug.recorded import Recorded

ENDS_MESSAGES: dict[str, tuple[str, ...]] = {"anthropic": ("tool_choice", "thinking")}
"""Members that are no part of the prompt, and yet the messages are cached anew when they change."""

_SESSIONS = (("metadata", "user_id"), ("prompt_cache_key",))
"""What clients tell a conversation by."""


class Turn(NamedTuple):
    """A request of a conversation: its account, the body as it was sent, and that body parsed."""

    exchange: Recorded
    sent: bytes
    body: Mapping[str, Any]


def report(exchanges: Iterable[Recorded]) -> str:
    """Every conversation with its requests, and for each where it leaves the one before."""
    turns = filter(None, map(_parsed, sorted(exchanges, key=lambda exchange: exchange.time)))
    lines: list[str] = []
    pairs = broken = 0
    for number, conversation in enumerate(conversations(turns), 1):
        first = conversation[0]
        model = on_one_line(_model(first) or first.exchange.protocol).strip('"')
        lines.append(f"conversation {number}, {count(len(conversation), 'request')} to {model}")
        lines.append(f"  {first.exchange.title}: begins")
        for before, after in pairwise(conversation):
            reasons = list(_reasons(before, after))
            pairs += 1
            broken += bool(reasons)
            lines.append(f"  {after.exchange.title}: {'breaks' if reasons else 'goes on'}")
            lines += [f"    {line}" for line in reasons]
    if not pairs:
        lines.append("no two requests of one conversation")
    else:
        lines.append(f"{count(pairs, 'continuation')}, {broken:,} of them broken")
    return "\n".join(lines)


def conversations(turns: Iterable[Turn]) -> list[list[Turn]]:
    """Requests that belong together: of one protocol, model and session, with one first message.

    Side requests of an agent have another model, its subagents another first message.
    """
    found: dict[tuple[str, ...], list[Turn]] = {}
    for turn in turns:
        found.setdefault(_identity(turn), []).append(turn)
    return list(found.values())


def _reasons(before: Turn, after: Turn) -> Iterator[str]:
    protocol = after.exchange.protocol
    sent = first_break(protocol, before.sent, after.sent)
    if sent:
        yield f"at {dotted(sent.path)}, byte {sent.byte:,}{_whose(before, after, sent)}"
        yield f"- {sent.before}"
        yield f"+ {sent.after}"
    for name in ENDS_MESSAGES.get(protocol, ()):
        if before.body.get(name) != after.body.get(name):
            yield f"{name} has changed, so that the messages are cached anew"


def _whose(before: Turn, after: Turn, sent: Break) -> str:
    """Whether the client broke it or we did."""
    old, new = before.exchange.client_request, after.exchange.client_request
    if old is None or new is None:
        return ""
    theirs = first_break(after.exchange.protocol, old, new)
    if theirs and theirs.path == sent.path:
        return ", as in the client's own requests"
    return ", but not in the client's own requests: a layer did that"


def _parsed(exchange: Recorded) -> Turn | None:
    sent = exchange.request
    if not sent or not exchange.protocol:
        return None
    try:
        body = json.loads(sent.decode())
    except (ValueError, RecursionError):
        return None
    return Turn(exchange, sent, body) if isinstance(body, dict) else None


def _identity(turn: Turn) -> tuple[str, ...]:
    body = turn.body
    session = next(filter(None, (_member(body, path) for path in _SESSIONS)), "")
    turns = next((body[name] for name in TURNS if isinstance(body.get(name), list)), ())
    first = next((message for message in turns if _is_users(message)), None)
    prompt = list(_texts(first))[-1:]  # before it stand reminders, which change
    return turn.exchange.protocol, _model(turn), str(session), *prompt


def _model(turn: Turn) -> str:
    """The model; of Gemini's API the path that names it."""
    return str(turn.body.get("model") or turn.exchange.path)


def _member(value: Any, path: Sequence[str]) -> Any:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _is_users(message: Any) -> bool:
    return isinstance(message, dict) and message.get("role", "user") == "user"


def _texts(message: Any) -> Iterator[str]:
    content = message.get("content", message.get("parts")) if isinstance(message, dict) else None
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        found = (_member(block, ("text",)) for block in content)
        yield from (text for text in found if isinstance(text, str))
