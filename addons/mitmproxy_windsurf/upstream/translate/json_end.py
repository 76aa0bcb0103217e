"""Tells, while JSON text comes in pieces, whether the object or array in it is complete."""

from __future__ import annotations

import re

_MARK = re.compile(r'\\.?|["{}\[\]]', re.DOTALL)


class JsonEnd:
    """Follows one JSON text; it need not be valid, brackets and strings are all that is looked at.

    `begun` once something other than white space has come, `reached` once the outermost bracket has
    been closed.
    """

    def __init__(self) -> None:
        self.begun = False
        self.reached = False
        self._depth = 0
        self._in_string = False
        self._escaped = False

    def feed(self, text: str) -> None:
        """Take the next piece."""
        self.begun = self.begun or not (text.isspace() or not text)
        start = 1 if self._escaped and text else 0
        self._escaped = self._escaped and not text
        for match in _MARK.finditer(text, start):
            mark = match[0]
            if mark[0] == "\\":
                self._escaped = self._in_string and len(mark) == 1
            elif mark == '"':
                self._in_string = not self._in_string
            elif not self._in_string:
                self._depth += 1 if mark in "{[" else -1
                self.reached = self.reached or self._depth <= 0
