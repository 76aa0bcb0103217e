"""Texts cut into clauses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.debug.bisect.pieces import clauses, sentence_around

TEXTS = st.text(st.sampled_from("ab ,.;\n-—。(*\"'"), max_size=60)


def pieces(text: str) -> list[str]:
    return [text[start:end] for start, end in clauses(text)]


@given(TEXTS)
def test_the_pieces_are_the_text(text: str) -> None:
    assert "".join(pieces(text)) == text


@given(TEXTS)
def test_every_piece_has_a_word_unless_the_text_has_none(text: str) -> None:
    if any(map(str.isalnum, text)):
        assert all(any(map(str.isalnum, piece)) for piece in pieces(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("One. Two!", ["One. ", "Two!"]),
        ("Rest at four, then go.", ["Rest at four, ", "then go."]),
        ("Read it because it matters.", ["Read it ", "because it matters."]),
        ("First line\n\n- an item\n- another", ["First line\n\n- ", "an item\n- ", "another"]),
        ('He said "no." Then he left.', ['He said "no." ', "Then he left."]),
        ("Version 2.1.3 of a/b.py is used.", ["Version 2.1.3 of a/b.py is used."]),
        ("Wait (if it must be) here.", ["Wait ", "(if it must be) here."]),
        ("读它。不要改，好。", ["读它。", "不要改，", "好。"]),
        ("*** ---", ["*** ---"]),
    ],
)
def test_where_texts_are_cut(text: str, expected: list[str]) -> None:
    assert pieces(text) == expected


@pytest.mark.parametrize("text", ["." * 50_000, " " * 50_000 + "x", "a\n" * 25_000, ", " * 25_000])
def test_long_runs_of_marks_are_cut_in_linear_time(text: str) -> None:
    assert sum(end - start for start, end in clauses(text)) == len(text)


@pytest.mark.parametrize(
    ("text", "part", "expected"),
    [
        ("One. Two, three. Four.", "Two, ", "Two, three."),
        ("One. Two, three.", "three.", "Two, three."),
        ("Head\nitem, more\nnext", "more\n", "item, more\n"),
        ("no end at all", "end ", "no end at all"),
    ],
)
def test_the_sentence_around_a_piece(text: str, part: str, expected: str) -> None:
    start = text.index(part)
    first, last = sentence_around(text, start, start + len(part))
    assert text[first:last] == expected
