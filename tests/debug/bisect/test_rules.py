"""Rules made of fragments: they load, their examples are right, and they do what they say."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mitmproxy_windsurf.cli import failing_examples
from mitmproxy_windsurf.debug.bisect.pieces import clauses
from mitmproxy_windsurf.debug.bisect.rules import NEUTRAL, Draft, draft_rule, quoted
from mitmproxy_windsurf.debug.keys import censor
from mitmproxy_windsurf.prompts import RuleSet, load_packs
from mitmproxy_windsurf.prompts.neutralize import neutralize
from mitmproxy_windsurf.wire.parts import Target

WORDS = st.lists(
    st.sampled_from(
        [
            "Read",
            "it,",
            "then",
            "stop.",
            "**Never**",
            "{x}",
            "don't",
            "“say”",
            "a/b",
            "`code`",
            "读。",
        ]
    ),
    min_size=1,
    max_size=12,
)


def draft(text: str, fragment: str, target: Target = "system") -> Draft | None:
    start = text.index(fragment)
    return draft_rule(
        text, start, start + len(fragment), target, reason="HTTP 529", taken=(), cut=censor
    )


def applied(made: Draft, text: str, target: Target = "system") -> str:
    return neutralize(text, target=target, rules=RuleSet.of([made.pack()])).text


def checked(made: Draft, tmp_path: Path) -> bool:
    """Whether the pack passes `mitmproxy-windsurf check`."""
    path = tmp_path / "found.toml"
    path.write_text(made.toml("Tried."), "utf-8")
    [pack] = load_packs([path])
    return not [*failing_examples(pack)]


@pytest.mark.parametrize(
    ("text", "fragment", "after"),
    [
        ("One. The heron counts. Two.", "The heron counts. ", "One. Two."),
        ("Rest, although it hums, here.", "although it hums, ", "Rest, here."),
        ("- item\n- The heron\n  counts.\n- last", "The heron\n  counts.\n", "- item\n- last"),
        ("Use {name} for the heron. Stop.", "Use {name} for the heron. ", "Stop."),
        ('Say "no" and C:\\x, then go.', 'Say "no" and C:\\x, ', "then go."),
        ("Das ist schön – wirklich. Ende.", "Das ist schön – wirklich. ", "Ende."),
    ],
)
def test_the_rule_takes_out_the_fragment(
    text: str, fragment: str, after: str, tmp_path: Path
) -> None:
    made = draft(text, fragment)
    assert made
    assert applied(made, text) == after
    assert checked(made, tmp_path)


def test_a_text_that_is_all_trigger_gets_a_neutral_one(tmp_path: Path) -> None:
    for target, neutral in NEUTRAL.items():
        made = draft("The heron counts.", "The heron counts.", target)
        assert made
        assert applied(made, "The heron counts.", target).rstrip(".") == neutral.rstrip(".")
        assert checked(made, tmp_path)


def test_the_example_shows_more_than_the_fragment() -> None:
    made = draft("Be brief. The heron counts. Stop.", "The heron counts. ")
    assert made
    assert made.example == ("Be brief. The heron counts.", "Be brief.")


@pytest.mark.parametrize("text", ["```\nthe heron counts\n```", "see src/heron/ now"])
def test_there_is_no_rule_where_none_may_reach(text: str) -> None:
    assert draft(text, "heron") is None


def test_a_key_is_a_slot_and_not_in_the_rule(tmp_path: Path) -> None:
    text = "Be brief. Use sk-proj-0123456789abcdefghij for it. Stop."
    made = draft(text, "Use sk-proj-0123456789abcdefghij for it. ")
    assert made
    assert "sk-proj" not in made.toml("")
    assert applied(made, text) == "Be brief. Stop."
    assert checked(made, tmp_path)


def test_ids_are_not_used_twice() -> None:
    text = "One. The heron counts. Two."
    taken = ["found-the-heron-counts", "found-the-heron-counts-2"]
    made = draft_rule(text, 5, 23, "system", reason="HTTP 529", taken=taken, cut=censor)
    assert made
    assert made.pack().rules[0].id == "found-the-heron-counts-3"


@given(WORDS, st.data())
def test_every_rule_loads_and_changes_its_text(words: list[str], data: st.DataObject) -> None:
    text = " ".join(words)
    start, end = data.draw(st.sampled_from(clauses(text)))
    made = draft_rule(text, start, end, "system", reason="x", taken=(), cut=censor)
    assume(made)
    assert made
    assert applied(made, text) != text
    before, after = made.example
    assert applied(made, before) == after
    assert tomllib.loads(made.toml("e"))["rule"][0]["evidence"] == "e"


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_quoted_text_is_that_text_in_toml(text: str) -> None:
    assert tomllib.loads(f"x = {quoted(text)}") == {"x": text}


def test_a_lone_surrogate_is_no_toml() -> None:
    assert quoted("a\ud800b") == '"a?b"'
