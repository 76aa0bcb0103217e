"""What runs and what it has done so far, as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path

from mitmproxy_windsurf.debug.counters import Counters, Histogram
from mitmproxy_windsurf.debug.plain import count, harmless
from mitmproxy_windsurf.prompts import Rule, RuleSet
from mitmproxy_windsurf.prompts.loader import SHIPPED
from mitmproxy_windsurf.rewriter import Layers


def status(
    layers: Layers, counters: Counters, *, on: Iterable[str], upstream: str, listening: str
) -> str:
    """Layers (`on` are the names of those that run), rules, upstream, and the counters."""
    rules = layers.rules or RuleSet()
    active = sum(map(rules.is_on, rules.rules))
    lines = [
        f"clients: {listening}",
        f"upstream: {upstream}",
        f"layers: {', '.join(on) or 'none'}",
        *(["shadow mode: nothing is changed, the edits are what would have been"] * layers.shadow),
        f"rules: {active} of {len(rules.rules)} on",
        *(f"  {harmless(problem)}" for problem in rules.problems),
        "since the start:",
        *(f"  {line}" for line in _counts(counters, shadow=layers.shadow)),
    ]
    return "\n".join(lines)


def rule_list(rules: RuleSet, counters: Counters) -> str:
    """Every rule on a line: id, on or off, hits since the start, source file, what it is for."""
    hits = _hits(counters)
    width = max((len(rule.id) for rule in rules.rules), default=0)
    return "\n".join(_rule(rules, rule, hits, width) for rule in rules.rules) or "no rules"


def _rule(rules: RuleSet, rule: Rule, hits: Mapping[str, int], width: int) -> str:
    state = "on " if rules.is_on(rule) else "off"
    found = count(hits.get(rule.id, 0), "hit")
    return (
        f"{rule.id:{width}}  {state}  {found:>8}  {_source(rules.source(rule.id))}  {rule.summary}"
    )


def _source(path: str) -> str:
    """The file of a rule; of a shipped one the name says it all."""
    return Path(path).name if Path(path).parent == SHIPPED else path


def _hits(counters: Counters) -> dict[str, int]:
    return {
        rule: number
        for (layer, rule), number in counters.series("edits").items()
        if layer == "neutralize"
    }


def _counts(counters: Counters, *, shadow: bool) -> Iterator[str]:
    for name in ("requests", "streams"):
        yield f"{name}: {counters.total(name):,}{_by_first(counters.series(name))}"
    edits = "edits that would have been made" if shadow else "edits made"
    yield f"{edits}: {counters.total('edits'):,}{_by_first(counters.series('edits'))}"
    dropped = _by_first(counters.series("dropped_characters"))
    yield f"characters held for a while: {counters.total('held_characters'):,}"
    yield f"characters dropped: {counters.total('dropped_characters'):,}{dropped}"
    blocked = _by_first(counters.series("blocked"))
    yield f"refused by the upstream: {counters.total('blocked'):,}{blocked}"
    errors = {key: number for key, number in counters.series("layer_errors").items() if number}
    yield f"failures inside layers: {sum(errors.values()):,}{_by_first(errors)}"
    yield f"added to each piece of a stream: {_latency(counters.latency)}"


def _by_first(series: Mapping[tuple[str, ...], int]) -> str:
    """Such as " (anthropic 8 complete, 1 blocked; openai_chat 3 complete)"."""
    parts = []
    for first, group in groupby(sorted(series.items()), key=lambda item: item[0][0]):
        shown = [f"{number:,} {' '.join(labels[1:])}".rstrip() for labels, number in group]
        parts.append(f"{first} {', '.join(shown)}")
    return f" ({harmless('; '.join(parts))})" if parts else ""


def _latency(histogram: Histogram) -> str:
    if not histogram.count:
        return "nothing was streamed yet"
    shown = []
    for name, share in (("half", 0.5), ("99 %", 0.99)):
        bound = histogram.quantile(share)
        shown.append(f"{name} within {_seconds(bound)}" if bound else f"{name} above the scale")
    return f"{', '.join(shown)} ({count(histogram.count, 'piece')})"


def _seconds(value: float) -> str:
    return f"{value * 1000:g} ms" if value >= 1e-3 else f"{value * 1e6:g} µs"
