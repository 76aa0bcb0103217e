"""Why an exchange looks as it does: each change and its rule, each rule that nearly matched."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from mitmproxy_windsurf.debug.plain import count, harmless, quoted
from mitmproxy_windsurf.debug.recorded import Recorded
from mitmproxy_windsurf.prompts import RuleSet
from mitmproxy_windsurf.prompts.nearly import nearly
from mitmproxy_windsurf.wire import detect

MAX_MISSES = 50
"""Rules that nearly matched and are told of."""


class Miss(NamedTuple):
    """A rule that nearly matched a text of the request."""

    rule: str
    place: str
    text: str
    reason: str


def explain(exchange: Recorded, *, rules: RuleSet | None = None) -> str:
    """The account of an exchange in words; `rules` are those that might match today."""
    lines = [*_head(exchange)]
    for side in ("request", "response"):
        lines += _side(exchange, side)
    lines += _events(exchange.record)
    lines += _misses(exchange, rules)
    return "\n".join(lines)


def near_misses(protocol: str, body: bytes, rules: RuleSet | None = None) -> Iterator[Miss]:
    """Every place in a request where a rule nearly matched; none in what cannot be read."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return
    if not isinstance(document, dict):
        return
    for prompt in detect.protocol(protocol).prompts(document):
        for text in prompt.texts:
            for miss in nearly(text, target=prompt.target, rules=rules):
                yield Miss(miss.rule, prompt.place, text[miss.start : miss.end], miss.reason)


def _head(exchange: Recorded) -> Iterator[str]:
    record = exchange.record
    facts = [exchange.protocol, record.get("kind"), record.get("model"), record.get("client")]
    yield " · ".join(harmless(str(fact)) for fact in facts if fact) or "no request of a model"
    if not record:
        yield "This exchange did not go through the layers."
        return
    yield f"layers: {', '.join(record.get('layers') or ()) or 'none'}"
    if record.get("switches"):
        yield f"switched for this request: {harmless(record['switches'])}"
    if exchange.shadow:
        yield "Shadow mode: nothing was changed. What follows would have been."


def _side(exchange: Recorded, side: str) -> Iterator[str]:
    entries = [entry for entry in exchange.edits if entry.get("side") == side]
    yield ""
    if not entries:
        yield f"{side}: nothing {'would have been' if exchange.shadow else 'was'} changed"
        return
    total = sum(entry.get("count", 0) for entry in entries)
    verb = "would have been made" if exchange.shadow else "made"
    sizes = exchange.record.get(f"{side}_bytes")
    size = f", {sizes[0]:,} → {sizes[1]:,} bytes" if sizes and not exchange.shadow else ""
    yield f"{side}: {count(total, 'change')} {verb}{size}"
    for entry in entries:
        yield from _entry(entry, shadow=exchange.shadow)
    if side == "response" and (left_out := exchange.record.get("edits_left_out")):
        yield f"  {left_out:,} more were not noted"


def _entry(entry: Mapping[str, Any], *, shadow: bool) -> Iterator[str]:
    layer, rule = entry.get("layer", ""), entry.get("rule", "")
    times = f" ×{entry['count']}" if entry.get("count", 1) > 1 else ""
    verb = "would have changed" if shadow else "changed"
    size = f"{entry.get('bytes_before', 0):,} → {entry.get('bytes_after', 0):,} bytes"
    yield f"  {layer} rule {rule} {verb} {harmless(entry.get('place', ''))}{times}, {size}"
    for member, mark in (("before", "    -"), ("after", "    +")):
        if entry.get(member):
            yield from quoted(entry[member], mark)


def _events(record: Mapping[str, Any]) -> Iterator[str]:
    if dedup := record.get("dedup"):
        would = "would have " if record.get("shadow") else ""
        yield ""
        if dedup.get("dropped"):
            size = count(dedup["dropped"], "character")
            yield f"dedup {would}dropped {size} of a repeated answer"
        if dedup.get("kept"):
            yield "dedup found a repeated answer and kept it: the client needs a visible one"
    if blocked := record.get("blocked"):
        yield f"\nThe upstream refused the request: {harmless(blocked)}"
    if (outcome := record.get("outcome")) not in (None, "complete"):
        yield f"\nThe exchange broke off: {harmless(outcome)}"
    if warnings := record.get("warnings"):
        yield "\nwarnings:"
        yield from (f"  {harmless(line)}" for line in warnings)


def _misses(exchange: Recorded, rules: RuleSet | None) -> Iterable[str]:
    body = exchange.client_request or exchange.request
    if not exchange.protocol or body is None:
        return
    misses = list(near_misses(exchange.protocol, body, rules))
    yield ""
    if not misses:
        yield "No other rule nearly matched."
        return
    yield f"{count(len(misses), 'place')} where a rule nearly matched:"
    for miss in misses[:MAX_MISSES]:
        yield f"  rule {miss.rule} in {harmless(miss.place)}: {miss.reason}"
        yield from quoted(miss.text, "    >")
    if len(misses) > MAX_MISSES:
        yield f"  and {len(misses) - MAX_MISSES:,} more"
