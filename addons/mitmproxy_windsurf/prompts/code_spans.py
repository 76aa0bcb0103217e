"""Where the code is in a whole prompt: fenced blocks and inline code, as spans of the text.

Unlike a stream, a prompt is known to its end, so a fence or a backtick that is never closed
delimits nothing: one stray mark must not hide the rest of a prompt from the rules.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

_BEFORE_FENCE = re.compile(r"[ \t>]*(?P<item>(?:[-*+]|\d{1,9}[.)])[ \t]+)?")
_RUN = {mark: re.compile(f"{mark}+") for mark in "`~"}


class _Fence(NamedTuple):
    """A line that opens or closes a fenced block."""

    start: int
    end: int
    mark: str
    length: int
    closes: bool


def code_spans(text: str) -> list[tuple[int, int]]:
    """Every stretch of code, in order, fences and backticks included."""
    fenced = list(_fenced(sorted([*_fences(text, "`"), *_fences(text, "~")])))
    edges = [0, *(edge for span in fenced for edge in span), len(text)]
    prose = zip(edges[::2], edges[1::2], strict=True)
    return sorted(fenced + [span for start, end in prose for span in _inline(text, start, end)])


def _fences(text: str, mark: str) -> Iterator[_Fence]:
    line, pos = 0, text.find(mark * 3)
    while pos >= 0:
        line = text.rfind("\n", line, pos) + 1 or line
        newline = text.find("\n", pos)
        end = newline if newline >= 0 else len(text)
        run = _run_end(text, pos, mark)
        info = text[run:end].strip()
        before = _BEFORE_FENCE.fullmatch(text, line, pos)
        if before and not (mark == "`" and "`" in info):
            yield _Fence(line, end, mark, run - pos, not info and not before["item"])
        line, pos = end, text.find(mark * 3, end)


def _fenced(fences: list[_Fence]) -> Iterator[tuple[int, int]]:
    closers = {"`": 0, "~": 0}  # the longest one behind each fence
    behind: list[int] = []
    for fence in reversed(fences):
        behind.append(closers[fence.mark])
        if fence.closes:
            closers[fence.mark] = max(closers[fence.mark], fence.length)
    opener: _Fence | None = None
    for fence, longest in zip(fences, reversed(behind), strict=True):
        if opener is None:
            opener = fence if longest >= fence.length else None
        elif fence.closes and fence.mark == opener.mark and fence.length >= opener.length:
            yield opener.start, fence.end
            opener = None


def _inline(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Code between runs of backticks of the same length on one line."""
    line: list[tuple[int, int]] = []
    pos = text.find("`", start, end)
    while pos >= 0:
        if line and text.find("\n", line[-1][1], pos) >= 0:
            yield from _paired(line)
            line = []
        line.append((pos, _run_end(text, pos, "`")))
        pos = text.find("`", line[-1][1], end)
    yield from _paired(line)


def _paired(runs: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    by_length: dict[int, list[int]] = {}
    for index, (start, end) in enumerate(runs):
        by_length.setdefault(end - start, []).append(index)
    index = 0
    while index < len(runs):
        start, end = runs[index]
        alike = by_length[end - start]
        later = bisect_right(alike, index)
        if later < len(alike):
            index = alike[later]
            yield start, runs[index][1]
        index += 1


def _run_end(text: str, pos: int, mark: str) -> int:
    run = _RUN[mark].match(text, pos)
    return run.end() if run else pos
