"""A text while rules look at it: where things end in it, and where no match may start.

Everything is worked out on demand and remembered, and every search goes on from where the last one
ended, so that opening words that occur 20,000 times still cost time in proportion to the text.

A page may be several parts of one prompt in a row; `seams` are the places where they meet. A seam
in mid-sentence is nothing, a seam between two sentences ends a paragraph.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from mitmproxy_windsurf.prompts.code_spans import code_spans
from mitmproxy_windsurf.prompts.spans import Span, splice

_BULLET = r"(?:[-*+•‣·]|\d{1,3}[.)])[^\S\n]"
_UNIT_BREAK = re.compile(
    rf"\n(?=[^\S\n]*(?:\n|\Z|{_BULLET}|[>|]|\#{{1,6}}[^\S\n]|</?[A-Za-z]|```|~~~))"
)
_BLANK_LINE = re.compile(r"\n(?=[^\S\n]*(?:\n|\Z))")
_NEWLINE = re.compile(r"\n")

_CAPITAL = "A-ZÀ-ÖØ-ÞΑ-ΩА-Я\u3040-\u9fff\uac00-\ud7af"
_ABBREVIATION = r"(?<!\be\.g)(?<!\bi\.e)(?<!\bcf)(?<!\bvs)(?<!\bapprox)"
_STOP = re.compile(
    # A line break before a capital letter ends a sentence too, though without a full stop,
    # unless a comma or the like says that the line goes on.
    rf"""(?<![.!?;…]){_ABBREVIATION}[.!?;…]+(?=["'”’»)\]*_`]*(?:\s|\Z))"""
    rf"""|[。！？；]|(?<![,(/–—-])(?<![,(/–—-]\r)\n(?=[^\S\n]*[*_"“(]*[{_CAPITAL}])"""
)
_STOP_BEFORE_SEAM = re.compile(r"""[.!?:;…。！？；]["'”’»)\]*_`]*\s*\Z""")
_SENTENCE_HEAD = re.compile(
    r"""(?:^|[.!?:;…>][)"'”’\]*_]*\s|[>。！？；]|^\s*(?:[-*+•‣·>#]+|\d{1,3}[.)])\s)"""
    r"""[ \t]*[*_"'“‘(\[]*\Z"""
)
_LIST_ITEM = re.compile(rf"[ \t]*{_BULLET}")
_LINE_REST = re.compile(r"[^\S\n]*(?:\n|\Z)")
_INDENT = re.compile(r"[ \t]*")
_COMMAND = re.compile(r"[ \t]*\$ ")
_NEAR = 256
"""Characters before a match that are looked at to tell what it stands in."""


class End(NamedTuple):
    """The end of a sentence: `body` before its mark, `end` after it."""

    body: int
    end: int


class Forward:
    """The next match of a pattern from a place on; ascending places cost one pass in all."""

    def __init__(self, pattern: re.Pattern[str], text: str) -> None:
        self._pattern = pattern
        self._text = text
        self._since = -1
        self._found: re.Match[str] | None = None

    def at(self, pos: int) -> re.Match[str] | None:
        known = 0 <= self._since <= pos and (self._found is None or pos <= self._found.start())
        if not known:
            self._found = self._pattern.search(self._text, pos)
            self._since = pos
        return self._found


class Page:
    """One text, or the parts of one prompt in a row."""

    def __init__(self, text: str, seams: Sequence[int] = ()) -> None:
        self.text = text
        self._seams = sorted(seams)
        self._breaks = [seam for seam in self._seams if self._ends_sentence(seam)]
        self._units = Forward(_UNIT_BREAK, text)
        self._blank_lines = Forward(_BLANK_LINE, text)
        self._newlines = Forward(_NEWLINE, text)
        self._stops = Forward(_STOP, text)
        self._forward: dict[re.Pattern[str], Forward] = {}
        self._has: dict[str, bool] = {}
        self._line = (0, 0)  # a place and the start of its line
        self._quotations: dict[int, bool] = {}  # by the start of an indented line

    def has(self, literal: str) -> bool:
        known = self._has.get(literal)
        if known is None:
            known = self._has[literal] = literal in self.text
        return known

    def after(self, spans: Sequence[Span]) -> Page:
        """The page with these changes made; what it does not have, it need not look for again."""
        page = Page(splice(self.text, spans))
        absent = [literal for literal, present in self._has.items() if not present]
        reach = max(map(len, absent), default=0)
        around, shift = [], 0
        for span in spans:
            start, length = span.start + shift, len(span.replacement)
            around.append(page.text[max(0, start - reach) : start + length + reach])
            shift += length - (span.end - span.start)
        changed = "\0".join(around)
        page._has = {literal: False for literal in absent if literal not in changed}
        return page

    def next(self, pattern: re.Pattern[str], pos: int) -> re.Match[str] | None:
        if pattern not in self._forward:
            self._forward[pattern] = Forward(pattern, self.text)
        return self._forward[pattern].at(pos)

    # Where things end.

    def line_end(self, pos: int) -> int:
        """Where the line ends, its line break and a carriage return before it left out."""
        newline = self._newlines.at(pos)
        end = newline.start() if newline else len(self.text)
        return end - 1 if pos < end and self.text[end - 1] == "\r" else end

    def paragraph_end(self, pos: int) -> int:
        """The next blank line, or the end."""
        blank = self._blank_lines.at(pos)
        return blank.start() if blank else len(self.text)

    def unit_end(self, pos: int) -> int:
        """Where running prose ends: a blank line, a new list item, a heading, a tag, a fence."""
        found = self._units.at(pos)
        end = found.start() if found else len(self.text)
        index = bisect_left(self._breaks, pos)
        return min(end, self._breaks[index]) if index < len(self._breaks) else end

    def sentence_end(self, pos: int) -> End | None:
        """The mark that ends the sentence at `pos`, None if its unit or its line ends without one.

        A dot inside a version or an id is no mark: white space must follow.
        """
        limit = self.unit_end(pos)
        stop = self._stops.at(pos)
        if stop and stop.end() <= limit:
            return None if stop.group() == "\n" else End(stop.start(), stop.end())
        if limit in self._breaks:
            mark = _STOP_BEFORE_SEAM.search(self.text, max(pos, limit - 8), limit)
            return End(mark.start(), mark.start() + 1) if mark else None
        return None

    # Where things start.

    def crosses_seam(self, start: int, end: int) -> bool:
        index = bisect_right(self._seams, start)
        return index < len(self._seams) and self._seams[index] < end

    def starts_line(self, pos: int) -> bool:
        return pos == 0 or self.text[pos - 1] == "\n"

    def opens_line(self, pos: int) -> bool:
        """Only blanks stand before `pos` in its line."""
        line = self._line_start(pos)
        return pos - line <= _NEAR and not self.text[line:pos].strip(" \t")

    def closes_line(self, pos: int) -> bool:
        return bool(_LINE_REST.match(self.text, pos))

    def starts_sentence(self, pos: int) -> bool:
        if self._is_edge(pos):
            return True
        line = self._line_start(pos)
        head = self.text[max(line, pos - _NEAR) : pos]
        return bool(_SENTENCE_HEAD.search(head if line >= pos - _NEAR else "x" + head))

    def objection(self, start: int, end: int) -> str:
        """Why no match may be from `start` to `end`, or nothing."""
        if self.in_code(start):
            return "it starts in code"
        if self._word_at(end - 1, -1) and not self._is_edge(end) and self._word_at(end, 1):
            return "it ends inside a word"
        return "" if self._is_edge(start) else self._objection_to_start(start)

    def in_code(self, pos: int) -> bool:
        index = bisect_right(self._code, (pos, len(self.text))) - 1
        return index >= 0 and pos < self._code[index][1]

    @cached_property
    def _code(self) -> list[tuple[int, int]]:
        return code_spans(self.text)

    def _objection_to_start(self, start: int) -> str:
        if self._word_at(start - 1, -1):
            return "it starts inside a word"
        near = self.text[max(0, start - _NEAR) : start]
        head = re.split(r"[\s<>]", near)[-1]
        if "/" in head or "\\" in head or head[-1:] in tuple("@#$=&%~"):
            return "it starts inside a path or a URL"
        line = self._line_start(start)
        if _COMMAND.match(self.text, line, start):
            return "it stands on a command line"
        return "it is an indented quotation" if self._is_quotation(line) else ""

    def _is_quotation(self, line: int) -> bool:
        """An indented line in a run of such lines below one that ends with a colon."""
        answer, passed = False, []
        while self._is_indented(line):
            if line == 0 or line in self._quotations:
                answer = self._quotations.get(line, False)
                break
            passed.append(line)
            line = self.text.rfind("\n", 0, line - 1) + 1
        else:
            answer = bool(passed) and self.text[line : self.line_end(line)].rstrip().endswith(":")
        self._quotations.update(dict.fromkeys(passed, answer))
        return answer

    def _is_indented(self, line: int) -> bool:
        """By four columns or more, or blank; a list item is not."""
        indent = _INDENT.match(self.text, line)
        after = indent.end() if indent else line
        if after == len(self.text) or self.text[after] in "\r\n":
            return True
        deep = len(self.text[line:after].expandtabs(4)) >= 4
        return deep and not _LIST_ITEM.match(self.text, line)

    def _line_start(self, pos: int) -> int:
        since, start = self._line
        newline = self.text.rfind("\n", since if pos >= since else 0, pos)
        if newline >= 0:
            start = newline + 1
        elif pos < since:
            start = 0
        self._line = (pos, start)
        return start

    def _is_edge(self, pos: int) -> bool:
        if pos in (0, len(self.text)):
            return True
        index = bisect_left(self._seams, pos)
        return index < len(self._seams) and self._seams[index] == pos

    def _word_at(self, pos: int, step: int) -> bool:
        """A word stands there, seen in that direction; underscores that end one are emphasis."""
        for place in range(pos, pos + 4 * step, step):
            if not 0 <= place < len(self.text):
                return False
            if self.text[place] != "_":
                return self.text[place].isalnum()
        return True

    def _ends_sentence(self, seam: int) -> bool:
        before, after = self.text[max(0, seam - _NEAR) : seam], self.text[seam : seam + 1]
        if not before or not after:
            return False
        glued = not before[-1].isspace() and after.isupper() and not before[-1].isupper()
        return glued or bool(_STOP_BEFORE_SEAM.search(before))
