"""The one record that some upstreams send in place of an answer.

It is a JSON object with exactly four keys, in any order, whose values are strings: name, which is
`Cascade`, provider, model and description. It is written plainly, without escapes in the keys and
the name, and takes at most 16 KiB.
"""

from __future__ import annotations

import json
import re
from typing import Final

from mitmproxy_windsurf.text.json_scan import Kind
from mitmproxy_windsurf.text.transform import Transform

MAX_RECORD: Final = 16 * 1024
_KEYS: Final = frozenset({"name", "provider", "model", "description"})
_NAME: Final = "Cascade"

_HEX: Final = "[0-9a-fA-F]"
_HIGH: Final = rf"\\u[dD][89abAB]{_HEX}{{2}}"
_LOW: Final = rf"\\u[dD][c-fC-F]{_HEX}{{2}}"
_WHOLE: Final = re.compile(
    rf"(?:[^\\]++|{_HIGH}{_LOW}|{_HIGH}(?=[^\\]|\\[^u]|\\u[^dD]|\\u[dD][^c-fC-F])"
    rf"|(?!{_HIGH})\\u{_HEX}{{4}}|\\[^u])*+"
).match
"""The inside of a string, but for an unfinished escape and half of a surrogate pair at its end."""


class Record:
    """A JSON text as long as it may be the record; `inner` rewrites what it describes."""

    def __init__(self, inner: Transform) -> None:
        self.raw = ""
        self.description = ""
        self.possible = True
        """Whether `raw` is the record or the beginning of one."""
        self.end: int | None = None
        """Where in the last stretch the object was complete."""
        self._inner = inner
        self._out = ""
        """What the description becomes."""
        self._sent = 0
        """How many characters of `raw` are out, because `_out` begins with them too."""
        self._missing = set(_KEYS)
        self._key = ""
        self._awaits_key = True
        self._quoted = False
        self._text = ""
        """What has come of a key, or of the name."""
        self._escape = ""
        """The end of the raw description that means nothing yet."""

    @property
    def held(self) -> str:
        return self.raw[self._sent :]

    @property
    def unwrapped(self) -> str:
        """What the record becomes, without what is out already."""
        return self._out[self._sent :]

    def take(self, kind: Kind, stretch: str) -> str:
        """Look at the next stretch; return what goes out whatever this turns out to be."""
        if kind is Kind.SYNTAX:
            self._syntax(stretch)
        elif kind is Kind.KEY:
            self._text += stretch
            self.possible = any(key.startswith(self._text) for key in self._missing)
        elif kind is Kind.STRING and self._key == "name":
            self._text += stretch
            self.possible = _NAME.startswith(self._text)
        elif kind is Kind.STRING and self._key == "description":
            raw = self._escape + stretch
            whole = _WHOLE(raw)
            self._describe(raw, whole.end() if whole else 0)
        size = len(self.raw) + (self.end or len(stretch))
        self.possible &= kind is not Kind.OTHER and size <= MAX_RECORD
        self.raw += stretch[: self.end] if self.possible else stretch
        return self._agreed() if self.possible else ""

    def _syntax(self, stretch: str) -> None:
        for at, char in enumerate(stretch, 1):
            if char == '"':
                if self._quoted:
                    self._unquote()
                self._quoted = not self._quoted
            elif char == ":":
                self._awaits_key = False
            elif char == ",":
                self._awaits_key = True
                self.possible = bool(self._missing)
            elif char == "}":
                self.end = at
                self.possible = not self._missing
            elif char not in " \t\r\n":
                self.possible = char == "{" and not self.raw and at == 1
            if self.end or not self.possible:
                break

    def _unquote(self) -> None:
        text, self._text = self._text, ""
        if self._awaits_key:
            self._key = text
            self.possible = text in self._missing
            self._missing.discard(text)
        elif self._key == "name":
            self.possible = text == _NAME
        elif self._key == "description":
            self._describe(self._escape, len(self._escape))

    def _describe(self, raw: str, end: int) -> None:
        self._escape = raw[end:]
        meaning = str(json.loads(f'"{raw[:end]}"'))
        self.description += meaning
        self._out += self._inner.feed(meaning)

    def _agreed(self) -> str:
        """What has become certain: the beginning that the record and its description share."""
        start = self._sent
        limit = min(len(self._out), len(self.raw))
        while self._sent < limit and self._out[self._sent] == self.raw[self._sent]:
            self._sent += 1
        return self.raw[start : self._sent]
