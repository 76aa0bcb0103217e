"""What is prose and what is code, and the laws that hold while the text streams."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.text.prose import SPECIAL, ProseTracker

PIECES = (
    "`",
    "``",
    "```",
    "~~~",
    "~",
    "\n",
    "\r\n",
    " ",
    "> ",
    "- ",
    "1. ",
    "a",
    "py",
    "word ",
    "x" * 210,
    " " * 210,
)
TEXTS = st.lists(st.sampled_from(PIECES), max_size=24).map("".join)

ROWS = {
    "plain": "I am prose",
    "inline": "see «`a`» now",
    "inline ends with its line": "see «`a b»\nprose",
    "inline ends with CR": "see «`a b»\r\nprose",
    "longer run inside": "«`a``b`»c",
    "shorter run inside": "«``a`b``»c",
    "backticks are code": "a«``»\nb",
    "fence": "a\n«```py\nx\n```\n»b",
    "fence at the start": "«```\nx\n```\n»b",
    "fence with CRLF": "a\r\n«```py\r\nx\r\n```\r»\nb",
    "fence without end": "a\n«```py\nx\n\ny `z` ~~~\n»",
    "tilde fence": "a\n~~«~\nx ``` y\n```\n~~~\n»b",
    "tilde fence with backticks in its info": "~~«~ a`b\nx\n~~~\n»b",
    "tilde fence with code in its info": "~~«~ a`b` c\nx\n~~~\n»b",
    "longer closing fence": "«```\nx\n`````  \n»b",
    "shorter run does not close": "«````\nx\n```\ny\n````\n»b",
    "other fence does not close": "«```\nx\n~~~\ny\n```\n»b",
    "closing fence has no info": "«```\nx\n``` y\nz\n```\n»b",
    "indented fence": "a\n  «```\n  x\n  ```\n»b",
    "quoted fence": "> «```\n> x\n> ```\n»b",
    "fence in a list item": "- «```sh\n  ls\n  ```\n»b",
    "fence in a numbered item": "10. «```sh\n    ls\n    ```\n»b",
    "list marker inside does not close": "«```\n- ```\n```\n»b",
    "one-line fence is inline code": "«```x```»\nb",
    "one-line fence, then text": "«```x```» c\nb",
    "fence needs its own line": "a «```»\nb",
    "word before a fence": "x«```py»\nb",
    "two tildes": "~~gone~~ b",
    "tildes inside a line": "a ~~~\nb",
    "empty line": "\n\n«`a`»\n",
}


def unmarked(marked: str) -> tuple[str, str]:
    """The text without its « » marks, and a letter for every character: p or c."""
    text = kinds = ""
    kind = "p"
    for char in marked:
        if char in "«»":
            kind = "c" if char == "«" else "p"
        else:
            text += char
            kinds += kind
    return text, kinds


def kinds_of(chunks: list[str]) -> str:
    tracker = ProseTracker()
    return "".join(
        ("p" if is_prose else "c") * len(stretch)
        for chunk in chunks
        for is_prose, stretch in tracker.split(chunk)
    )


@pytest.mark.parametrize("marked", ROWS.values(), ids=ROWS.keys())
def test_what_is_code(marked: str) -> None:
    text, kinds = unmarked(marked)
    assert kinds_of([text]) == kinds
    assert kinds_of(list(text)) == kinds


@given(TEXTS, st.data())
def test_chunk_invariance(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    chunks = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert kinds_of(chunks) == kinds_of([text]) == kinds_of(list(text))


@given(st.lists(TEXTS, max_size=5))
def test_conservation(chunks: list[str]) -> None:
    tracker = ProseTracker()
    for chunk in chunks:
        stretches = tracker.split(chunk)
        assert "".join(stretch for _, stretch in stretches) == chunk
        assert all(stretch for _, stretch in stretches)
        assert all(a[0] != b[0] for a, b in pairwise(stretches))


@given(TEXTS, TEXTS)
def test_idle_text_need_not_be_shown(before: str, after: str) -> None:
    shown, spared = ProseTracker(), ProseTracker()
    shown.split(before)
    spared.split(before)
    for chunk in (after[:3], after[3:7], after[7:]):
        if spared.idle and SPECIAL(chunk) is None:
            expected = [(not spared.in_code, chunk)] if chunk else []
            assert shown.split(chunk) == expected
        else:
            assert shown.split(chunk) == spared.split(chunk)


@given(TEXTS, TEXTS)
def test_in_code_speaks_of_the_next_character(before: str, after: str) -> None:
    tracker = ProseTracker()
    for char in before + after:
        expected = tracker.in_code
        ((is_prose, _),) = tracker.split(char)
        if char not in "`\r\n~":
            assert is_prose is not expected


@given(TEXTS, TEXTS, TEXTS)
def test_restore_forgets_what_came_in_between(before: str, between: str, after: str) -> None:
    kept, restored = ProseTracker(), ProseTracker()
    kept.split(before)
    restored.split(before)
    state = restored.snapshot()
    restored.split(between)
    restored.restore(state)
    assert restored.split(after) == kept.split(after)


@pytest.mark.parametrize("unit", ["`", "~", " ", "a", "\n", "```\n", "- ", ">"], ids=repr)
def test_linear_work_remembers_little(unit: str) -> None:
    """The state stays small whatever comes, so the work per character does too."""
    tracker = ProseTracker()
    for _ in range(20_000):
        tracker.split(unit)
    assert sum(len(part) for part in tracker.snapshot() if isinstance(part, str)) <= 3 * 200
