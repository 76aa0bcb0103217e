"""The bisection: which request to send next, and what the answers come to.

    bisection = Bisection("anthropic", body)
    while (request := bisection.request) is not None:
        log(bisection.tell(judge(*send(request))))
    print(bisection.result)

A request that keeps only its first units is refused from some unit on. That unit is needed; what
else is needed stands before it and is searched in the same way while it is kept. So a trigger of
one fragment in n units costs about log2(n) requests, one of two twice as many. If the request is
still refused without what was found, there is another trigger in the rest of it.

This is delta debugging (Zeller and Hildebrandt 2002) with the search of binary reduction (Kalhauge
and Palsberg 2019) in the place of ddmin's, which would take many more requests.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence

from mitmproxy_windsurf.debug.bisect.findings import Findings
from mitmproxy_windsurf.debug.bisect.limits import with_shortest_answer
from mitmproxy_windsurf.debug.bisect.result import NONE, Fragment, Outcome, Result, Tally, Trigger
from mitmproxy_windsurf.debug.bisect.search import Search, evenly, nearby
from mitmproxy_windsurf.debug.bisect.trials import Ended, Steps, Trials
from mitmproxy_windsurf.debug.bisect.units import Unit, units_of, without
from mitmproxy_windsurf.debug.bisect.variants import Variants
from mitmproxy_windsurf.debug.keys import censor
from mitmproxy_windsurf.debug.verdict import Judgement
from mitmproxy_windsurf.wire.detect import shape

REQUESTS = 60
NOTHING_MORE = 0.5
"""How likely it is at first that nothing else is needed beside a unit that was found."""

BARE = 0.02
"""How likely it is that the bare request is refused, after it has passed once by luck."""


class Bisection:
    """One request of a protocol; `secrets` cuts keys out of what is reported.

    Raises:
        ValueError: the body is no JSON object, or has no prompts and no tools.
        KeyError: no such protocol.
    """

    def __init__(
        self,
        protocol: str,
        body: bytes,
        *,
        requests: int = REQUESTS,
        secrets: Callable[[str], str] = censor,
    ) -> None:
        document = json.loads(body)
        if not isinstance(document, dict):
            raise ValueError("the body is no JSON object")
        protocol = shape(protocol, document)
        raw = with_shortest_answer(protocol, body.decode())
        self._units = units_of(protocol, json.loads(raw))
        if not self._units:
            raise ValueError("the request has no system prompt and no tools to be searched")
        self._trials = Trials(requests)
        self._variants = Variants(raw, self._units)
        self._findings = Findings(protocol, raw, self._units, secrets)
        self._secrets = secrets
        self._candidates: Sequence[Unit] = self._units
        self._triggers: list[list[Unit]] = []
        self._blocked = NONE
        self.result: Result | None = None
        self.request: bytes | None = None
        """What to send next; None at the end."""
        self._steps = self._run()
        self._advance(None)

    def tell(self, judgement: Judgement) -> str:
        """How the request was answered; returns a line about what is left to be searched."""
        self._advance(judgement)
        number, left = self._trials.sent, len(self._candidates)
        return (
            f"request {number} of at most {self._trials.budget}: {judgement.kind} "
            f"({self._secrets(judgement.reason)}); {left:,} of {len(self._units):,} fragments left"
        )

    def stop(self, reason: str) -> Result:
        """End it; the result is what is known by now."""
        self._steps.close()
        self.request = None
        self.result = self.result or self._unfinished(reason)
        return self.result

    def _advance(self, judgement: Judgement | None) -> None:
        try:
            self.request = self._steps.send(judgement) if judgement else next(self._steps)
        except StopIteration as end:
            self.request, self.result = None, end.value

    def _run(self) -> Steps[Result]:
        try:
            return (yield from self._find())
        except Ended as ended:
            return self._unfinished(str(ended))

    def _find(self) -> Steps[Result]:
        self._blocked = yield from self._trials.measure(self._bytes(self._units))
        if not self._blocked.number:
            return self._result("not blocked", f"Not blocked: passed {self._blocked.total} times")
        if (yield from self._trials.is_refused(self._bytes(()))):
            return self._elsewhere()
        rest = list(self._units)
        while trigger := (yield from self._trigger(rest)):
            self._triggers.append(trigger)
            self._candidates = [unit for found in self._triggers for unit in found]
            triggers, passed = yield from self._try_rules()
            if passed.number == passed.total:
                return self._found(triggers, passed)
            rest = without(rest, trigger)
            if (yield from self._trials.passes(self._bytes(rest))):
                triggers, passed = yield from self._try_rules(thorough=True)
                return self._found(triggers, passed)
        return self._found(triggers, passed) if self._triggers else self._elsewhere()

    def _trigger(self, units: list[Unit]) -> Steps[list[Unit]]:
        """Of units that are refused together, as few as are still refused; none if the request is
        refused without any."""
        trials = self._trials
        bare = BARE if trials.rate < 1 else 0.0
        place = yield from self._place(units, (), evenly(len(units), bare))
        needed: list[Unit] = []
        while place:
            needed.append(units[place - 1])
            units = units[: place - 1]
            place = yield from self._place(units, needed, nearby(len(units), NOTHING_MORE))
            if len(needed) == 1 and trials.rate == 1 and 0 < place < len(units):
                # Two things at once that are no neighbors: or has something passed by luck?
                if (yield from trials.wavers(self._bytes(needed))):
                    return needed
                if (yield from trials.wavers(self._bytes(units))):
                    return (yield from self._trigger(units))
        for unit in list(needed) if len(needed) > 1 else ():
            others = [other for other in needed if other is not unit]
            if not (yield from self._trials.passes(self._bytes(others))):
                needed = others
        return needed

    def _place(
        self, units: Sequence[Unit], needed: Sequence[Unit], weights: Sequence[float]
    ) -> Steps[int]:
        """How many of the units it takes to be refused, beside those that are needed."""
        search = Search(weights, self._trials.rate)
        while (found := search.found) is None:
            cut = search.next_cut()
            likely = search.likely if cut or not needed else ()
            self._candidates = [*needed, *(units[place - 1] for place in likely if place)]
            refused = yield from self._trials.is_refused(self._bytes([*needed, *units[:cut]]))
            search.tell(cut, refused)
        return found

    def _try_rules(self, *, thorough: bool = False) -> Steps[tuple[list[Trigger], Tally]]:
        triggers = self._findings.triggers(self._triggers, self._trials.reason, thorough=thorough)
        body = self._findings.cured(self._triggers, triggers)
        return triggers, (yield from self._trials.confirm(body))

    def _bytes(self, units: Iterable[Unit]) -> bytes:
        return self._variants.keeping(frozenset(units))

    def _found(self, triggers: Sequence[Trigger], passed: Tally) -> Result:
        many = len(triggers) > 1
        sentence = (
            f"Found {len(triggers)} triggers, each of which blocks alone" if many else "Found"
        )
        if passed.number < passed.total:
            sentence += ", but the request is blocked all the same without it"
        return self._result("found", sentence, triggers=tuple(triggers), passed=passed)

    def _elsewhere(self) -> Result:
        return self._result(
            "elsewhere",
            "Blocked even without any system prompt, description and tool: the trigger is "
            "somewhere else, in the conversation, the headers or the key, or everything is refused",
        )

    def _unfinished(self, reason: str) -> Result:
        triggers = self._findings.triggers(self._triggers, self._trials.reason)
        left = self._findings.fragments(self._candidates) if self._blocked.number else ()
        sentence = f"Ended before everything was found: {self._secrets(reason)}"
        return self._result(
            "unfinished", sentence, triggers=tuple(triggers), left=() if triggers else tuple(left)
        )

    def _result(
        self,
        outcome: Outcome,
        sentence: str,
        *,
        triggers: tuple[Trigger, ...] = (),
        left: tuple[Fragment, ...] = (),
        passed: Tally = NONE,
    ) -> Result:
        return Result(
            outcome,
            sentence,
            self._trials.reason,
            self._trials.sent,
            self._blocked,
            passed,
            triggers,
            left,
        )
