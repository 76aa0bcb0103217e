"""Today's layers over recorded exchanges: captured traffic as a regression suite.

A request is compared by its prompts, which is all that layer 1 touches; an answer byte for byte.
"""

from __future__ import annotations

import difflib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from mitmproxy_windsurf.debug.keys import censor
from mitmproxy_windsurf.debug.plain import count, harmless
from mitmproxy_windsurf.debug.recorded import Recorded, Rerun, rerun
from mitmproxy_windsurf.rewriter import Layers
from mitmproxy_windsurf.rewriter.signatures import SignedThinking
from mitmproxy_windsurf.wire import detect

MAX_LINES = 60
"""Lines of one difference that are shown."""

LONGEST_LINE = 400
ONLY_BYTES = "the bytes of the answer differ, its lines do not"

State = Literal["same", "differs", "unknown"]
_MARKS: dict[State, str] = {"same": "=", "differs": "≠", "unknown": "?"}


class Check(NamedTuple):
    """What today's layers would do to one exchange. `lines` show what differs, or why not known."""

    state: State
    title: str
    lines: tuple[str, ...] = ()


def recheck(
    exchange: Recorded, layers: Layers, *, signed_thinking: SignedThinking = "auto"
) -> Check:
    """Rewrite the originals of an exchange again and compare with what was sent."""
    original = exchange.client_request
    if not exchange.protocol:
        return Check("unknown", exchange.title, ("no request of a model",))
    if original is None or exchange.request is None:
        return Check("unknown", exchange.title, ("the client's request was not kept",))
    now = rerun(
        exchange,
        replace(layers, shadow=False),
        request=original,
        response=None if exchange.upstream_response is None else [exchange.upstream_response],
        signed_thinking=signed_thinking,
    )
    lines = [*_prompt_difference(exchange.protocol, exchange.request, now.request)]
    notes = []
    if exchange.response and exchange.upstream_response is None:
        notes.append("the upstream's answer was not kept, only the request is compared")
    elif exchange.response and now.response != exchange.response:
        then, today = _lines(exchange.response), _lines(now.response or b"")
        lines += list(_difference("response", then, today)) or [ONLY_BYTES]
    if lines:
        lines = [*rule_changes(exchange, now), *lines]
    return Check("differs" if lines else "same", exchange.title, (*lines, *notes))


def report(checks: Sequence[Check]) -> str:
    """A line for each exchange, what differs below it, and the sum."""
    lines = []
    for check in checks:
        lines.append(f"{_MARKS[check.state]} {check.title}")
        lines += [f"    {line}".rstrip() for line in check.lines]
    states = Counter(check.state for check in checks)
    lines.append(
        f"{count(len(checks), 'exchange')}: {states['same']:,} as they were sent, "
        f"{states['differs']:,} would differ, {states['unknown']:,} cannot be told"
    )
    return "\n".join(lines)


def prompt_lines(protocol: str, body: bytes) -> list[str]:
    """The prompts of a request, each below its place; the body itself if it cannot be read."""
    try:
        document: Any = json.loads(body)
    except (ValueError, RecursionError):
        return _lines(body)
    lines = []
    for prompt in detect.protocol(protocol).prompts(document) if isinstance(document, dict) else ():
        for text in prompt.texts:
            if text.strip():  # a text that has become empty may be gone as a whole
                lines += [f"[{prompt.place}]", *censor(text).split("\n")]
    return lines


def rule_changes(exchange: Recorded, now: Rerun) -> list[str]:
    """A line for each rule that makes another number of edits now than it did then."""
    then: Counter[str] = Counter()
    for entry in exchange.edits:
        then[f"{entry.get('layer')} {entry.get('rule')}"] += entry.get("count", 0)
    edits = (*now.request_edits, *now.response_edits)
    today = Counter(f"{edit.layer} {edit.rule}" for edit in edits)
    return [
        f"rule {harmless(rule)}: {then[rule]} then, {today[rule]} today"
        for rule in sorted(then.keys() | today.keys())
        if then[rule] != today[rule]
    ]


def _prompt_difference(protocol: str, sent: bytes, now: bytes) -> Iterator[str]:
    return _difference("request", prompt_lines(protocol, sent), prompt_lines(protocol, now))


def _difference(side: str, then: Sequence[str], now: Sequence[str]) -> Iterator[str]:
    found = difflib.unified_diff(then, now, f"{side} as sent", f"{side} today", lineterm="", n=1)
    for number, line in enumerate(found):
        if number == MAX_LINES:
            yield "…"
            return
        yield harmless(line)[:LONGEST_LINE]


def _lines(body: bytes) -> list[str]:
    return censor(body.decode("utf-8", "replace")).splitlines()
