"""JSON as lines for people."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.debug.outline import COMPARING, DEEPEST, LONGEST, Style, outline

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


def test_objects_arrays_and_texts() -> None:
    value = {
        "name": "Read",
        "lines": [1, 2.5],
        "more": {"text": "one\ntwo\n", "empty": {}, "none": None, "yes": True},
        "pairs": [{"a": 1, "b": "x: y"}, []],
    }
    assert "\n".join(outline(value)) == (
        "name: Read\n"
        "lines:\n"
        "  - 1\n"
        "  - 2.5\n"
        "more:\n"
        "  text: |\n"
        "    one\n"
        "    two\n"
        "  empty: {}\n"
        "  none: null\n"
        "  yes: true\n"
        "pairs:\n"
        "  - a: 1\n"
        '    b: "x: y"\n'
        "  - []"
    )


NUMBERS_AND_WORDS = ["1", "-", "true", "null", "- a"]
PUNCTUATION = ["a: b", "a:", "[", "{", '"', "#", "a #b"]
BLANKS = ["", " a", "a ", "a\x07"]


@pytest.mark.parametrize("text", [*NUMBERS_AND_WORDS, *PUNCTUATION, *BLANKS])
def test_a_text_that_could_be_taken_for_something_else_is_quoted(text: str) -> None:
    [line] = outline(text)
    assert line.startswith('"')
    assert line.isprintable()


@pytest.mark.parametrize(
    "text", ["/tmp/a.py", "hello world", "it's", "é", "a:b", "nullable", "x-1"]
)
def test_other_texts_stand_bare(text: str) -> None:
    assert outline(text) == [text]


@given(json_values, st.sampled_from([Style(), COMPARING]))
def test_any_value_has_lines_without_line_ends(value: Any, style: Style) -> None:
    lines = outline(value, style)
    assert lines
    assert not any("\n" in line for line in lines)


@given(json_values, json_values)
def test_different_values_have_different_lines(one: Any, other: Any) -> None:
    if repr(one) != repr(other):
        folded = [
            "\n".join(outline(value)).replace("\r\n", "\n").rstrip("\n") for value in (one, other)
        ]
        assert folded[0] != folded[1] or ends_alike(one, other)


def ends_alike(one: Any, other: Any) -> bool:
    """The last line end of a text, and the kind of its line ends, are not shown."""
    shown = [repr(v).replace("\\r\\n", "\\n").replace("\\n'", "'") for v in (one, other)]
    return shown[0] == shown[1]


def test_long_texts_are_shown_at_both_ends() -> None:
    text = "a" * LONGEST + " middle " + "z" * LONGEST
    lines = outline({"text": text})
    shown = "\n".join(lines)
    assert len(shown) < LONGEST + 100
    assert f"{len(text) - LONGEST:,} characters left out" in shown
    assert "z" * LONGEST in "".join(outline(text, COMPARING))


def test_base64_is_only_named() -> None:
    assert outline({"data": "QUJD" * 1000}) == ["data: (4,000 characters of Base64)"]


def test_what_is_too_deep_is_left_out() -> None:
    value: Any = "the bottom"
    for _ in range(DEEPEST * 100):
        value = [value]
    assert "…" in outline(value)[0]


def test_long_lines_are_broken_after_sentences_to_be_compared() -> None:
    sentences = [
        "The first one is rather long, as it has to be. ",
        "Is it? ",
        "那是第三句。",
        "Yes" * 30,
    ]
    assert outline("".join(sentences), COMPARING) == ["|", *(f"  {text}" for text in sentences)]
    assert outline("Short. And two.", COMPARING) == ["Short. And two."]
