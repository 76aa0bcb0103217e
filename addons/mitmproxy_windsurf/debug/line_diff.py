"""Unified diffs of long texts, in time that grows with their length.

difflib alone can take minutes for what a coding agent sends. Lines that occur once on either side
hold the two together (Bram Cohen's patience diff), and difflib compares what is between them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import Match, SequenceMatcher
from typing import NamedTuple

CONTEXT = 3
"""Equal lines around a change."""

LARGEST_GAP = 40_000
"""Lines times lines between two anchors that are compared; more count as replaced altogether."""

LONGEST_LINE = 240
AROUND = 80
"""Characters of a long line that are shown beside a change in it."""

LONGEST_CHANGE = 2000


class Hunk(NamedTuple):
    """A place where the texts differ. Line numbers count from 1."""

    old_start: int
    new_start: int
    lines: list[tuple[str, str]]
    """Each with its sign: " ", "-" or "+"."""

    @property
    def removed(self) -> list[str]:
        return [line for sign, line in self.lines if sign == "-"]

    @property
    def added(self) -> list[str]:
        return [line for sign, line in self.lines if sign == "+"]

    def text(self, title: str) -> list[str]:
        """The lines of a unified diff; of long ones that differ in part, only that part."""
        old, new = (sum(sign in (" ", kind) for sign, _ in self.lines) for kind in "-+")
        head = f"@@ -{self.old_start},{old} +{self.new_start},{new} @@ {title}".rstrip()
        return [head, *(f"{sign}{line}" for sign, line in _shortened(self.lines))]


class Patience(SequenceMatcher[str]):
    """A matcher that finds the same kind of blocks, only faster."""

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        super().__init__(None, old, new, autojunk=False)
        self._old, self._new = list(old), list(new)

    def get_matching_blocks(self) -> list[Match]:
        old, new = self._old, self._new
        blocks: list[list[int]] = []
        start_old = start_new = 0
        for end_old, end_new in (*_anchors(old, new), (len(old), len(new))):
            for block in _between(old[start_old:end_old], new[start_new:end_new]):
                _append(blocks, start_old + block.a, start_new + block.b, block.size)
            if end_old < len(old):
                _append(blocks, end_old, end_new, 1)
            start_old, start_new = end_old + 1, end_new + 1
        return [Match(*block) for block in (*blocks, [len(old), len(new), 0])]


def hunks(old: Sequence[str], new: Sequence[str]) -> Iterator[Hunk]:
    """All differences, each with some equal lines around it."""
    for group in Patience(old, new).get_grouped_opcodes(CONTEXT):
        lines: list[tuple[str, str]] = []
        for kind, old_start, old_end, new_start, new_end in group:
            if kind == "equal":
                lines += ((" ", line) for line in old[old_start:old_end])
            else:
                lines += (("-", line) for line in old[old_start:old_end])
                lines += (("+", line) for line in new[new_start:new_end])
        yield Hunk(group[0][1] + 1, group[0][3] + 1, lines)


def _anchors(old: list[str], new: list[str]) -> list[tuple[int, int]]:
    """Lines that occur once on either side, as many as can be had in the same order."""
    once_old, once_new = (
        {line for line, count in Counter(lines).items() if count == 1} for lines in (old, new)
    )
    where = {line: index for index, line in enumerate(new) if line in once_new}
    tails: list[int] = []
    ends: list[tuple[int, int, int]] = []  # position in old and new, and the end it follows
    last: list[int] = []
    for index, line in enumerate(old):
        if line not in once_old or line not in where:
            continue
        place = bisect_left(tails, where[line])
        ends.append((index, where[line], last[place - 1] if place else -1))
        if place == len(tails):
            tails.append(0)
            last.append(0)
        tails[place], last[place] = where[line], len(ends) - 1
    found = []
    at = last[-1] if last else -1
    while at >= 0:
        old_at, new_at, at = ends[at]
        found.append((old_at, new_at))
    return found[::-1]


def _between(old: list[str], new: list[str]) -> list[Match]:
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    middle_old, middle_new = old[start : len(old) - end], new[start : len(new) - end]
    found = [Match(0, 0, start)]
    if len(middle_old) * len(middle_new) <= LARGEST_GAP:
        matcher = SequenceMatcher(None, middle_old, middle_new, autojunk=False)
        found += (
            Match(start + block.a, start + block.b, block.size)
            for block in matcher.get_matching_blocks()
        )
    return [*found, Match(len(old) - end, len(new) - end, end)]


def _append(blocks: list[list[int]], old: int, new: int, size: int) -> None:
    if not size:
        return
    if blocks and sum(blocks[-1][::2]) == old and blocks[-1][1] + blocks[-1][2] == new:
        blocks[-1][2] += size
    else:
        blocks.append([old, new, size])


def _shortened(lines: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    removed = [line for sign, line in lines if sign == "-"]
    added = [line for sign, line in lines if sign == "+"]
    paired = len(removed) == len(added)
    position = {"-": 0, "+": 0}
    for sign, line in lines:
        other = ""
        if sign != " ":
            if paired:
                other = (added if sign == "-" else removed)[position[sign]]
            position[sign] += 1
        yield sign, line if len(line) <= LONGEST_LINE else _around(line, other)


def _around(line: str, other: str) -> str:
    """The part of a long line in which it differs from the other one, or else its beginning."""
    if not other:
        return f"{line[:LONGEST_LINE]}…"
    shared = min(len(line), len(other))
    start = 0
    while start < shared and line[start] == other[start]:
        start += 1
    end = 0
    while end < shared - start and line[-1 - end] == other[-1 - end]:
        end += 1
    start = max(0, start - AROUND)
    stop = min(len(line), len(line) - end + AROUND, start + LONGEST_CHANGE)
    before, after = "…" if start else "", "…" if stop < len(line) else ""
    return f"{before}{line[start:stop]}{after}"
