"""Tells, character by character, what a text is while it could still be JSON.

`JSONScanner` accepts exactly RFC 8259, and any number of objects and arrays in a row (JSON lines).
It never waits and never looks ahead: every character is classified when it arrives, and the first
one after which no valid JSON is possible turns the rest of the text into `Kind.OTHER`. Cuts may
fall anywhere, also inside numbers, literals and escapes. Work is linear, and an open bracket takes
one byte.
"""

from __future__ import annotations

import re
from enum import Enum
from string import digits, hexdigits


class Kind(Enum):
    """What a stretch of the text is."""

    SYNTAX = "syntax"
    """Structure, white space, numbers, literals, and the quotes around strings."""
    KEY = "key"
    """The raw characters between the quotes of an object's key."""
    STRING = "string"
    """The raw characters between the quotes of any other string."""
    OTHER = "other"
    """Not JSON: the first character that does not fit, and all that follow it."""


def _each(characters: str, target: str) -> dict[str, str]:
    return dict.fromkeys(characters, target)


# The grammar as data: state -> character -> next state. Targets that are no states are actions:
# they move the stack or change the kind (see `_act`).
_LITERALS = ("true", "false", "null")
_CONTAINER = {"{": "open object", "[": "open array"}
_VALUE = {
    **_CONTAINER,
    '"': "open string",
    "-": "minus",
    "0": "zero",
    **_each("123456789", "integer"),
    **{word[0]: word[0] for word in _LITERALS},
}
_STRUCTURE = {
    "value": _VALUE,
    "first item": {**_VALUE, "]": "close"},
    "after item": {",": "value", "]": "close"},
    "first key": {'"': "open key", "}": "close"},
    "key": {'"': "open key"},
    "after key": {":": "value"},
    "after member": {",": "key", "}": "close"},
    "done": _CONTAINER,
}
_NUMBERS = {
    "minus": {"0": "zero", **_each("123456789", "integer")},
    "zero": {".": "point", **_each("eE", "exponent")},
    "integer": {**_each(digits, "integer"), ".": "point", **_each("eE", "exponent")},
    "point": _each(digits, "fraction"),
    "fraction": {**_each(digits, "fraction"), **_each("eE", "exponent")},
    "exponent": {**_each("+-", "exponent sign"), **_each(digits, "exponent digits")},
    "exponent sign": _each(digits, "exponent digits"),
    "exponent digits": _each(digits, "exponent digits"),
}
_SYNTAX: dict[str, dict[str, str]] = {
    **{state: {**_each(" \t\n\r", state), **moves} for state, moves in _STRUCTURE.items()},
    **_NUMBERS,
    **{word[:i]: {word[i]: word[: i + 1]} for word in _LITERALS for i in range(1, len(word) - 1)},
    **{word[:-1]: {word[-1]: "end"} for word in _LITERALS},
    "end of string": {'"': "end"},
    "end of key": {'"': "after key"},
}
_COMPLETE_NUMBERS = frozenset({"zero", "integer", "fraction", "exponent digits"})

# Inside the quotes; "body" is where a string may end.
_STRING: dict[str, dict[str, str]] = {
    "body": {"\\": "escape"},
    "escape": {**_each('"\\/bfnrt', "body"), "u": "hex 1"},
    "hex 1": _each(hexdigits, "hex 2"),
    "hex 2": _each(hexdigits, "hex 3"),
    "hex 3": _each(hexdigits, "hex 4"),
    "hex 4": _each(hexdigits, "body"),
}
_PLAIN = r'[^"\\\x00-\x1f]*+'
_BODY = re.compile(rf'{_PLAIN}(?:\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{{4}}){_PLAIN})*+')

# The stack holds what contains the value at hand; this is what may follow the value there.
_TOP, _ARRAY, _OBJECT = range(3)
_AFTER = ("done", "after item", "after member")


class JSONScanner:
    """Classifies a text that arrives in pieces; one instance per text."""

    def __init__(self) -> None:
        self._kind = Kind.SYNTAX
        self._state = "value"
        self._stack = bytearray([_TOP])

    @property
    def broken(self) -> bool:
        """A character came that cannot continue valid JSON."""
        return self._kind is Kind.OTHER

    @property
    def complete(self) -> bool:
        """The text so far is valid JSON as it stands (a number at the top level may still grow)."""
        return not self.broken and (
            self._state == "done" or (self._state in _COMPLETE_NUMBERS and self._stack[-1] == _TOP)
        )

    def feed(self, text: str, /) -> list[tuple[Kind, str]]:
        """Classify more text: its stretches in order, none of them empty.

        A string ends where `SYNTAX` or `OTHER` follows. A `STRING` that begins a feed continues
        the one that ended the feed before. An empty string is nothing between two quotes.
        """
        pieces: list[tuple[Kind, str]] = []
        start, size = 0, len(text)
        while start < size:
            kind = self._kind
            if kind is Kind.SYNTAX:
                end = self._syntax(text, start)
            elif kind is Kind.OTHER:
                end = size
            else:
                end = self._string(text, start)
            if start < end:
                pieces.append((kind, text[start:end]))
            start = end
        return pieces

    def _syntax(self, text: str, pos: int) -> int:
        """Walk structure; return the place of the first character of another kind."""
        state = self._state
        while pos < len(text):
            target = _SYNTAX[state].get(text[pos])
            if target is None:
                if state not in _COMPLETE_NUMBERS:
                    self._kind = Kind.OTHER
                    break
                state = _AFTER[self._stack[-1]]  # the number ended before this character
                continue
            pos += 1
            if target in _SYNTAX:
                state = target
            else:
                state = self._act(target)
                if self._kind is not Kind.SYNTAX:
                    break
        self._state = state
        return pos

    def _act(self, action: str) -> str:
        """Do what takes more than a table; return the next state."""
        match action:
            case "open string":
                self._kind = Kind.STRING
                return "body"
            case "open key":
                self._kind = Kind.KEY
                return "body"
            case "open object":
                self._stack.append(_OBJECT)
                return "first key"
            case "open array":
                self._stack.append(_ARRAY)
                return "first item"
            case "close":
                self._stack.pop()
        return _AFTER[self._stack[-1]]

    def _string(self, text: str, pos: int) -> int:
        """Walk the inside of a string; return the place of the first character after it."""
        state = self._state
        while True:
            if state == "body" and (body := _BODY.match(text, pos)):
                pos = body.end()
            if pos == len(text):
                break
            if state == "body" and text[pos] == '"':
                state = "end of key" if self._kind is Kind.KEY else "end of string"
                self._kind = Kind.SYNTAX
                break
            target = _STRING[state].get(text[pos])
            if target is None:
                self._kind = Kind.OTHER
                break
            state = target
            pos += 1
        self._state = state
        return pos
