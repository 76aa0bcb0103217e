"""Rewrites what a text says of its speaker, in prose only, while the text streams.

At each place where a name may begin, the text before it tells which rules apply. From there on
characters are held only while the outcomes differ: what they have in common goes out. Code is a
barrier: what is held before it is decided by the text that there is.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, Literal

from mitmproxy_windsurf.text.edits import Edit
from mitmproxy_windsurf.text.identity_leads import Claim, Persona, aside_at, claims_at
from mitmproxy_windsurf.text.identity_rules import ANY_START, ASIDE, MAKER, NAME_START
from mitmproxy_windsurf.text.identity_words import CLOSERS
from mitmproxy_windsurf.text.partial import UNDECIDED, Verdict
from mitmproxy_windsurf.text.prose import ProseTracker

LOOK_BACK: Final = 640
"""Characters of the past that decide what applies."""
_FRESH: Final = 64
"""Pieces of text that may wait to be looked at."""

_Claims = tuple[Claim, ...]
_NONE: Final[_Claims] = ()


class ProseRewriter:
    """Rewrites from a place where the text turned out to be prose; `before` came before that."""

    def __init__(
        self, persona: Persona, note: Callable[[Edit], None], before: str = "", position: int = 0
    ) -> None:
        self.next = None
        self._note = note
        self._persona = persona
        self._tracker = ProseTracker()
        self._fresh = [before]
        self._past = "\n"
        """The text up to what is pending, without `_fresh`; as if a line had ended before it."""
        self._position = position - len(before)
        self._pending = ""
        """What is undecided."""
        self._claims = _NONE
        """What may become of the beginning of `_pending`."""
        self._sent = 0
        """How many characters of `_pending` are out, since they stay whatever comes."""
        self._after_maker = False
        """Whether a maker was just rewritten, so that an aside may follow."""
        self._quiet = True
        """Whether text without `ANY_START` stays as it is."""

    @property
    def held(self) -> str:
        return self._pending[self._sent :]

    def feed(self, text: str, /) -> str:
        if self._quiet and ANY_START(text) is None:
            fresh = self._fresh
            fresh.append(text)
            if len(fresh) > _FRESH:
                self._look_at_fresh()
            return text
        return self._work(text)

    def flush(self) -> str:
        self._look_at_fresh()
        out = self._scan(self._pending, ended=True)[self._sent :]
        self._sent = 0
        return out

    def release(self) -> str:
        held, self._pending, self._claims, self._sent = self.held, "", _NONE, 0
        return held

    def _look_at_fresh(self) -> None:
        text = "".join(self._fresh)
        self._fresh.clear()
        self._tracker.split(text)
        self._remember(text)

    def _remember(self, text: str) -> None:
        self._past = (self._past + text[-LOOK_BACK:])[-LOOK_BACK:]
        self._position += len(text)

    def _before(self, text: str, at: int) -> str:
        """The past of a place in `text`, which follows `_past`."""
        if at >= LOOK_BACK:
            return text[at - LOOK_BACK : at]
        return (self._past + text[:at])[-LOOK_BACK:]

    def _work(self, text: str) -> str:
        if self._fresh:
            self._look_at_fresh()
        decided = "".join(
            self._scan(self._pending + stretch) if is_prose else self._code(stretch)
            for is_prose, stretch in self._tracker.split(text)
        )
        common = self._common(0, self._claims) if self._pending else ""
        out = (decided + common)[self._sent :]
        self._sent = len(common)
        self._quiet = not (self._pending or self._after_maker or self._tracker.in_code)
        return out

    def _code(self, text: str) -> str:
        before = ""
        if self._pending or self._after_maker:
            before = self._scan(self._pending, ended=True)
        self._remember(_MASKED.sub("`", text))
        return before + text

    def _scan(self, text: str, *, ended: bool = False) -> str:
        """Decide what can be decided of `text`, which begins with what was pending."""
        out: list[str] = []
        at = done = 0
        claims = self._claims
        while True:
            if not claims:
                at, claims = self._next(text, at)
                if not claims:
                    at = len(text)
                    break
            decision = _decide(claims, text, at, ended)
            if decision is UNDECIDED:
                break
            if decision is None:
                at += claims[0].rule is not ASIDE
            else:
                claim, end = decision
                self._log(claim, text[at:end], at)
                out += text[done:at], claim.replacement
                at = done = end
                self._after_maker = claim.rule in (MAKER, ASIDE)
            claims = _NONE
        out.append(text[done:at])
        self._remember(text[:at])
        self._pending, self._claims = text[at:], claims
        self._after_maker &= not ended
        return "".join(out)

    def _next(self, text: str, at: int) -> tuple[int, _Claims]:
        """The next place from `at` where something applies."""
        if self._after_maker:
            at = _after_closers(text, at)
            if at == len(text):
                return at, _NONE
            self._after_maker = False
            if claims := aside_at(self._before(text, at), self._persona):
                return at, claims
        while start := NAME_START(text, at):
            at = start.start()
            if claims := claims_at(self._before(text, at), self._persona):
                return at, claims
            at += 1
        return at, _NONE

    def _common(self, at: int, claims: _Claims = _NONE) -> str:
        """What all that can become of `_pending` from `at` on begins with."""
        text = self._pending
        start = at
        if at == len(text):
            return ""
        if not claims:
            at, claims = self._next(text, at)
            if not claims:
                return text[start:]
        outcomes = []
        for claim in claims:
            end = claim.rule.matcher.step(text, at)
            if end is None:
                continue
            if end is UNDECIDED and claim.replacement[:1] not in ("", text[at]):
                return text[start:at]
            eaten = claim.rule.end_of_eaten(text, at)
            rest = "" if eaten is None else self._common_after(claim, eaten)
            outcomes.append(claim.replacement + rest)
            if end is not UNDECIDED:
                break
        else:
            outcomes.append(text[at] + self._common(at + 1))
        return text[start:at] + _beginning(outcomes)

    def _common_after(self, claim: Claim, at: int) -> str:
        if claim.rule is not MAKER:
            return self._common(at)
        end = _after_closers(self._pending, at)
        asides = aside_at(self._before(self._pending, end), self._persona)
        return self._pending[at:end] + self._common(end, asides)

    def _log(self, claim: Claim, before: str, at: int) -> None:
        if before != claim.replacement:
            self._note(
                Edit(
                    claim.rule.id,
                    before,
                    claim.replacement,
                    layer="identity",
                    start=self._position + at,
                )
            )


_MASKED: Final = re.compile(r"[^\n]")
"""Code is remembered as something that is there, not as words."""


def _decide(
    claims: _Claims, text: str, at: int, ended: bool
) -> tuple[Claim, int] | Literal[Verdict.UNDECIDED] | None:
    """The claim that wins and the end of what it replaces; None if there is none."""
    for claim in claims:
        matcher = claim.rule.matcher
        end = matcher.final(text, at) if ended else matcher.step(text, at)
        if end is UNDECIDED:
            return UNDECIDED
        if end is not None:
            return claim, end
    return None


def _after_closers(text: str, at: int) -> int:
    while at < len(text) and text[at] in CLOSERS:
        at += 1
    return at


def _beginning(texts: list[str]) -> str:
    """What all texts begin with."""
    low, high = min(texts), max(texts)
    return next((low[:i] for i, char in enumerate(low) if char != high[i]), low)
