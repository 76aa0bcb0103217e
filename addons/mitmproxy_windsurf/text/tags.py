"""Reads one tag as it comes: `<name attributes>`, `</name >`, `<name/>`.

Names are matched in any case. The state is small whatever the length of the tag.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from enum import Enum
from typing import Final, cast


def _run_of(chars: str) -> Callable[[str, int], re.Match[str]]:
    """Matches a run of these characters, which may be empty, so that there is always a match."""
    return cast("Callable[[str, int], re.Match[str]]", re.compile(f"{chars}*").match)


_BLANKS: Final = _run_of(r"\s")
_ATTRIBUTES: Final = _run_of("[^<>]")


class Form(Enum):
    """What has been read."""

    UNFINISHED = "unfinished"
    NO_TAG = "no tag"
    OPENING = "opening"
    CLOSING = "closing"
    EMPTY = "self-closing"


class TagReader:
    """Reads on from an "<": a tag that opens one of `names` or closes one of `closable`."""

    __slots__ = ("_closable", "_closing", "_named", "_names", "_slash", "form", "name")

    def __init__(self, names: Collection[str], closable: Collection[str]) -> None:
        self._names = names
        self._closable = closable
        self._closing = False
        self._named = False
        self._slash = False
        """Whether the attributes end in a slash, so far."""
        self.name = ""
        """The name so far, in lower case."""
        self.form = Form.UNFINISHED

    def read(self, text: str, pos: int) -> int:
        """Read on and return where this stopped.

        That is the end of the text, of the tag, or of what could be one. An "<" only interrupts:
        if what it begins vanishes, this tag can go on.
        """
        while pos < len(text) and self.form is Form.UNFINISHED and text[pos] != "<":
            if not self._named:
                pos = self._read_name(text, pos)
            elif self._closing:
                pos = self._read_end(text, _BLANKS(text, pos), Form.CLOSING)
            else:
                rest = _ATTRIBUTES(text, pos)
                if attributes := rest[0].rstrip():
                    self._slash = attributes.endswith("/")
                pos = self._read_end(text, rest, Form.EMPTY if self._slash else Form.OPENING)
        return pos

    def _read_name(self, text: str, pos: int) -> int:
        char = text[pos]
        if not self.name and not self._closing and char == "/":
            self._closing = True
            known = bool(self._closable)
        elif not self.name and self._closing and char.isspace():
            known = True
        else:
            names = self._closable if self._closing else self._names
            if self.name in names and (char.isspace() or char in "/>"):
                self._named = True
                return pos
            self.name += char.lower()
            known = any(name.startswith(self.name) for name in names)
        if known:
            return pos + 1
        self.form = Form.NO_TAG
        return pos

    def _read_end(self, text: str, rest: re.Match[str], form: Form) -> int:
        end = rest.end()
        if text.startswith(">", end):
            self.form = form
            return end + 1
        if end < len(text) and text[end] != "<":
            self.form = Form.NO_TAG
        return end
