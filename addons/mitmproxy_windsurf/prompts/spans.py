"""Stretches of a text and what replaces them: laid out, applied, two lists of them made one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple


class Span(NamedTuple):
    """`rule` put `replacement` in place of the characters from `start` to `end`."""

    start: int
    end: int
    replacement: str
    rule: str


_MARKS = re.compile(r"(?<!\w)[*_]{1,3}|[*_]{1,3}(?!\w)")
_BLANKS = re.compile(r"[^\S\n]*")
_LINE_REST = re.compile(r"[^\S\n]*(?:\n|\Z)")
_EMPTY_ITEM = re.compile(r"[^\S\n]*(?:>[^\S\n]*)*(?:(?:[-*+•‣·]|\d{1,3}[.)])[^\S\n]+)?")


def lay_out(text: str, spans: Sequence[Span]) -> list[Span]:
    """Ascending spans, widened so that what is left around them reads well.

    Half of a pair of emphasis marks goes with the other half. Around a removal go the blanks that
    would be doubled or trail, and a line of which nothing is left, bullet and all.
    """
    balanced = [_balanced(text, span) for span in spans]
    laid: list[Span] = []
    for run in _removals(text, balanced):
        floor = laid[-1].end if laid else 0
        if run[0].replacement:
            laid.append(run[0]._replace(start=max(floor, run[0].start)))
            continue
        start, end = _tidied(text, max(floor, run[0].start), run[-1].end, floor)
        edges = [start, *(span.start for span in run[1:]), end]
        laid += [
            span._replace(start=left, end=right)
            for span, (left, right) in zip(run, pairwise(edges), strict=True)
        ]
    return laid


def splice(text: str, spans: Iterable[Span]) -> str:
    pieces: list[str] = []
    done = 0
    for span in spans:
        pieces += [text[done : span.start], span.replacement]
        done = span.end
    pieces.append(text[done:])
    return "".join(pieces)


def compose(first: Sequence[Span], second: Sequence[Span]) -> list[Span]:
    """The spans of `first`, then of `second` on what it made, as spans of the original text.

    Where spans of the two overlap they become one, which the later rule answers for.
    """
    result: list[Span] = []
    shift = 0  # from a place in the text between the two to the same place in the original
    for olds, news in _overlapping(_placed(first), second):
        group: list[_Placed | Span] = [*olds, *news]
        start = min(span.start for span in group) + shift
        shift += sum(old.shift for old in olds)
        end = max(span.end for span in group) + shift
        pieces = [*_uncovered(olds, news), *((new.start, new.replacement) for new in news)]
        replacement = "".join(text for _, text in sorted(pieces))
        result.append(Span(start, end, replacement, (news or olds)[-1].rule))
    return result


class _Placed(NamedTuple):
    """Where the replacement of an earlier span stands, and how far back what follows came from."""

    start: int
    end: int
    replacement: str
    rule: str
    shift: int


def _placed(spans: Iterable[Span]) -> Iterator[_Placed]:
    shift = 0
    for span in spans:
        start, length = span.start - shift, len(span.replacement)
        own = span.end - span.start - length
        yield _Placed(start, start + length, span.replacement, span.rule, own)
        shift += own


def _overlapping(
    olds: Iterable[_Placed], news: Iterable[Span]
) -> Iterator[tuple[list[_Placed], list[Span]]]:
    """Spans of both lists, in groups that do not overlap one another."""
    old_group: list[_Placed] = []
    new_group: list[Span] = []
    reach = 0
    spans: list[_Placed | Span] = [*olds, *news]
    for span in sorted(spans, key=lambda span: (span.start, span.end)):
        if span.start >= reach and (old_group or new_group):
            yield old_group, new_group
            old_group, new_group = [], []
        if isinstance(span, Span):
            new_group.append(span)
        else:
            old_group.append(span)
        reach = max(reach, span.end)
    if old_group or new_group:
        yield old_group, new_group


def _uncovered(olds: Iterable[_Placed], news: Sequence[Span]) -> Iterator[tuple[int, str]]:
    """What of the replacements no later span replaces, and where it stands."""
    index = 0
    for old in olds:
        pos = old.start
        while index < len(news) and news[index].start < old.end:
            yield pos, old.replacement[pos - old.start : max(0, news[index].start - old.start)]
            pos = news[index].end
            if pos > old.end:
                break
            index += 1
        if pos < old.end:
            yield pos, old.replacement[pos - old.start :]


def _balanced(text: str, span: Span) -> Span:
    marks = _MARKS.findall(text, span.start, span.end) if span.end > span.start else []
    if len(marks) % 2:
        if text.endswith(marks[0], 0, span.start):
            return span._replace(start=span.start - len(marks[0]))
        if text.startswith(marks[-1], span.end):
            return span._replace(end=span.end + len(marks[-1]))
    return span


def _removals(text: str, spans: Sequence[Span]) -> Iterator[list[Span]]:
    """Removals with nothing but blanks between them in one list, everything else alone."""
    run: list[Span] = []
    for span in spans:
        if run and not span.replacement and not text[run[-1].end : span.start].strip(" \t"):
            run.append(span)
            continue
        if run:
            yield run
            run = []
        if span.replacement:
            yield [span]
        else:
            run = [span]
    if run:
        yield run


def _tidied(text: str, start: int, end: int, floor: int) -> tuple[int, int]:
    newline = text.rfind("\n", max(0, floor - 1), start)
    line = 0 if newline < 0 and floor == 0 else newline + 1  # 0 too if a span ends in this line
    whole_line = newline >= 0 or floor == 0
    ends_line = _LINE_REST.match(text, end)
    if ends_line:
        if whole_line and _EMPTY_ITEM.fullmatch(text, line, start):
            return line, ends_line.end()
        while start > floor and text[start - 1] in " \t":
            start -= 1
        return start, end
    if start == line or text[start - 1].isspace():
        blanks = _BLANKS.match(text, end)
        end = blanks.end() if blanks else end
    return start, end
