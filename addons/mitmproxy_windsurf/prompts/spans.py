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
    """The spans of `first`, then of `second` on what it made, as spans of the original text."""
    result: list[Span] = []
    olds = list(_placed(first))
    shift = index = 0  # original place = place in between + shift, behind olds[:index]
    for new in second:
        while index < len(olds) and olds[index].end <= new.start:
            result.append(olds[index].span)
            shift = olds[index].span.end - olds[index].end
            index += 1
        start, before, after = new.start + shift, "", ""
        if index < len(olds) and olds[index].start < new.start:
            start = olds[index].span.start
            before = olds[index].span.replacement[: new.start - olds[index].start]
        end = new.end + shift
        while index < len(olds) and olds[index].start < new.end:
            old = olds[index]
            shift = old.span.end - old.end
            end = new.end + shift
            if old.end > new.end:
                end = old.span.end
                after = old.span.replacement[new.end - old.start :]
            index += 1
        result.append(Span(start, end, before + new.replacement + after, new.rule))
        if after:  # a later span may still reach into what is left of this one
            olds.insert(
                index, _Placed(new.end, new.end + len(after), Span(end, end, after, new.rule))
            )
            result[-1] = result[-1]._replace(replacement=before + new.replacement)
    return _merged(result + [old.span for old in olds[index:]])


class _Placed(NamedTuple):
    """A span of the original and where its replacement stands in the text in between."""

    start: int
    end: int
    span: Span


def _placed(spans: Iterable[Span]) -> Iterator[_Placed]:
    shift = 0
    for span in spans:
        start = span.start + shift
        yield _Placed(start, start + len(span.replacement), span)
        shift += len(span.replacement) - (span.end - span.start)


def _merged(spans: Iterable[Span]) -> list[Span]:
    """What stands at one place becomes one span."""
    merged: list[Span] = []
    for span in spans:
        if merged and span.start == span.end == merged[-1].end:
            last = merged.pop()
            span = last._replace(replacement=last.replacement + span.replacement)
        merged.append(span)
    return merged


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
