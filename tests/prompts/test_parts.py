"""Layer 1 on the text parts of one prompt, and what is cut over the places where they meet."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
from mitmproxy_windsurf.prompts import neutralize_parts
from mitmproxy_windsurf.prompts.neutralize import neutralize
from mitmproxy_windsurf.prompts.spans import splice
from prompts.prompt_texts import EVERYTHING, prompts

TRIGGER = "You are Claude Code, Anthropic's official CLI for Claude"
IDENTITY = "You are an AI coding assistant"


def texts(parts: list[str]) -> list[str]:
    return [result.text for result in neutralize_parts(parts)]


@pytest.mark.parametrize("place", range(1, len(TRIGGER)))
def test_a_phrase_is_found_wherever_it_is_cut(place: int) -> None:
    parts = [f"Hi. {TRIGGER[:place]}", f"{TRIGGER[place:]}. Be brief."]
    assert texts(parts) == [f"Hi. {IDENTITY}", ". Be brief."]


def test_a_phrase_is_found_over_many_parts() -> None:
    parts = ["Hi. ", *TRIGGER, ". Be brief."]
    assert texts(parts) == ["Hi. ", IDENTITY, *[""] * (len(TRIGGER) - 1), ". Be brief."]


@pytest.mark.parametrize(
    "sentence",
    [
        "You are powered by the model named Opus. The exact model ID is claude-opus-5.",
        "Fast mode for Claude Code uses Claude Opus with faster output.",
        "You are Grok released by xAI.",
        "Claude Code is available as a CLI in the terminal.",
    ],
)
def test_a_sentence_is_found_wherever_it_is_cut(sentence: str) -> None:
    text = f"Hi. {sentence} Be brief."
    whole = neutralize(text).text
    for place in range(len("Hi. ") + 1, len("Hi. ") + len(sentence)):
        assert "".join(texts([text[:place], text[place:]])) == whole, place


def test_the_first_sentence_of_the_next_part_is_never_taken() -> None:
    for first in ("Fast mode for Claude Code is on", "Fast mode for Claude Code is on.\n"):
        assert texts([first, "You help people. Never push."])[1] == "You help people. Never push."


def test_a_paragraph_does_not_reach_over_parts_that_are_sentences() -> None:
    first = "IMPORTANT: Assist with authorized security testing."
    second = "Ask our security research team about use cases."
    assert texts([first, second])[1] == second


def test_a_line_never_reaches_over_parts() -> None:
    line = "x-anthropic-billing-header: cc_version=1;"
    assert texts([line, "You help people."]) == ["", "You help people."]
    cut = [line[:20], line[20:]]
    assert texts(cut) == cut


def test_a_line_starts_at_the_start_of_a_part() -> None:
    line = "x-anthropic-billing-header: cc_version=1;"
    assert texts(["You help people.", line]) == ["You help people.", ""]


def test_each_part_has_its_own_edits_in_its_own_characters() -> None:
    first, second = neutralize_parts([f"Hi. {TRIGGER[:20]}", f"{TRIGGER[20:]}. Be brief."])
    assert [(e.rule, e.start, e.before, e.after) for e in first.edits] == [
        ("a1", 4, TRIGGER[:20], IDENTITY)
    ]
    assert [(e.rule, e.start, e.before, e.after) for e in second.edits] == [
        ("a1", 0, TRIGGER[20:], "")
    ]


def test_a_warning_counts_a_match_as_a_whole() -> None:
    opening = "IMPORTANT: Assist with authorized security testing "
    first, second = neutralize_parts([opening + "x" * 300, "x" * 300 + " use cases."])
    assert first.warnings == ("rule b replaced 662 bytes by 75",)
    assert second.warnings == ()


def test_once_means_once_in_the_whole_prompt() -> None:
    blurb = "Claude Code is available as a CLI."
    assert texts([blurb, blurb]) == ["This coding assistant runs in a terminal.", ""]


def test_no_parts_and_empty_parts() -> None:
    assert texts([]) == []
    assert texts(["", ""]) == ["", ""]
    assert texts(["", TRIGGER[:9], "", TRIGGER[9:], ""]) == ["", IDENTITY, "", "", ""]


def test_part_results_are_a_new_list_each_time() -> None:
    neutralize_parts(["a", "b"]).clear()
    assert len(neutralize_parts(["a", "b"])) == 2


@given(prompts.flatmap(lambda text: strategies.pieces(text, max_cuts=4)), st.data())
def test_idempotence(parts: list[str], data: st.DataObject) -> None:
    for target in ("system", "tools"):
        once = neutralize_parts(
            parts, target="tools" if target == "tools" else "system", rules=EVERYTHING
        )
        again = neutralize_parts(
            [result.text for result in once],
            target="tools" if target == "tools" else "system",
            rules=EVERYTHING,
        )
        assert [result.text for result in again] == [result.text for result in once]


@given(prompts.flatmap(lambda text: strategies.pieces(text, max_cuts=4)))
def test_conservation(parts: list[str]) -> None:
    for part, result in zip(parts, neutralize_parts(parts, rules=EVERYTHING), strict=True):
        assert splice(part, result.spans) == result.text
        assert all(a.end <= b.start for a, b in pairwise(result.spans))
