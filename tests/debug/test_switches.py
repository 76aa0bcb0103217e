"""Layers and rules switched by a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.debug.switches import SWITCHES, Switches, parse
from mitmproxy_windsurf.rewriter import Layers

RULES = ("a1", "a3", "cline-objective")

layers = st.lists(
    st.tuples(st.sampled_from(SWITCHES), st.booleans()), unique_by=lambda pair: pair[0]
)
rules = st.lists(st.tuples(st.sampled_from(RULES), st.booleans()), unique_by=lambda pair: pair[0])


@given(layers, rules)
def test_the_text_says_all(layers: list[tuple[str, bool]], rules: list[tuple[str, bool]]) -> None:
    switches = Switches(tuple(layers), tuple(rules))
    assert parse(str(switches), RULES) == switches


@given(layers)
def test_only_what_is_named_is_switched(layers: list[tuple[str, bool]]) -> None:
    before = Layers(dedup=False)
    after = Switches(tuple(layers)).applied(before)
    for name in SWITCHES:
        assert getattr(after, name) == dict(layers).get(name, getattr(before, name))


def test_rules_are_switched_in_a_set_of_their_own() -> None:
    before = Layers()
    after = parse("-a1,+cline-objective").applied(before)
    assert before.rules is None
    assert after.rules
    states = {rule.id: after.rules.is_on(rule) for rule in after.rules.rules}
    assert (states["a1"], states["a3"], states["cline-objective"]) == (False, True, True)


def test_a_rule_that_is_gone_is_passed_over() -> None:
    applied = parse("-gone").applied(Layers())
    assert applied.rules
    assert "gone" not in [rule.id for rule in applied.rules.rules]


def test_the_last_word_counts_and_blanks_do_not() -> None:
    assert str(parse(" all=off , paths = on,, -a3,+a3 ", RULES)) == (
        "neutralize=off,paths=on,identity=off,dedup=off,+a3"
    )
    assert parse("") == Switches()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("path=on", r"'path' is no layer \(did you mean paths\?\); write neutralize, paths"),
        ("paths", "'paths' says neither on nor off"),
        ("paths=yes", "'paths=yes' says neither on nor off"),
        ("=on", "'' is no layer"),
        ("-a33", r"no rule is called 'a33' \(did you mean a3\?\)"),
        ("+", "no rule is called ''"),
    ],
)
def test_what_makes_no_sense_is_named(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parse(text, RULES)
