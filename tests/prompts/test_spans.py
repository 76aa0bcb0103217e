"""Laying spans out, applying them, and making two lists of them one."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.prompts.spans import Span, compose, lay_out, splice


def changed(marked: str, *replacements: str) -> str:
    """`marked` with what stands between « and » replaced, laid out."""
    text, spans = "", []
    pieces = marked.split("«")
    text = pieces[0]
    for piece, replacement in zip(pieces[1:], replacements, strict=True):
        inside, _, outside = piece.partition("»")
        spans.append(Span(len(text), len(text) + len(inside), replacement, "r"))
        text += inside + outside
    laid = lay_out(text, spans)
    assert all(a.end <= b.start for a, b in pairwise(laid))
    return splice(text, laid)


REMOVALS = {
    "in mid-line": ("a. «b.» c.", "a. c."),
    "at the start of a line": ("x\n«b.» c.", "x\nc."),
    "at the end of a line": ("a. «b.»\nc", "a.\nc"),
    "at the end of the text": ("a. «b.»", "a."),
    "the whole line": ("a\n«b.»\nc", "a\nc"),
    "the whole line of CRLF": ("a\r\n«b.»\r\nc", "a\r\nc"),
    "the whole text": ("«b.»", ""),
    "a list item": ("a\n - «b.»\n - c", "a\n - c"),
    "a numbered item": ("a\n2. «b.»\n3. c", "a\n3. c"),
    "a list item in a quotation": ("> - «b.»\n> c", "> c"),
    "the start of a list item": (" - «b.» c.", " - c."),
    "with no blank after it": ("a. «b.»c", "a. c"),
    "with no blank around it": ("a«b»c", "ac"),
    "bold with its mark outside": ("**«b** c.» d", "d"),
    "bold all around": ("a **«b.»** c", "a **** c"),
}


@pytest.mark.parametrize(("marked", "after"), REMOVALS.values(), ids=REMOVALS.keys())
def test_a_removal(marked: str, after: str) -> None:
    assert changed(marked, "") == after


def test_removals_in_a_row_leave_no_bullet() -> None:
    assert changed("a\n - «b.» «c.»\nd", "", "") == "a\nd"
    assert changed("a «b.» «c.» d", "", "") == "a d"


def test_a_removal_beside_a_replacement() -> None:
    assert changed(" - «b.» «c.»\nd", "B.", "") == " - B.\nd"
    assert changed(" - «b.» «c.»\nd", "", "C.") == " - C.\nd"


def test_emphasis_goes_as_a_pair() -> None:
    assert (
        changed("You are **«Code**, the CLI» here", "an assistant") == "You are an assistant here"
    )
    assert changed("the «CLI, **Code»** here", "tool") == "the tool here"
    assert changed("**«Code»** here", "tool") == "**tool** here"


@st.composite
def spans_of(draw: st.DrawFn, length: int) -> list[Span]:
    edges = sorted(draw(st.lists(st.integers(0, length), max_size=8, unique=True)))
    pairs = list(pairwise(edges))[::2] if draw(st.booleans()) else list(pairwise(edges))
    return [Span(a, b, draw(st.text("XYZ", max_size=3)), "r") for a, b in pairs]


@given(st.data())
def test_composed_spans_do_in_one_step_what_two_lists_do(data: st.DataObject) -> None:
    text = data.draw(st.text("abc", max_size=20))
    first = data.draw(spans_of(len(text)))
    between = splice(text, first)
    second = data.draw(spans_of(len(between)))
    both = compose(first, second)
    assert splice(text, both) == splice(between, second)
    assert all(a.end <= b.start for a, b in pairwise(both))
