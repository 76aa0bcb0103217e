"""Units that were found, made into fragments and rules, and the request as these rules make it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from mitmproxy_windsurf.debug.bisect.result import Fragment, Trigger
from mitmproxy_windsurf.debug.bisect.rules import NO_RULE, Cut, Draft, draft_rule
from mitmproxy_windsurf.debug.bisect.tools import declared_tools
from mitmproxy_windsurf.debug.bisect.units import Unit, place_of, without
from mitmproxy_windsurf.debug.bisect.variants import Variants
from mitmproxy_windsurf.prompts import RuleSet
from mitmproxy_windsurf.rewriter import Layers, RequestRewriter
from mitmproxy_windsurf.wire.walk import at

NO_RULE_FOR_A_TOOL = (
    "names and schemas of tools are never changed; switch the tool off in the client"
)


class Findings:
    """Of one request and its units."""

    def __init__(self, protocol: str, raw: str, units: Sequence[Unit], secrets: Cut) -> None:
        self._protocol = protocol
        self._body = json.loads(raw)
        self._variants = Variants(raw, units)
        self._order = {unit: number for number, unit in enumerate(units)}
        self._names = {tool.path: tool.name for tool in declared_tools(self._body)}
        self._secrets = secrets

    def fragments(self, units: Iterable[Unit]) -> list[Fragment]:
        """The units, those that touch in a paragraph as one."""
        return [self._fragment(unit) for unit in self._joined(units)]

    def triggers(
        self, found: Iterable[Sequence[Unit]], reason: str, *, thorough: bool = False
    ) -> list[Trigger]:
        """Triggers with rules: one rule for each, if that can be, for it takes all of a trigger to
        be refused; `thorough` for every fragment."""
        triggers = []
        taken: list[str] = []
        for units in found:
            joined = list(self._joined(units))
            drafts = [draft for unit in joined if (draft := self._draft(unit, reason, taken))]
            drafts = drafts if thorough else drafts[:1]
            taken += [draft.pack().rules[0].id for draft in drafts]
            why = "" if drafts else self._why_no_rule(joined)
            fragments = tuple(map(self._fragment, joined))
            triggers.append(Trigger(fragments, tuple(drafts), why))
        return triggers

    def cured(self, found: Iterable[Sequence[Unit]], triggers: Iterable[Trigger]) -> bytes:
        """The request as the rules make it, and without the triggers that have no rule."""
        packs = []
        gone: list[Unit] = []
        for pieces, trigger in zip(found, triggers, strict=True):
            packs += [draft.pack() for draft in trigger.rules]
            gone += () if trigger.rules else pieces
        body = self._variants.keeping(frozenset(without(self._order, gone)))
        layers = Layers(rules=RuleSet.of(packs))
        return RequestRewriter(self._protocol, layers).rewrite(body)

    def _fragment(self, unit: Unit) -> Fragment:
        if unit.target is None:
            text = self._names[unit.path]
        else:
            text = at(self._body, unit.path)[unit.start : unit.end].strip()
        place = self._secrets(place_of(self._body, unit.path))
        return Fragment(place, self._secrets(text), is_tool=unit.target is None)

    def _joined(self, units: Iterable[Unit]) -> Iterator[Unit]:
        """In the order of the request."""
        last: Unit | None = None
        for unit in sorted(units, key=self._order.__getitem__):
            if last and self._goes_on(last, unit):
                last = Unit(last.path, last.target, last.start, unit.end, last.tool)
                continue
            if last:
                yield last
            last = unit
        if last:
            yield last

    def _goes_on(self, last: Unit, unit: Unit) -> bool:
        if unit.target is None or last.path != unit.path or last.end != unit.start:
            return False
        before: str = at(self._body, unit.path)[last.start : last.end]
        return before[len(before.rstrip()) :].count("\n") < 2

    def _draft(self, unit: Unit, reason: str, taken: Iterable[str]) -> Draft | None:
        if unit.target is None:
            return None
        return draft_rule(
            at(self._body, unit.path),
            unit.start,
            unit.end,
            unit.target,
            reason=reason,
            taken=taken,
            cut=self._secrets,
        )

    def _why_no_rule(self, units: Sequence[Unit]) -> str:
        return NO_RULE_FOR_A_TOOL if units[0].target is None else NO_RULE
