"""Which patterns of users are accepted, and that none that is accepted can take long."""

import re
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.prompts.regex_guard import MAX_STEPS, RegexRefused, literal_prefix

ACCEPTED = {
    "You are Foo": "You are Foo",
    r"\bFoo [a-z]+ bar": "Foo ",
    r"Foo(?:bar|Baz)? [^.]*\.": "Foo",
    r"Foo.*?bar": "Foo",
    r"(?s)Foo.*bar": "Foo",
    r"Foo \d{1,4}(?:\.\d+)*": "Foo ",
    r"Foo\s+bar\s+[^\s]+\.": "Foo",
    r"Foo.{0,40} in .{0,40} mode": "Foo",
    r"Foo(?=bar)\w+": "Foo",
    r"You(?: are|'re) Foo": "You",
    r"(?x)Foo \s bar  # comment": "Foo",
    r"Foo[[a]b": "Foo",
}
REFUSED = {
    "no regular expression": r"Foo(",
    "no literal beginning": r".*Foo",
    "a short literal beginning": r"F\w+",
    "ignored case": r"(?i)Foo bar",
    "ignored case in a group": r"Foo(?i:bar)",
    "a repeat in a repeat": r"Foo(a+)+$",
    "a repeat of words": r"Foo(\w+\s?)*$",
    "alternatives alike": r"Foo(a|a)*$",
    "alternatives that begin alike": r"Foo(a|aa)+$",
    "two open repeats": r"Foo.*.*x",
    "three open repeats": r"Foo.*x.*y.*z",
    "repeats that run into another": r"Foox+x+y",
    "an open repeat before a repeat": r"Foo.*a+b",
    "many options": "Foo" + "a?" * 30 + "a" * 30,
    "many bounded repeats": r"Foo(?:.{0,99}a){9}",
    "nothing repeated": r"Foo(?:a?)*b",
    "a back reference": r"Foo(a+)\1",
    "a condition": r"Foo(a)?(?(1)b|c)",
    "a long look ahead in a repeat": r"Foo(?:a(?=.*x))*b",
    "a long one": "Foo" + "a" * 500,
}


@pytest.mark.parametrize(("pattern", "prefix"), ACCEPTED.items())
def test_accepted(pattern: str, prefix: str) -> None:
    assert literal_prefix(pattern) == prefix


@pytest.mark.parametrize("pattern", REFUSED.values(), ids=REFUSED.keys())
def test_refused(pattern: str) -> None:
    with pytest.raises(RegexRefused):
        literal_prefix(pattern)


def test_a_repeat_is_refused_with_the_cure() -> None:
    with pytest.raises(RegexRefused, match=re.escape(r"'[^.]*\.', not '.*\.'")):
        literal_prefix(r"Foo.*x.*y")


@pytest.fixture(scope="module")
def deep_recursion() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(10_000)
    yield
    sys.setrecursionlimit(before)


ATOMS = st.sampled_from(["a", "b", "ab", ".", r"\w", r"\s", "[ab]", "[^a]", "x", " "])
PATTERNS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.tuples(inner, inner).map(lambda pair: f"(?:{pair[0]}|{pair[1]})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "*?", "{2}", "{0,9}", "{1,200}"])).map(
            lambda pair: f"(?:{pair[0]}){pair[1]}"
        ),
    ),
    max_leaves=6,
)


@pytest.mark.usefixtures("deep_recursion")
@given(PATTERNS, st.text("ab x", min_size=1, max_size=6), st.text("ab x.", max_size=4))
def test_an_attempt_takes_no_more_steps_than_allowed(pattern: str, unit: str, tail: str) -> None:
    pattern = f"Foo{pattern}!"
    try:
        prefix = literal_prefix(pattern)
    except RegexRefused:
        return
    text = prefix + (unit * LONG)[:LONG] + tail
    assert steps_of(pattern, text, limit=MAX_STEPS) <= MAX_STEPS


@pytest.mark.usefixtures("deep_recursion")
def test_the_count_of_steps_finds_an_explosion() -> None:
    assert steps_of(r"Foo(?:a+)+!", "Foo" + "a" * LONG, limit=MAX_STEPS) > MAX_STEPS


LONG = 80
"""Enough for what explodes to take more steps than there are atoms."""


def steps_of(pattern: str, text: str, *, limit: int) -> int:
    """How often a backtracking matcher compares a character, up to the limit."""
    steps = 0

    def match(nodes: list[Any], pos: int, then: Callable[[int], bool]) -> bool:
        if not nodes:
            return then(pos)
        (op, operand), rest = nodes[0], nodes[1:]
        if op.name == "SUBPATTERN":
            return match([*operand[-1], *rest], pos, then)
        if op.name == "BRANCH":
            return any(match([*way, *rest], pos, then) for way in operand[1])
        if op.name in ("MAX_REPEAT", "MIN_REPEAT"):
            return repeat(op.name, operand, pos, lambda pos: match(rest, pos, then), 0)
        nonlocal steps
        steps += 1
        if steps > limit:
            return True
        atom = re.compile("".join(map(source, [(op, operand)])), re.DOTALL)
        return bool(atom.match(text, pos, pos + 1)) and match(rest, pos + 1, then)

    def repeat(name: str, operand: Any, pos: int, then: Callable[[int], bool], done: int) -> bool:
        low, high, body = operand

        def again(after: int) -> bool:
            return after > pos and repeat(name, operand, after, then, done + 1)

        def more() -> bool:
            return done < high and match(list(body), pos, again)

        if done < low:
            return more()
        return then(pos) or more() if name == "MIN_REPEAT" else more() or then(pos)

    match(list(import_module("re._parser").parse(pattern)), 0, lambda pos: True)
    return steps


def source(node: Any) -> str:
    """An atom as it would be written."""
    op, operand = node
    if op.name == "LITERAL":
        return re.escape(chr(operand))
    if op.name == "NOT_LITERAL":
        return f"[^{chr(operand)}]"
    if op.name == "IN":
        return f"[{''.join(map(source, operand))}]"
    return {"ANY": "[^\n]", "NEGATE": "^", "CATEGORY": CLASSES.get(str(operand), "")}[op.name]


CLASSES = {"CATEGORY_WORD": r"\w", "CATEGORY_SPACE": r"\s", "CATEGORY_DIGIT": r"\d"}
