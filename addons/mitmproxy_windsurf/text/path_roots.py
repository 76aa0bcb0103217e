"""The private roots: which they are, where one may begin, and whether a text spells one out."""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache
from string import ascii_letters, digits
from typing import Final

from mitmproxy_windsurf.text.path_chars import SEPARATORS, continues_name

SANDBOX_ROOTS: Final = ("/tmp/windsurf-workspace", "/opt/windsurf")
ACCOUNT_ROOT: Final = "/home/user/projects/workspace-"
"""A name follows, and its first character decides: the rest of it is tail."""

_NAME: Final = ascii_letters + digits + "_"
NAME: Final = _NAME + "-"
"""What the rest of a name is made of."""

DRIVES: Final = "CD"
"""Drive letters that go with the root; any other stays in front of the marker: `E:<workspace>`.

A letter at the end of a delta has to wait, in case a colon follows, so this set is what prose pays
for. Of the 4-character deltas of English, so many end in such a letter at the beginning of a word:
C 0.08 %, D 0.03 %, E 0.04 % (model answers, a manual; up to 0.24, 0.14 and 0.08 % in licenses), and
a small c 0.8 %. The goal is less than 0.3 % in all, separators included: 0.14 % with C and D.
"""

LONGEST_RUN: Final = 4
"""Separators between two segments, and after a drive letter: `C:\\\\\\\\home` is escaped twice."""


class Node:
    """A place in the tree of all roots, reached by the characters of a root without its start."""

    __slots__ = ("children", "complete", "ends")

    def __init__(self) -> None:
        self.children: dict[str, Node] = {}
        self.ends = False
        """A root ends here if the next character does not continue the name."""
        self.complete = False
        """A root is complete here, whatever follows."""


class Verdict(Enum):
    """What a walk has come to."""

    ROOT = "root"
    NO_ROOT = "no root"
    OPEN = "open"


class Walk:
    """Reads a root as it comes, from the first character after its start."""

    __slots__ = ("_node", "_run")

    def __init__(self, tree: Node) -> None:
        self._node = tree
        self._run = 0
        """The length of the run of separators that has been read last."""

    def read(self, text: str, start: int, *, final: bool) -> tuple[Verdict, int]:
        """Read on from `start`; the verdict, and where it was reached."""
        node, run = self._node, self._run
        for index in range(start, len(text)):
            char = text[index]
            if node.ends and not continues_name(char):
                return Verdict.ROOT, index
            run = run + 1 if char in "/\\" else 0
            if 1 < run <= LONGEST_RUN:
                continue
            child = node.children.get("/" if run else char)
            if child is None:
                return Verdict.NO_ROOT, index
            if child.complete:
                return Verdict.ROOT, index + 1
            node = child
        self._node, self._run = node, run
        if final:
            return (Verdict.ROOT if node.ends else Verdict.NO_ROOT), len(text)
        return Verdict.OPEN, len(text)


class Roots:
    """The tree of all roots, and the pattern of their beginnings."""

    def __init__(self, private_paths: tuple[str, ...]) -> None:
        self._tree = Node()
        self.drives = set(DRIVES)
        for path in (*SANDBOX_ROOTS, *private_paths):
            if node := self._grow(path):
                node.ends = True
        if account := self._grow(ACCOUNT_ROOT):
            name = Node()
            name.complete = True
            account.children.update(dict.fromkeys(_NAME, name))
        self.candidate = re.compile(self._pattern()).search
        """Finds where a root may begin: a run of separators, with or without a drive before it."""
        self.beginnings = SEPARATORS + "".join(sorted(self.drives))
        """For `[…]` of a regex: what a root may begin with."""

    def _grow(self, path: str) -> Node | None:
        """The node of this path; none if it names no directory at all."""
        if drive := re.match(r"([A-Za-z]):", path):
            self.drives.add(drive[1].upper())
            path = path[2:]
        segments = [segment for segment in re.split(rf"[{SEPARATORS}]+", path) if segment]
        node = self._tree
        for char in "/".join(segments):
            node = node.children.setdefault(char, Node())
        return node if segments else None

    def _pattern(self) -> str:
        # Every alternative begins with a literal, which lets the search skip quickly, and a run is
        # tried at its first separator alone, or a long one would be read again from each of them.
        first = "".join(re.escape(char) for char in self._tree.children)
        rest = rf"[{SEPARATORS}]*+(?=[{first}]|\Z)"
        runs = [rf"{slash}(?<![{SEPARATORS}]{slash}){rest}" for slash in ("/", r"\\")]
        drives = [rf"{drive}(?::(?:[{SEPARATORS}]{rest}|\Z)|\Z)" for drive in sorted(self.drives)]
        return "|".join(runs + drives)

    def walk(self) -> Walk:
        return Walk(self._tree)


@lru_cache(maxsize=16)
def roots_of(private_paths: tuple[str, ...]) -> Roots:
    """The roots of a configuration are built once."""
    return Roots(private_paths)
