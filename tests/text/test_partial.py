"""Patterns decide as soon as they can, and never earlier."""

from __future__ import annotations

import doctest
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mitmproxy_windsurf.text import partial
from mitmproxy_windsurf.text.partial import (
    UNDECIDED,
    Matcher,
    Pattern,
    ahead,
    alt,
    chars,
    lit,
    one,
    opt,
    repeat,
    seq,
    unless,
)

# A second reading of the same patterns, as slow as it is simple: all ends of all matches.
Ends = Iterator[int]


@dataclass(frozen=True)
class Spec:
    """A pattern and what it means."""

    kind: str
    parts: tuple[Spec, ...] = ()
    text: str = ""
    least: int = 0
    most: int = 0

    @property
    def pattern(self) -> Pattern:
        parts = [part.pattern for part in self.parts]
        match self.kind:
            case "lit":
                return lit(self.text)
            case "chars":
                return chars(self.text, self.least, self.most)
            case "seq":
                return seq(*parts)
            case "alt":
                return alt(*parts)
            case "repeat":
                return repeat(parts[0], self.least, self.most)
        return seq(parts[0], unless(parts[1]))

    @property
    def longest(self) -> int:
        """How many characters can matter."""
        lengths = [part.longest for part in self.parts]
        match self.kind:
            case "lit":
                return len(self.text)
            case "chars":
                return self.most
            case "seq" | "unless":
                return sum(lengths)
            case "repeat":
                return self.most * lengths[0]
        return max(lengths)

    def ends(self, text: str, at: int) -> set[int]:
        match self.kind:
            case "lit":
                return {at + len(self.text)} if text.startswith(self.text, at) else set()
            case "chars":
                run = 0
                while run < self.most and text[at + run : at + run + 1] in tuple(self.text):
                    run += 1
                return {at + n for n in range(self.least, run + 1)}
            case "seq":
                ends = {at}
                for part in self.parts:
                    ends = {end for start in ends for end in part.ends(text, start)}
                return ends
            case "alt":
                return {end for part in self.parts for end in part.ends(text, at)}
            case "repeat":
                reached = [{at}]
                for _ in range(self.most):
                    reached.append({e for s in reached[-1] for e in self.parts[0].ends(text, s)})
                return set().union(*reached[self.least :])
        body, barred = self.parts
        return {end for end in body.ends(text, at) if not barred.ends(text, end)}


AHEAD = 6
"""Every continuation of this length is tried, so no pattern may be longer."""

LITERALS = st.text("ab", min_size=1, max_size=3).map(lambda text: Spec("lit", text=text))
CHARS = st.tuples(st.sampled_from(["a", "b", "ab"]), st.integers(0, 2), st.integers(1, 2)).map(
    lambda t: Spec("chars", text=t[0], least=min(t[1], t[2]), most=max(t[1], t[2], 1))
)
SPECS = st.recursive(
    LITERALS | CHARS,
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3).map(lambda p: Spec("seq", tuple(p)))
        | st.lists(inner, min_size=1, max_size=3).map(lambda p: Spec("alt", tuple(p)))
        | inner.map(lambda p: Spec("repeat", (p,), least=0, most=2))
    ),
    max_leaves=5,
).filter(lambda spec: spec.longest <= AHEAD)
CONTINUATIONS = ["".join(letters) for n in range(AHEAD + 1) for letters in product("ab", repeat=n)]
TEXTS = st.text("ab", max_size=5)


def matches(spec: Spec, text: str) -> bool:
    """Whether `x` followed by the pattern is at the beginning of the text."""
    return text.startswith("x") and bool(spec.ends(text, 1))


@given(SPECS, TEXTS)
def test_a_step_says_what_the_whole_text_will_say(spec: Spec, text: str) -> None:
    matcher = Matcher(seq("x", ahead(spec.pattern)))
    text = "x" + text
    assert (matcher.final(text) == 1) == matches(spec, text)
    futures = {matches(spec, text + more) for more in CONTINUATIONS}
    assert {1: {True}, None: {False}, UNDECIDED: {True, False}}[matcher.step(text)] == futures


@given(SPECS, SPECS, TEXTS)
def test_what_is_barred_is_decided_in_time(body: Spec, barred: Spec, text: str) -> None:
    spec = Spec("unless", (body, barred))
    assume(spec.longest <= AHEAD)
    matcher = Matcher(seq("x", ahead(spec.pattern)))
    text = "x" + text
    assert (matcher.final(text) == 1) == matches(spec, text)
    futures = {matches(spec, text + more) for more in CONTINUATIONS}
    step = matcher.step(text)
    assert step is UNDECIDED or futures == {step == 1}


@pytest.mark.parametrize(
    ("pattern", "text", "step", "final"),
    [
        (lit("ab"), "", UNDECIDED, None),
        (lit("ab"), "a", UNDECIDED, None),
        (lit("ab"), "ab", 2, 2),
        (lit("ab"), "aB", None, None),
        (lit("ab", any_case=True), "aB", 2, 2),
        (lit("ab", any_case=True), "A", UNDECIDED, None),
        (lit("a.b"), "axb", None, None),
        (seq("a", one("bc")), "a", UNDECIDED, None),
        (seq("a", one("bc")), "ac", 2, 2),
        (seq("a", ahead(chars(" ", 1, 2), "b")), "a ", UNDECIDED, None),
        (seq("a", ahead(chars(" ", 1, 2), "b")), "a  b", 1, 1),
        (seq("a", ahead(chars(" ", 1, 2), "b")), "a   ", None, None),
        (seq("a", ahead(opt("b"), "c")), "ab", UNDECIDED, None),
        (seq("a", ahead(opt("b"), "c")), "ac", 1, 1),
        (seq("a", unless("b")), "a", UNDECIDED, 1),
        (seq("a", unless("b")), "ab", None, None),
        (seq("a", unless("b")), "ac", 1, 1),
        (seq("a", unless("b", seq("-", "b"))), "a-", UNDECIDED, 1),
        (seq("a", unless("b", seq("-", "b"))), "a-c", 1, 1),
    ],
)
def test_examples(
    pattern: Pattern, text: str, step: int | partial.Verdict | None, final: int | None
) -> None:
    matcher = Matcher(pattern)
    assert matcher.step(text) == step
    assert matcher.final(text) == final
    assert matcher.step("zz" + text, 2) == (step + 2 if isinstance(step, int) else step)


def test_one_decided_match_is_enough() -> None:
    """What a longer match could still become does not matter: both end at the same place."""
    matcher = Matcher(seq("a", ahead(alt("b", seq("b", "c")))))
    assert matcher.step("ab") == 1


def test_the_examples_in_the_documentation() -> None:
    assert doctest.testmod(partial).failed == 0
