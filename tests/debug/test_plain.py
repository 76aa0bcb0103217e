"""Texts from the wire, made fit for a terminal."""

from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.debug.plain import count, harmless, on_one_line, quoted


@given(st.text())
def test_nothing_that_does_not_print_gets_through(text: str) -> None:
    for shown in (harmless(text), "\n".join(quoted(text, ">"))):
        assert all(char.isprintable() or char in "\n\t" for char in shown)
    assert on_one_line(text).isprintable()


@given(st.text(max_size=150), st.integers(1, 50))
def test_one_line_is_short(text: str, limit: int) -> None:
    assert len(on_one_line(text, limit)) <= limit + 3


def test_every_line_of_a_quotation_has_its_mark() -> None:
    assert list(quoted("a\n\nb", "  >")) == ["  > a", "  >", "  > b"]


def test_numbers_agree_with_their_nouns() -> None:
    assert [count(number, "edit") for number in (0, 1, 1204)] == [
        "0 edits",
        "1 edit",
        "1,204 edits",
    ]
