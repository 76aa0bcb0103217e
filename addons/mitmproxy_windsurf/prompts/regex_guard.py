"""What a user's regular expression may cost, worked out before it ever runs on a prompt.

Python's matcher backtracks: at a choice it tries one way and comes back for the others. The work of
one attempt is bounded here from the pattern alone. A choice that the next character decides costs
nothing; any other multiplies what follows it, and in a repeat it would multiply without end, so
there it is refused. What is left is a number of steps for one attempt within `REGEX_REACH`
characters, and attempts are made only where the pattern's literal beginning stands. As a second
opinion the pattern runs on near misses made from it, short ones first.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import combinations
from time import perf_counter
from typing import Any, TypeAlias

from mitmproxy_windsurf.prompts.kinds import REGEX_REACH

MAX_STEPS = 200_000
MIN_PREFIX = 3
MAX_LENGTH = 500  # which bounds how deep a pattern is nested, too
_MAX_PEEK = 8  # steps of a look-ahead in a repeat
_SLOW = 0.05  # seconds for one attempt: ten times what MAX_STEPS take

Chars: TypeAlias = frozenset[str]
Node: TypeAlias = tuple[
    Any, Any
]  # what the standard library's parser makes: an operation and its operands

_SAMPLES = frozenset(map(chr, range(128))) | frozenset("éß—’\u00a0\u2028你٣")
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
_CATEGORIES: dict[str, Callable[[str], bool]] = {
    "CATEGORY_DIGIT": str.isdecimal,
    "CATEGORY_SPACE": str.isspace,
    "CATEGORY_WORD": lambda char: char.isalnum() or char == "_",
}


class RegexRefused(ValueError):
    """The pattern must not be used; says why, and what to write instead."""


def literal_prefix(pattern: str) -> str:
    """The literal text that every match begins with.

    Raises:
        RegexRefused: the pattern must not be used.
    """
    if len(pattern) > MAX_LENGTH:
        raise RegexRefused(f"has {len(pattern)} characters, {MAX_LENGTH} are allowed")
    nodes = _parse(pattern)
    prefix = _prefix(nodes)
    if len(prefix) < MIN_PREFIX:
        raise RegexRefused(
            f"must begin with {MIN_PREFIX} literal characters or more: these are searched for"
        )
    analysis = _Analysis(_SAMPLES | frozenset(_characters(nodes)))
    steps = analysis.sequence(nodes, _Rest()).steps
    if steps > MAX_STEPS:
        raise RegexRefused(
            f"may take {steps:,} steps for one attempt, {MAX_STEPS:,} are allowed: let what comes "
            r"next decide where a repeat ends ('[^.]*\.', not '.*\.') or bound it ('.{0,40}')"
        )
    _measure(pattern, prefix, [prefix, *_fillers(nodes, analysis)])
    return prefix


@dataclass(frozen=True, slots=True)
class _Rest:
    """The pattern from a point on: how it may begin, what it may cost, if it may be empty."""

    first: Chars = frozenset()
    steps: int = 1
    nullable: bool = True


class _Analysis:
    """Bounds the steps of one attempt, going from the end of the pattern to its beginning."""

    def __init__(self, alphabet: Chars) -> None:
        self._alphabet = alphabet

    def sequence(self, nodes: Iterable[Node], rest: _Rest, *, repeated: bool = False) -> _Rest:
        for op, operand in reversed(list(nodes)):
            rest = self._node(op.name, operand, rest, repeated)
        return rest

    def _node(self, name: str, operand: Any, rest: _Rest, repeated: bool) -> _Rest:
        if name in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
            return _Rest(self._chars(name, operand), 1 + rest.steps, nullable=False)
        if name == "AT":
            return _Rest(rest.first, 1 + rest.steps, rest.nullable)
        if name == "ATOMIC_GROUP":
            return self.sequence(operand, rest, repeated=repeated)
        if name == "SUBPATTERN":
            _, flags, _, nodes = operand
            _refuse_ignored_case(flags)
            return self.sequence(nodes, rest, repeated=repeated)
        if name == "BRANCH":
            ways = [self.sequence(way, rest, repeated=repeated) for way in operand[1]]
            return self._branch(ways, repeated)
        if name in _REPEATS:
            low, high, body = operand
            return self._repeat(low, high, body, rest, repeated)
        if name in ("ASSERT", "ASSERT_NOT"):
            peek = self.sequence(operand[1], _Rest(), repeated=True).steps
            if repeated and peek > _MAX_PEEK:
                raise RegexRefused("looks far ahead in a repeat: move it out of the repeat")
            return _Rest(rest.first, peek + rest.steps, rest.nullable)
        raise RegexRefused("uses a back reference or a condition: write the text out instead")

    def _branch(self, ways: Sequence[_Rest], repeated: bool) -> _Rest:
        first: Chars = frozenset().union(*(way.first for way in ways))
        nullable = any(way.nullable for way in ways)
        if all(a.first.isdisjoint(b.first) for a, b in combinations(ways, 2)):
            return _Rest(first, max(way.steps for way in ways) + len(ways), nullable)
        if repeated:
            raise RegexRefused(
                "has alternatives in a repeat that begin alike: let their first characters differ"
            )
        return _Rest(first, sum(way.steps for way in ways), nullable)

    def _repeat(self, low: int, high: Any, body: Any, rest: _Rest, repeated: bool) -> _Rest:
        times = min(int(high), REGEX_REACH)
        once = self.sequence(body, _Rest())
        if once.nullable:
            raise RegexRefused("repeats what may be empty: let it have at least one character")
        follow = _Rest(once.first | rest.first, 0)
        inner = self.sequence(body, follow, repeated=repeated or times > 1)
        walk = min(times * inner.steps, REGEX_REACH * _MAX_PEEK)
        first = inner.first if low else inner.first | rest.first
        nullable = low == 0 and rest.nullable
        if low == high or once.first.isdisjoint(rest.first):
            return _Rest(first, walk + rest.steps, nullable)
        if repeated:
            raise RegexRefused(
                "has a repeat in a repeat, and the next character does not decide where it ends: "
                "end it with something that it cannot match"
            )
        return _Rest(first, walk + (times - low + 1) * rest.steps, nullable)

    def _chars(self, name: str, operand: Any) -> Chars:
        """The characters of the alphabet that a set matches."""
        if name == "ANY":
            return self._alphabet
        if name == "LITERAL":
            return frozenset(chr(operand))
        if name == "NOT_LITERAL":
            return self._alphabet - {chr(operand)}
        chosen = frozenset(
            char
            for char in self._alphabet
            if any(_matches(op.name, value, char) for op, value in operand)
        )
        return self._alphabet - chosen if operand[0][0].name == "NEGATE" else chosen


def _parse(pattern: str) -> list[Node]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            flags = re.compile(pattern).flags
            nodes = list(import_module("re._parser").parse(pattern))
    except (re.error, OverflowError) as error:
        raise RegexRefused(f"is no regular expression: {error}") from error
    _refuse_ignored_case(flags)
    return nodes


def _refuse_ignored_case(flags: int) -> None:
    if flags & re.IGNORECASE:
        raise RegexRefused("must not ignore case: write both letters, as in '[Aa]gent'")


def _prefix(nodes: Iterable[Node]) -> str:
    prefix = ""
    for op, operand in nodes:
        if op.name == "LITERAL":
            prefix += chr(operand)
        elif op.name != "AT" or prefix:
            break
    return prefix


def _characters(value: Any) -> Iterator[str]:
    """Every character that the pattern names, ends of ranges included."""
    if isinstance(value, tuple) and len(value) == 2 and hasattr(value[0], "name"):
        op, operand = value
        if op.name in ("LITERAL", "NOT_LITERAL"):
            yield chr(operand)
        elif op.name == "RANGE":
            yield from map(chr, operand)
        else:
            yield from _characters(operand)
    elif not isinstance(value, (int, str)) and hasattr(value, "__iter__"):
        for item in value:
            yield from _characters(item)


def _matches(item: str, value: Any, char: str) -> bool:
    if item == "LITERAL":
        return ord(char) == int(value)
    if item == "RANGE":
        return int(value[0]) <= ord(char) <= int(value[1])
    if item == "CATEGORY":
        name = str(value.name)
        return _CATEGORIES[name.replace("NOT_", "")](char) != ("NOT_" in name)
    return False


def _fillers(nodes: Iterable[Node], analysis: _Analysis) -> Iterator[str]:
    """What keeps the pattern's repeats busy."""
    for op, operand in nodes:
        if op.name in _REPEATS:
            first = analysis.sequence(operand[2], _Rest()).first
            yield from sorted(first)[:1] + sorted(first & frozenset("a 0"))


def _measure(pattern: str, prefix: str, fillers: Iterable[str]) -> None:
    compiled = re.compile(pattern)
    for filler in fillers:
        size = 8
        while size <= REGEX_REACH:
            text = prefix + (filler * size)[:size] + "\0"
            if min(_seconds(compiled, text) for _ in range(2)) > _SLOW:
                raise RegexRefused(
                    f"is slow on a near miss of {len(text)} characters: make it simpler"
                )
            size = size + 4 if size < 32 else size * 2


def _seconds(compiled: re.Pattern[str], text: str) -> float:
    start = perf_counter()
    compiled.match(text)
    return perf_counter() - start
