"""How far each kind of match reaches: what stands between « and » is found and replaced."""

from collections.abc import Iterator

import pytest

from mitmproxy_windsurf.prompts.kinds import Block, Line, Match, Paragraph, Phrase, Regex, Sentence
from mitmproxy_windsurf.prompts.page import Page

PHRASE = Phrase(("Foo bar",), "X")
SENTENCE = Sentence(("Foo is",), "X.")
REMOVED = Sentence(("Foo is",), "")
ATTRIBUTED = Sentence(("Foo is",), "X.", contains=("made by Baz",))
SHORT = Sentence(("Foo is {word}",), "", rest="none")
SHORT_LINE = Sentence(("Foo is {word}",), "", rest="none", unended="line")
OPENING = Sentence(("Foo is",), "X.", unended="opening")
WHOLE_LINE = Sentence(("Foo is",), "X.", unended="line")
LINE = Line(("Foo:",), "")
PAIRS = Line(("Foo:",), "", rest="pairs")
PARAGRAPH = Paragraph(("Foo is",), ("the end", "an end"), "X.", unended="opening")
BLOCK = Block("foo", "X")
REGEX = Regex(r"Foo [a-z]+", "Foo ", "X")

FOUND: dict[str, tuple[Match, str, str]] = {
    "phrase": (PHRASE, "a «Foo bar» b", "X"),
    "phrase over a line break": (PHRASE, "a «Foo\nbar» b", "X"),
    "phrase before punctuation": (PHRASE, "«Foo bar», b", "X"),
    "sentence": (SENTENCE, "A. «Foo is a b.» C.", "X."),
    "sentence with its own mark": (SENTENCE, "«Foo is a b!» C.", "X!"),
    "sentence that is removed": (REMOVED, "«Foo is a b.» C.", ""),
    "clause": (SENTENCE, "«Foo is a b;» our rule.", "X;"),
    "sentence that contains": (ATTRIBUTED, "«Foo is made by Baz.» C.", "X."),
    "sentence of a word": (SHORT, "«Foo is 4.8.» C.", ""),
    "sentence that its line ends": (SHORT_LINE, "«Foo is 4.8»\nC.", ""),
    "opening of a sentence without an end": (OPENING, "«Foo is» a b\n\nC.", "X"),
    "opening that is all there is": (OPENING, "«Foo is»\n\nC.", "X."),
    "line of a sentence without an end": (WHOLE_LINE, "«Foo is a b»\nC", "X."),
    "line": (LINE, "a\n«Foo: a b.»\nc", ""),
    "line of CRLF": (LINE, "«Foo: a b.»\r\nc", ""),
    "line of pairs": (PAIRS, "«Foo: a=1; b=2;»\nc", ""),
    "pairs and more": (PAIRS, "«Foo: a=1;»Be brief.", ""),
    "paragraph": (PARAGRAPH, "«Foo is a.\nB is\nthe end of it.» C.", "X."),
    "paragraph to other closing words": (PARAGRAPH, "«Foo is an end.» B is C.", "X."),
    "paragraph to the better closing words": (PARAGRAPH, "«Foo is an end. B is the end.» C", "X."),
    "paragraph whose end is not ended": (PARAGRAPH, "«Foo is a. B is the end»\n\nC.", "X."),
    "paragraph that goes on": (PARAGRAPH, "«Foo is a. B is the end» of it\n\nC.", "X"),
    "paragraph without closing words": (PARAGRAPH, "«Foo is a.» B is c.\n\nthe end.", "X."),
    "paragraph before a list": (PARAGRAPH, "«Foo is a.»\n- B is the end.", "X."),
    "block": (BLOCK, "a\n«<foo>\nb\n\nc\n</foo>»\nd", "X"),
    "block on a line": (BLOCK, "  «<foo>b</foo>»  \nd", "X"),
    "block with attributes": (BLOCK, '«<foo a="b">c</foo>»', "X"),
    "block after an unclosed tag": (BLOCK, "<foo>\nUSER\n«<foo>\nb\n</foo>»", "X"),
    "regex": (REGEX, "a «Foo bar» b", "X"),
}


@pytest.mark.parametrize(("match", "marked", "wanted"), FOUND.values(), ids=FOUND.keys())
def test_found(match: Match, marked: str, wanted: str) -> None:
    start, end = marked.index("«"), marked.index("»") - 1
    text = marked.replace("«", "").replace("»", "")
    assert list(hits(match, text)) == [(start, end, wanted)]


SPARED: dict[str, tuple[Match, str, str]] = {
    "phrase in a word": (PHRASE, "Foo barn", "ends inside a word"),
    "phrase in code": (PHRASE, "`Foo bar`", "in code"),
    "sentence in mid-sentence": (SENTENCE, "The Foo is a b.", "does not start a sentence"),
    "sentence without an end": (SENTENCE, "Foo is a b\n\nC.", "has no end"),
    "sentence that does not contain": (ATTRIBUTED, "Foo is. It is made by Baz.", "lacks the words"),
    "sentence of more words": (SHORT, "Foo is required in logs.", "goes on differently"),
    "sentence of a word without an end": (SHORT, "Foo is 4.8\nC.", "goes on differently"),
    "indented line": (LINE, "a\n    Foo: b", "does not start a line"),
    "line in a fence": (LINE, "```\nFoo: b\n```", "in code"),
    "line without pairs": (PAIRS, "Foo: never log this", "no key=value"),
    "tag that is not closed": (BLOCK, "<foo>\nUSER", ""),
    "closing tag alone": (BLOCK, "USER\n</foo>", "delimits nothing"),
    "tags in code": (BLOCK, "`<foo>` and\n`</foo>`\n", "in code"),
    "tags in prose": (BLOCK, "Use <foo> so.\nUSER\nEnd with </foo> here.", "delimits nothing"),
    "regex over a blank line": (Regex(r"Foo\s+bar", "Foo", "X"), "Foo\n\nbar", "only its literal"),
}


@pytest.mark.parametrize(("match", "text", "reason"), SPARED.values(), ids=SPARED.keys())
def test_not_found_and_why(match: Match, text: str, reason: str) -> None:
    assert not list(hits(match, text))
    reasons = [found.why_not for found in match.find(Page(text))]
    assert all(reasons)
    assert bool(reasons) is bool(reason)
    assert all(reason in why_not for why_not in reasons)


def test_a_line_does_not_start_with_words_of_two_lines() -> None:
    assert not list(Line(("Foo bar",), "").find(Page("Foo\nbar")))


def hits(match: Match, text: str) -> Iterator[tuple[int, int, str]]:
    for found in match.find(Page(text)):
        if not found.why_not:
            yield found[:3]
