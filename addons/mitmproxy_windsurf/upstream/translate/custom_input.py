"""Takes the one string out of the arguments of a function that stands for a custom tool, while they
stream: of `{"input": "text"}` the text.

Models do not always keep to what a function asks for. Arguments of another shape are held to their
end, and then come out as the string that they have under the name, or as their only string, or as
they are.
"""

from __future__ import annotations

import json
import re

_LONGEST_HEAD = 256
_HEX = "[0-9a-fA-F]"
_HIGH = rf"\\u[dD][89abAB]{_HEX}{{2}}"
_ESCAPE = rf"\\(?:u{_HEX}{{0,3}})?"
_TOKEN = re.compile(
    rf"""
      (?P<plain> [^"\\]+ )
    | (?P<cut> (?: {_HIGH} (?:{_ESCAPE})? | {_ESCAPE} ) \Z )
    | (?P<escape> {_HIGH} \\u[dD][c-fC-F]{_HEX}{{2}} | \\u{_HEX}{{4}} | \\. )
    | (?P<end> " )
    """,
    re.VERBOSE | re.DOTALL,
)


class CustomInput:
    """Decodes the arguments of one call; `name` is that of the string."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._head = re.compile(rf'\s*\{{\s*"{re.escape(name)}"\s*:\s*"')
        self._pieces: list[str] = []
        """What has come and is not decided."""
        self._take = self._before

    def feed(self, text: str) -> str:
        """Take more of the arguments and return what they add to the string."""
        return self._take(text)

    def flush(self) -> str:
        """The arguments ended: the rest of the string."""
        held, self._pieces = "".join(self._pieces), []
        decided = self._take not in (self._before, self._other)
        return held if decided else _string_in(held, self._name)

    def _before(self, text: str) -> str:
        self._pieces.append(text)
        held = "".join(self._pieces)
        if match := self._head.match(held):
            self._take = self._inside
            self._pieces = []
            return self._inside(held[match.end() :])
        begun = "".join(held.split())
        if len(held) > _LONGEST_HEAD or not f'{{"{self._name}":"'.startswith(begun):
            self._take = self._other
        return ""

    def _inside(self, text: str) -> str:
        text, self._pieces = "".join((*self._pieces, text)), []
        out: list[str] = []
        for token in _TOKEN.finditer(text):
            match token.lastgroup:
                case "plain":
                    out.append(token[0])
                case "escape":
                    out.append(_meaning(token[0]))
                case "cut":
                    self._pieces = [token[0]]
                case _:
                    self._take = self._after
                    break
        return "".join(out)

    def _after(self, text: str) -> str:
        """Nothing: a custom tool has but one string."""
        return ""

    def _other(self, text: str) -> str:
        self._pieces.append(text)
        return ""


def _meaning(escape: str) -> str:
    """What an escape stands for; one that is none in JSON is text."""
    try:
        return str(json.loads(f'"{escape}"'))
    except ValueError:
        return escape


def _string_in(arguments: str, name: str) -> str:
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments
    if not isinstance(value, dict):
        return value if isinstance(value, str) else arguments
    strings = [item for item in value.values() if isinstance(item, str)]
    if isinstance(value.get(name), str):
        return str(value[name])
    return strings[0] if len(value) == len(strings) == 1 else arguments
