"""Where sentences, lines and paragraphs end, and where no match may start."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.prompts.page import Forward, Page
from mitmproxy_windsurf.prompts.spans import Span

SENTENCES = {
    "a full stop": "Foo is bar«.» Next.",
    "the end of the text": "Foo is bar«.»",
    "a version": "Foo 4.8 is bar«.» Next.",
    "a version at the end": "Foo is 4.8«.» Next.",
    "a host": "Foo is at claude.ai/code, see there«!» Next.",
    "an abbreviation": "Foo, e.g. a bar, i.e. a Baz«.» Next.",
    "a semicolon": "Foo is bar«;» our rule",
    "closing marks": 'Foo is "bar (baz«.»)" Next.',
    "emphasis": "**Foo is bar«.»** Next.",
    "a wrapped line": "Foo is\nbar and baz«.» Next.",
    "a line that a comma continues": "Foo is bar,\nBaz and that«.» Next.",
    "wide marks": "Foo 是 bar«。»下一句",
}
UNENDED = {
    "a line before a capital": "Foo is bar\nNext.",
    "a blank line": "Foo is bar\n\nnext.",
    "a line of blanks": "Foo is bar\n \t\nnext.",
    "a blank line of CRLF": "Foo is bar\r\n\r\nnext.",
    "a list item": "Foo is bar\n - next.",
    "a numbered item": "Foo is bar\n2. next.",
    "a heading": "Foo is bar\n## next.",
    "a tag": "Foo is bar\n</env> next.",
    "a fence": "Foo is bar\n```\nnext.",
    "a quotation": "Foo is bar\n> next.",
    "the end of the text": "Foo is bar",
    "the end of the text after a version": "Foo is 4.8",
}


@pytest.mark.parametrize("marked", SENTENCES.values(), ids=SENTENCES.keys())
def test_a_sentence_ends_with(marked: str) -> None:
    start, end = marked.index("«"), marked.index("»") - 1
    page = Page(marked.replace("«", "").replace("»", ""))
    assert page.sentence_end(3) == (start, end)


@pytest.mark.parametrize("text", UNENDED.values(), ids=UNENDED.keys())
def test_a_sentence_has_no_end_before(text: str) -> None:
    assert Page(text).sentence_end(3) is None


STARTS = {
    "the text": "«Foo",
    "a line": "a\n«Foo",
    "a list item": "a\n - «Foo",
    "a numbered item": "1. «Foo",
    "after a sentence": "It is so. «Foo",
    "after a colon": "Note: «Foo",
    "in quotes": 'It is so. "«Foo',
    "in bold": "It is so. **«Foo",
    "after a closing bracket": "(It is so.) «Foo",
    "after a tag": "<env>«Foo",
    "after wide marks": "是。«Foo",
}


@pytest.mark.parametrize("marked", STARTS.values(), ids=STARTS.keys())
def test_a_sentence_starts(marked: str) -> None:
    assert Page(marked.replace("«", "")).starts_sentence(marked.index("«"))


@pytest.mark.parametrize("marked", ["is «Foo", "a 4.8 «Foo", "a, «Foo", "x" * 300 + " «Foo"])
def test_no_sentence_starts(marked: str) -> None:
    assert not Page(marked.replace("«", "")).starts_sentence(marked.index("«"))


OBJECTIONS = {
    "inside a word": ("un«Foo»", "inside a word"),
    "an identifier": ("my_«Foo»", "inside a word"),
    "an identifier at the end": ("«Foo»_bar", "ends inside a word"),
    "a long rule": ("____«Foo»", "inside a word"),
    "at the end inside a word": ("«Foo»bar", "ends inside a word"),
    "inline code": ("a `«Foo»` b", "in code"),
    "a fence": ("```\n«Foo»\n```", "in code"),
    "a path": ("see /srv/«Foo» now", "a path"),
    "a path of Windows": ("see C:\\x\\«Foo» now", "a path"),
    "a URL": ("https://x.y/?q=«Foo»", "a path or a URL"),
    "an assignment": ("NAME=«Foo»", "a path"),
    "a command": ("$ echo «Foo»", "command"),
    "an indented quotation": ("It says:\n    «Foo»", "quotation"),
    "one with a tab": ("It says:\n\t«Foo»", "quotation"),
    "one after a blank line": ("It says:\n\n    a\n\n    «Foo»", "quotation"),
}
ALLOWED = {
    "the text": "«Foo»",
    "quotes": 'It is "«Foo»" here',
    "brackets": "(«Foo»)",
    "emphasis": "**«Foo»**",
    "an underscore": "a _«Foo»_ b",
    "two underscores": "__«Foo»__",
    "a tag before it": "<system>«Foo»</system>",
    "a bullet": "- «Foo»",
    "an unclosed backtick": "5 ` wide\n«Foo»",
    "an unclosed fence": "```\n«Foo»",
    "an indented list item": "It says:\n    - «Foo»",
    "an indented line after none with a colon": "It says so.\n    «Foo»",
    "an indented text": "    a\n    «Foo»",
    "a text that starts indented": "    «Foo»",
}


@pytest.mark.parametrize(("marked", "reason"), OBJECTIONS.values(), ids=OBJECTIONS.keys())
def test_no_match_in(marked: str, reason: str) -> None:
    assert reason in objection_to(marked)


@pytest.mark.parametrize("marked", ALLOWED.values(), ids=ALLOWED.keys())
def test_a_match_in(marked: str) -> None:
    assert objection_to(marked) == ""


def objection_to(marked: str) -> str:
    page = Page(marked.replace("«", "").replace("»", ""))
    return page.objection(marked.index("«"), marked.index("»") - 1)


@given(st.lists(st.sampled_from(["a", "    b", ":\n", "\n", "\n\n", "    ", "- "])), st.data())
def test_an_answer_does_not_depend_on_what_was_asked_before(
    pieces: list[str], data: st.DataObject
) -> None:
    text = "".join(pieces) + "x"
    page = Page(text)
    for place in data.draw(st.lists(st.integers(0, len(text) - 1), max_size=8)):
        fresh = Page(text)
        assert page.objection(place, place + 1) == fresh.objection(place, place + 1)
        assert page.starts_sentence(place) == fresh.starts_sentence(place)
        assert page.sentence_end(place) == fresh.sentence_end(place)
        assert page.line_end(place) == fresh.line_end(place)


@given(st.text("ab"), st.lists(st.integers(0, 20)))
def test_forward_finds_what_a_search_finds(text: str, places: list[int]) -> None:
    forward, pattern = Forward(re.compile("ab|ba"), text), re.compile("ab|ba")
    for place in places:
        found, wanted = forward.at(place), pattern.search(text, place)
        assert (found and found.span()) == (wanted and wanted.span())


SEAMS = {
    "in mid-sentence": ("Foo is a ", "bar. Next", False),
    "inside a word": ("Foo is a b", "ar. Next", False),
    "inside capitals": ("Foo is a C", "LI. Next", False),
    "after a sentence": ("Foo is a bar.", "Next", True),
    "after a sentence and a blank": ("Foo is a bar. ", "next", True),
    "before a capital with no blank": ("Foo is a bar", "Next", True),
    "before a capital after a blank": ("Foo is a ", "Bar. Next", False),
}


@pytest.mark.parametrize(("first", "second", "ends"), SEAMS.values(), ids=SEAMS.keys())
def test_a_seam_ends_a_paragraph_only_between_sentences(
    first: str, second: str, ends: bool
) -> None:
    page = Page(first + second, [len(first)])
    assert (page.unit_end(3) == len(first)) is ends


def test_a_page_with_changes_knows_what_it_still_does_not_have() -> None:
    page = Page("one two three")
    assert not page.has("onetwo")
    assert not page.has("four")
    after = page.after([Span(3, 4, "", "r")])
    assert after.text == "onetwo three"
    assert after.has("onetwo")
    assert not after.has("four")
