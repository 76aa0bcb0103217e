"""Requests that are sent and how they were answered: the budget, the memory, the tallies.

Everything here is a generator that yields the bytes to send and is sent the judgement of the
answer, so that there is no input and no output.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from typing import TypeAlias, TypeVar

from mitmproxy_windsurf.debug.bisect.result import NONE, Tally
from mitmproxy_windsurf.debug.verdict import Judgement

T = TypeVar("T")
Steps: TypeAlias = Generator[bytes, Judgement, T]

BASELINE = 5
DOUBT = 0.05
"""How likely it may be that a request passed by luck each time."""

SECOND_THOUGHTS = 2
"""How often a pass is tried again if a gate seems to look for two things at once."""

PATIENCE = 4
"""How often a request is tried that is answered by a rate limit or not at all."""


class Ended(Exception):
    """No further request can be sent; says why."""


class Trials:
    """Of one upstream, with `budget` requests in all."""

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self.sent = 0
        """How many were answered."""
        self.rate = 1.0
        self._reasons: list[str] = []
        self.refused: set[bytes] = set()
        self._passed: dict[bytes, int] = {}
        self._whole = NONE

    @property
    def reason(self) -> str:
        """What refusals look like."""
        return " or ".join(self._reasons)

    @property
    def repeats(self) -> int:
        """How many passes in a row say that a request is not refused."""
        if self.rate == 1:
            return 1
        return math.ceil(math.log(DOUBT) / math.log(1 - self.rate))

    def measure(self, body: bytes) -> Steps[Tally]:
        """How often the whole request is refused, which says what a single pass is worth."""
        refused = 0
        for _ in range(min(BASELINE, self.budget)):
            refused += yield from self._send(body)
        self._whole = Tally(refused, self.sent)
        if 0 < refused < self.sent:
            self._estimate(self._whole)
        return self._whole

    def wavers(self, body: bytes) -> Steps[bool]:
        """Whether what has passed is refused on second thoughts, so that the gate is none that
        always closes, as it seemed to be."""
        for tries in range(1, SECOND_THOUGHTS + 1):
            if (yield from self._send(body)):
                refused, total = self._whole
                self._estimate(Tally(refused + 1, total + tries + 1))
                return True
        return False

    def _estimate(self, tally: Tally) -> None:
        """Laplace's rule of succession."""
        self.rate = (tally.number + 1) / (tally.total + 2)

    def is_refused(self, body: bytes) -> Steps[bool]:
        """One try. What was refused once is known, and what has passed if the gate is steady."""
        if body in self.refused:
            return True
        if self.rate == 1 and body in self._passed:
            return False
        return (yield from self._send(body))

    def passes(self, body: bytes) -> Steps[bool]:
        """As many tries as it takes to know."""
        while self._passed.get(body, 0) < self.repeats:
            if (yield from self.is_refused(body)):
                return False
        return True

    def confirm(self, body: bytes) -> Steps[Tally]:
        """How often a request passes, until it is refused once or the budget ends."""
        passed = 0
        for number in range(1, max(BASELINE, self.repeats) + 1):
            if self.sent == self.budget and passed:
                return Tally(passed, passed)
            if (yield from self._send(body)):
                return Tally(passed, number)
            passed += 1
        return Tally(passed, passed)

    def _send(self, body: bytes) -> Steps[bool]:
        judgement = Judgement("wait", "nothing was sent")
        for _ in range(PATIENCE):
            if self.sent >= self.budget:
                raise Ended(f"the budget of {self.budget} requests is used up")
            judgement = yield body
            self.sent += 1
            if judgement.kind == "stop":
                raise Ended(judgement.reason)
            if judgement.kind != "wait":
                break
        else:
            raise Ended(f"no verdict after {PATIENCE} tries: {judgement.reason}")
        if judgement.kind == "blocked":
            self.refused.add(body)
            if judgement.reason not in self._reasons:
                self._reasons.append(judgement.reason)
            return True
        self._passed[body] = self._passed.get(body, 0) + 1
        return False
