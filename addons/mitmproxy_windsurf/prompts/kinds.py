"""What a rule can look for: kinds of match, from narrow to wide, each with how far it may reach.

| kind | reaches |
| --- | --- |
| phrase | the words given |
| sentence | from the opening words to the end of their sentence |
| line | the whole line that starts with the words, at its first column |
| paragraph | from the opening words to the sentence of the closing words, in one paragraph |
| block | from an opening tag, first on its line, to the closing tag, last on its line |
| regex | what a user's pattern matches from its literal beginning on, in one paragraph |

A kind yields every place where its words stand; one that must not be changed says why not, for
those who ask why a rule did not fire. Which of overlapping places wins is not its business.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Literal, NamedTuple, Protocol, TypeAlias

from mitmproxy_windsurf.prompts.page import Page
from mitmproxy_windsurf.prompts.words import compile_words

REGEX_REACH = 4096
"""Characters that a match of kind regex may have."""

Rest: TypeAlias = Literal["any", "none"]
Unended: TypeAlias = Literal["keep", "opening", "line"]

_END_OF_SENTENCE = re.compile(r"""[.!?;…]?(?=["'”’»)\]*_`]*(?:\s|\Z))""")
_END_OF_LINE = re.compile(r"""["'”’»)\]*_`]*[^\S\n]*(?:\n|\Z)""")
_PAIRS = re.compile(r"(?:[ \t]*[\w.-]+=[^\s;]*(?:;|(?=[ \t\r]*(?:\n|\Z))))+")


class Found(NamedTuple):
    """Where a rule's words stand, and what to put there, unless there is a reason not to."""

    start: int
    end: int
    replacement: str
    why_not: str = ""


class Match(Protocol):
    """What all kinds have in common."""

    kind: ClassVar[str]
    crosses_parts: ClassVar[bool]
    """Whether a match may reach from one part of a prompt into the next."""

    @property
    def replacement(self) -> str: ...
    @property
    def once(self) -> bool:
        """Put the replacement only where the first match was, remove the others."""
        ...

    def find(self, page: Page) -> Iterator[Found]: ...


@dataclass(frozen=True, slots=True)
class Phrase:
    kind: ClassVar[str] = "phrase"
    crosses_parts: ClassVar[bool] = True
    words: tuple[str, ...]
    replacement: str
    once: bool = False

    def find(self, page: Page) -> Iterator[Found]:
        for start, end in _places(self.words, page):
            yield Found(start, end, self.replacement, page.objection(start, end))


@dataclass(frozen=True, slots=True)
class Sentence:
    """One of `contains` must follow in the same sentence; with `rest` none it must end at once.

    `unended`: what to take of a sentence without an end: nothing, its opening words, its line.
    """

    kind: ClassVar[str] = "sentence"
    crosses_parts: ClassVar[bool] = True
    opening: tuple[str, ...]
    replacement: str
    contains: tuple[str, ...] = ()
    rest: Rest = "any"
    unended: Unended = "keep"
    once: bool = False

    def find(self, page: Page) -> Iterator[Found]:
        for start, end, why_not in _openings(self.opening, page):
            if why_not:
                yield Found(start, end, self.replacement, why_not)
            elif self.rest == "none":
                yield self._ending_here(page, start, end)
            elif self.contains and not self._contains(page, end):
                yield Found(
                    start, end, self.replacement, "its sentence lacks the words it must contain"
                )
            else:
                yield _to_its_end(page, start, end, self.replacement, self.unended)

    def _contains(self, page: Page, pos: int) -> bool:
        stop = page.sentence_end(pos)
        return bool(_first_of(self.contains, page, pos, stop.body if stop else page.unit_end(pos)))

    def _ending_here(self, page: Page, start: int, end: int) -> Found:
        mark = _END_OF_SENTENCE.match(page.text, end)
        if mark and mark.end() > end:
            return _ended(page, start, end, mark.end(), self.replacement)
        if self.unended != "keep" and _END_OF_LINE.match(page.text, end):
            return Found(start, end, self.replacement)
        return Found(start, end, self.replacement, "its sentence goes on differently")


@dataclass(frozen=True, slots=True)
class Line:
    """With `rest` pairs only `key=value;` pairs after the opening go, what else follows stays."""

    kind: ClassVar[str] = "line"
    crosses_parts: ClassVar[bool] = False
    opening: tuple[str, ...]
    replacement: str
    rest: Literal["any", "pairs"] = "any"
    once: bool = False

    def find(self, page: Page) -> Iterator[Found]:
        for start, end in _places(self.opening, page):
            if "\n" in page.text[start:end]:
                continue
            if not page.starts_line(start):
                yield Found(start, end, self.replacement, "it does not start a line")
            elif page.in_code(start):
                yield Found(start, end, self.replacement, "it starts in code")
            elif self.rest == "any":
                yield Found(start, page.line_end(end), self.replacement)
            elif pairs := _PAIRS.match(page.text, end):
                yield Found(start, pairs.end(), self.replacement)
            else:
                yield Found(start, end, self.replacement, "no key=value pairs follow")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """The first of `closing` that the paragraph has counts; without any, it is a sentence.

    A list item, a heading or a tag ends a paragraph too.
    """

    kind: ClassVar[str] = "paragraph"
    crosses_parts: ClassVar[bool] = True
    opening: tuple[str, ...]
    closing: tuple[str, ...]
    replacement: str
    unended: Unended = "keep"
    once: bool = False

    def find(self, page: Page) -> Iterator[Found]:
        for start, end, why_not in _openings(self.opening, page):
            closing = None if why_not else _first_of(self.closing, page, end, page.unit_end(end))
            if why_not:
                yield Found(start, end, self.replacement, why_not)
            elif not closing:
                yield _to_its_end(page, start, end, self.replacement, self.unended)
            elif stop := page.sentence_end(closing[1]):
                yield _ended(page, start, stop.body, stop.end, self.replacement)
            else:
                yield _cut_off(page, start, closing[1], self.replacement)


@dataclass(frozen=True, slots=True)
class Block:
    kind: ClassVar[str] = "block"
    crosses_parts: ClassVar[bool] = False
    tag: str
    replacement: str
    once: bool = False

    def find(self, page: Page) -> Iterator[Found]:
        if not page.has(f"</{self.tag}>"):
            return
        opening: int | None = None
        for tag in _tags(self.tag).finditer(page.text):
            start, end = tag.span()
            if page.in_code(start):
                yield Found(start, end, self.replacement, "it starts in code")
            elif not tag["slash"] and page.opens_line(start):
                opening = start
            elif tag["slash"] and page.closes_line(end) and opening is not None:
                yield Found(opening, end, self.replacement)
                opening = None
            else:
                yield Found(start, end, self.replacement, "its tag delimits nothing")


@dataclass(frozen=True, slots=True)
class Regex:
    """`prefix` is the literal text that every match begins with: it is what is searched for."""

    kind: ClassVar[str] = "regex"
    crosses_parts: ClassVar[bool] = False
    pattern: str
    prefix: str
    replacement: str
    once: bool = False

    def find(self, page: Page) -> Iterator[Found]:
        pattern = compile_regex(self.pattern)
        start = page.text.find(self.prefix) if page.has(self.prefix) else -1
        while start >= 0:
            limit = min(page.paragraph_end(start), start + REGEX_REACH)
            match = pattern.match(page.text, start, limit)
            end = match.end() if match else start + 1
            why_not = page.objection(start, end) if match else "only its literal beginning is there"
            yield Found(start, end, self.replacement, why_not)
            start = page.text.find(self.prefix, end)


@lru_cache(maxsize=256)
def compile_regex(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _places(wordings: tuple[str, ...], page: Page) -> Iterator[tuple[int, int]]:
    for words in map(compile_words, wordings):
        if all(map(page.has, words.literals)):
            yield from (match.span() for match in words.pattern.finditer(page.text))


def _openings(wordings: tuple[str, ...], page: Page) -> Iterator[tuple[int, int, str]]:
    for start, end in _places(wordings, page):
        why_not = page.objection(start, end)
        if not why_not and not page.starts_sentence(start):
            why_not = "it does not start a sentence"
        yield start, end, why_not


def _first_of(
    wordings: tuple[str, ...], page: Page, pos: int, limit: int
) -> tuple[int, int] | None:
    """Where one of the wordings stands between two places, the earlier in the list the better."""
    for wording in wordings:
        found = page.next(compile_words(wording).pattern, pos)
        if found and found.end() <= limit:
            return found.span()
    return None


def _to_its_end(page: Page, start: int, end: int, replacement: str, unended: Unended) -> Found:
    """The sentence whose opening words stand from `start` to `end`."""
    if stop := page.sentence_end(end):
        return _ended(page, start, stop.body, stop.end, replacement)
    if unended == "keep":
        return Found(start, end, replacement, "its sentence has no end")
    return _cut_off(page, start, page.line_end(end) if unended == "line" else end, replacement)


def _ended(page: Page, start: int, body: int, end: int, replacement: str) -> Found:
    """The sentence keeps its own mark; a removal takes it along."""
    mark = page.text[body:end] if replacement else ""
    return Found(start, end, replacement.removesuffix(".") + mark)


def _cut_off(page: Page, start: int, end: int, replacement: str) -> Found:
    """Where the text goes on in the same line, the replacement is no sentence of its own."""
    goes_on = page.line_end(end) > end
    return Found(start, end, replacement.removesuffix(".") if goes_on else replacement)


@lru_cache(maxsize=256)
def _tags(name: str) -> re.Pattern[str]:
    return re.compile(rf"<(?P<slash>/?){re.escape(name)}(?:\s[^<>\n]{{0,200}})?>")
