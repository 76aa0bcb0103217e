"""Which rules apply: the shipped packs, the user's files, switches, and what changes on disk."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from mitmproxy_windsurf.prompts.kinds import Match
from mitmproxy_windsurf.prompts.loader import load_pack, load_packs
from mitmproxy_windsurf.prompts.memory import Memory
from mitmproxy_windsurf.prompts.rules import GROUPS, PackError, Rule, RulePack, Target


class Entry(NamedTuple):
    """One thing to look for, and the rule it belongs to."""

    rule: str
    match: Match


class Program:
    """What to look for in the texts of a target, and what was found in the latest of them."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.entries = tuple(entries)
        self.memory: Memory[tuple[Any, ...]] = Memory()


class _File:
    """A user's file: its last good version, and what was wrong when it was last read."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).expanduser()
        self.pack = RulePack(str(self.path), ())
        self.problems: tuple[str, ...] = ()
        self._stamp: tuple[int, int] | str | None = "never read"

    def refresh(self) -> bool:
        """Read the file again if it is another one than before; True if it was read."""
        stamp = self._stat()
        if stamp == self._stamp:
            return False
        self._stamp = stamp
        try:
            self.pack, self.problems = load_pack(self.path), ()
        except PackError as error:
            kept = "; its last good rules stay in use" if self.pack.rules else ""
            self.problems = tuple(problem + kept for problem in error.problems)
        return True

    def _stat(self) -> tuple[int, int] | None:
        try:
            stat = self.path.stat()
        except OSError:
            return None
        return stat.st_mtime_ns, stat.st_size


class RuleSet:
    """The rules in use. Nothing is read before somebody asks.

    A user's rule replaces a shipped one of the same id, and one of an earlier file. `disabled` and
    `enabled` are ids and beat a rule's default; rules of a group are on if `groups` names it.
    """

    def __init__(
        self,
        paths: Iterable[str | Path] = (),
        *,
        disabled: Iterable[str] = (),
        enabled: Iterable[str] = (),
        groups: Iterable[str] = (),
    ) -> None:
        self._files = [_File(path) for path in paths]
        self._disabled = frozenset(disabled)
        self._enabled = frozenset(enabled)
        self._groups = frozenset(groups)
        if unknown := self._groups - set(GROUPS):
            raise ValueError(f"no such group of rules: {', '.join(sorted(unknown))}")
        self._rules: dict[str, tuple[Rule, str]] | None = None
        self._programs: dict[Target, Program] = {}
        self._reported: list[str] | None = None

    @classmethod
    def of(cls, packs: Iterable[RulePack]) -> RuleSet:
        """The rules of these packs and no others, which come from no file."""
        rules = cls()
        rules._rules = {rule.id: (rule, pack.path) for pack in packs for rule in pack.rules}
        return rules

    def refresh(self) -> list[str]:
        """Take up what changed on disk; cheap enough for every request.

        Returns what is wrong and was not said before.
        """
        if [file for file in self._files if file.refresh()]:
            self._rules = None
            self._programs.clear()
        elif self._reported is not None:
            return []
        problems = self.problems
        new = [problem for problem in problems if problem not in (self._reported or ())]
        self._reported = problems
        return new

    @property
    def problems(self) -> list[str]:
        """All that is wrong now, said before or not."""
        unknown = sorted((self._disabled | self._enabled) - self._known().keys())
        return [
            *_shipped()[1],
            *(problem for file in self._files for problem in file.problems),
            *(f"no rule is called {name!r}" for name in unknown),
        ]

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Every rule, in use or not."""
        return tuple(rule for rule, _ in self._known().values())

    def source(self, rule_id: str) -> str:
        """The file that a rule comes from."""
        return self._known()[rule_id][1]

    def is_on(self, rule: Rule) -> bool:
        if rule.id in self._disabled:
            return False
        if rule.id in self._enabled:
            return True
        return rule.group in self._groups if rule.group else rule.default

    def switched(self, *, on: Iterable[str] = (), off: Iterable[str] = ()) -> RuleSet:
        """These rules with some switched otherwise; the set reads its files for itself."""
        on, off = frozenset(on), frozenset(off)
        return RuleSet(
            [file.path for file in self._files],
            disabled=(self._disabled - on) | off,
            enabled=(self._enabled - off) | on,
            groups=self._groups,
        )

    def program(self, target: Target) -> Program:
        """The rules that are on for a target."""
        if target not in self._programs:
            self._programs[target] = Program(
                Entry(rule.id, match)
                for rule in self.rules
                if target in rule.targets and self.is_on(rule)
                for match in rule.matches
            )
        return self._programs[target]

    def _known(self) -> dict[str, tuple[Rule, str]]:
        if self._rules is None:
            for file in self._files:
                file.refresh()
            packs = (*_shipped()[0], *(file.pack for file in self._files))
            self._rules = {rule.id: (rule, pack.path) for pack in packs for rule in pack.rules}
        return self._rules


@cache
def shipped() -> RuleSet:
    """The shipped rules as they are switched by default."""
    return RuleSet()


@cache
def _shipped() -> tuple[tuple[RulePack, ...], tuple[str, ...]]:
    """The shipped packs, or why there are none."""
    try:
        return load_packs(), ()
    except PackError as error:
        return (), error.problems
