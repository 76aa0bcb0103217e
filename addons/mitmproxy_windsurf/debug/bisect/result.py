"""What came out of a bisection, and how it is told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from mitmproxy_windsurf.debug.bisect.pieces import shown
from mitmproxy_windsurf.debug.bisect.rules import Draft

LISTED = 10
"""Places that are told if the trigger was not found to the end."""

Outcome = Literal["found", "not blocked", "elsewhere", "unfinished"]


class Tally(NamedTuple):
    """So many of so many requests."""

    number: int = 0
    total: int = 0

    def __str__(self) -> str:
        return f"{self.number} of {self.total}"


NONE = Tally()


class Fragment(NamedTuple):
    """Adjacent units; of a tool that is itself the trigger the text is its name."""

    place: str
    text: str
    is_tool: bool = False

    def __str__(self) -> str:
        if self.is_tool:
            return f"the tool {self.text} itself, at {self.place}"
        return f'"{shown(self.text)}" at {self.place}'


class Trigger(NamedTuple):
    """Fragments that block only together; one is the usual case."""

    fragments: tuple[Fragment, ...]
    rules: tuple[Draft, ...] = ()
    no_rule: str = ""


@dataclass(frozen=True)
class Result:
    """`blocked` counts the whole request, `passed` the request without its triggers."""

    outcome: Outcome
    sentence: str
    reason: str = ""
    requests: int = 0
    blocked: Tally = NONE
    passed: Tally = NONE
    triggers: tuple[Trigger, ...] = ()
    left: tuple[Fragment, ...] = ()
    """Where the trigger is, if it was not found to the end."""

    @property
    def proven(self) -> bool:
        """Whether the request passes every time without its triggers."""
        return self.outcome == "found" and self.passed.number == self.passed.total > 0

    @property
    def toml(self) -> str:
        """The rules, to be pasted into a pack; empty if there are none."""
        evidence = f"Blocked in {self.blocked} requests with it ({self.reason})"
        if self.passed.total:
            evidence += f", passed in {self.passed} without it"
        drafts = [draft for trigger in self.triggers for draft in trigger.rules]
        return "\n".join(draft.toml(f"{evidence}.") for draft in drafts)

    def lines(self) -> Iterator[str]:
        """The report without the rules."""
        yield f"{self.sentence} ({self.requests} requests)"
        if self.blocked.number:
            yield f"blocked {self.blocked} as it was ({self.reason})"
        for number, trigger in enumerate(self.triggers, 1):
            which = f" {number} of {len(self.triggers)}" if len(self.triggers) > 1 else ""
            for index, fragment in enumerate(trigger.fragments):
                yield f"{'together with' if index else f'trigger{which}'}: {fragment}"
            if trigger.no_rule:
                yield f"no rule for it: {trigger.no_rule}"
        if self.passed.total:
            without = "with the rule" if self.toml else "without it"
            yield f"passed {self.passed} {without}"
        if self.left:
            yield f"it is somewhere in {len(self.left)} places:"
            yield from (f"  {fragment}" for fragment in self.left[:LISTED])
            if len(self.left) > LISTED:
                yield f"  and {len(self.left) - LISTED:,} more"
