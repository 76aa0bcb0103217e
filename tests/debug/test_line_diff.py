"""Unified diffs: right for any two texts, and fast for long ones."""

from collections.abc import Sequence
from difflib import Match, SequenceMatcher, unified_diff

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.debug import line_diff
from mitmproxy_windsurf.debug.line_diff import AROUND, CONTEXT, LONGEST_LINE, Hunk, hunks

texts = st.lists(st.sampled_from("abcdefgh") | st.text("ab", max_size=2), max_size=30)


def applied(old: Sequence[str], found: Sequence[Hunk]) -> list[str]:
    """What the hunks make of the old text."""
    new: list[str] = []
    position = 0
    for hunk in found:
        new += old[position : hunk.old_start - 1]
        assert len(new) == hunk.new_start - 1
        position = hunk.old_start - 1
        for sign, line in hunk.lines:
            if sign != "+":
                assert old[position] == line
                position += 1
            if sign != "-":
                new.append(line)
    return [*new, *old[position:]]


@given(texts, texts)
def test_the_hunks_make_the_new_text_of_the_old_one(old: list[str], new: list[str]) -> None:
    found = list(hunks(old, new))
    assert applied(old, found) == new
    assert bool(found) == (old != new)
    for hunk in found:
        assert hunk.removed or hunk.added
        signs = "".join(sign for sign, _ in hunk.lines)
        assert len(signs) - len(signs.lstrip(" ")) <= CONTEXT
        assert len(signs) - len(signs.rstrip(" ")) <= CONTEXT


@given(st.lists(st.text("abc"), max_size=30, unique=True), st.sets(st.integers(0, 29)))
def test_replaced_lines_are_shown_as_difflib_does(old: list[str], places: set[int]) -> None:
    new = [f"new {line}" if place in places else line for place, line in enumerate(old)]
    found = [line for hunk in hunks(old, new) for line in hunk.text("")]
    expected = list(unified_diff(old, new, lineterm=""))[2:]
    assert without_heads(found) == without_heads(expected)


def without_heads(lines: list[str]) -> list[str]:
    """They count a single line in another way."""
    return [line for line in lines if not line.startswith("@@")]


def test_what_is_too_different_is_replaced_altogether() -> None:
    old = [f"{number} of the old lines" for number in range(1000)]
    new = [f"{number} of the new lines" for number in range(1000)]
    [hunk] = hunks(["the same", *old, "the end"], ["the same", *new, "the end"])
    assert hunk.removed == old
    assert hunk.added == new


def test_work_is_bounded_for_lines_that_repeat(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0

    class Counting(SequenceMatcher[str]):
        def find_longest_match(
            self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
        ) -> Match:
            nonlocal compared
            assert ahi is not None
            assert bhi is not None
            compared += (ahi - alo) * (bhi - blo)
            return super().find_longest_match(alo, ahi, blo, bhi)

    old = ["a", "b"] * 20_000
    new = ["b", "b", "a"] * 10_000
    monkeypatch.setattr(line_diff, "SequenceMatcher", Counting)
    assert applied(old, list(hunks(old, new))) == new
    assert compared <= 10 * line_diff.LARGEST_GAP


def test_of_long_lines_only_what_differs_is_shown() -> None:
    before, after = "x" * 1000, "y" * 1000
    [hunk] = hunks([f"{before} one {after}"], [f"{before} three {after}"])
    _, old, new = hunk.text("")
    assert old.startswith("-…x")
    assert "x one y" in old
    assert "x three y" in new
    assert len(new) < 2 * AROUND + 20


def test_a_long_line_that_has_no_counterpart_is_cut() -> None:
    [hunk] = hunks(["a"], ["a", "b" * 10_000])
    assert hunk.text("")[-1] == "+" + "b" * LONGEST_LINE + "…"


def test_the_head_of_a_hunk_counts_lines_and_has_a_title() -> None:
    old = [str(number) for number in range(20)]
    [hunk] = hunks(old, [*old[:10], "new", *old[11:]])
    assert hunk.text("here")[0] == "@@ -8,7 +8,7 @@ here"
