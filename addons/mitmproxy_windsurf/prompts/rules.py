"""A rule, a pack of rules, and what is wrong with one that cannot be used."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from mitmproxy_windsurf.prompts.kinds import Match

Target: TypeAlias = Literal["system", "tools"]
TARGETS: tuple[Target, ...] = ("system", "tools")

GROUPS = ("cline_objective", "cc_aggressive")
"""Rules for experiments: a group is off until it is switched on as a whole."""


@dataclass(frozen=True, slots=True)
class Example:
    """What a rule makes of a text; one where nothing changes shows what the rule leaves alone."""

    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Rule:
    """What to look for in which texts, why, and what to put there instead."""

    id: str
    summary: str
    targets: tuple[Target, ...]
    matches: tuple[Match, ...]
    default: bool = True
    group: str = ""
    evidence: str = ""
    examples: tuple[Example, ...] = ()


@dataclass(frozen=True, slots=True)
class RulePack:
    """The rules of one file."""

    path: str
    rules: tuple[Rule, ...]


class PackError(ValueError):
    """A file of rules that cannot be used, with a message for each problem."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))
