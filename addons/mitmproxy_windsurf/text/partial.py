r"""Patterns that know their own beginnings, so that a stream holds a text only while it must.

Python's `re` cannot tell "this does not match" from "this does not match yet". A `Pattern` can:
next to the expression of a match it carries one for every text that more text could still turn into
a match, or could still keep from being one. The combinators build them side by side:

>>> greeting = Matcher(seq(lit("hello"), unless(one(r"\w"))))
>>> greeting.step("hell") is UNDECIDED, greeting.step("hello") is UNDECIDED
(True, True)
>>> greeting.step("hello!"), greeting.step("hellos"), greeting.final("hello")
(5, None, 5)

The arguments of `one` and `chars` are the inside of a character class. Everything else is literal.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Final, Literal


class Verdict(Enum):
    """What can be said about a match besides where it ends and that there is none."""

    UNDECIDED = "undecided"


UNDECIDED: Final = Verdict.UNDECIDED


@dataclass(frozen=True, slots=True)
class Pattern:
    """Three regular expressions for one language."""

    full: str
    """Matches a whole match; the end of the text is an end like any other."""
    sure: str
    """Matches a whole match that no further text can undo."""
    prefix: str
    r"""Matches what is undecided: it reaches to the end of the text, hence the `\Z` in it."""


def lit(text: str, *, any_case: bool = False) -> Pattern:
    """Exactly this text, or this text in any case."""
    flag = "i:" if any_case else ":"
    full = f"(?{flag}{re.escape(text)})"
    beginning = ""
    for char in reversed(text[:-1]):
        beginning = f"(?:{re.escape(char)}{beginning})?"
    return Pattern(full, full, rf"(?{flag}{beginning})\Z")


def chars(charset: str, least: int, most: int) -> Pattern:
    """From `least` to `most` characters of a set."""
    full = f"[{charset}]{{{least},{most}}}"
    return Pattern(full, full, rf"[{charset}]{{0,{most - 1}}}\Z")


def one(charset: str) -> Pattern:
    """One character of a set."""
    return Pattern(f"[{charset}]", f"[{charset}]", r"\Z")


def seq(*parts: Pattern | str) -> Pattern:
    """One after the other."""
    patterns = [_pattern(part) for part in parts]
    prefix = ""
    for pattern in reversed(patterns):
        rest = f"|{pattern.full}(?:{prefix})" if prefix else ""
        prefix = pattern.prefix + rest
    return Pattern("".join(p.full for p in patterns), "".join(p.sure for p in patterns), prefix)


def alt(*choices: Pattern | str) -> Pattern:
    """One of these; where several match, the first."""
    patterns = [_pattern(choice) for choice in choices]
    return Pattern(
        f"(?:{'|'.join(p.full for p in patterns)})",
        f"(?:{'|'.join(p.sure for p in patterns)})",
        f"(?:{'|'.join(p.prefix for p in patterns)})",
    )


def repeat(item: Pattern | str, least: int, most: int) -> Pattern:
    """From `least` to `most` times the same, as often as possible."""
    item = _pattern(item)
    return Pattern(
        f"(?:{item.full}){{{least},{most}}}",
        f"(?:{item.sure}){{{least},{most}}}",
        f"(?:{item.full}){{0,{most - 1}}}(?:{item.prefix})",
    )


def opt(*parts: Pattern | str) -> Pattern:
    """These one after the other, or nothing."""
    return repeat(seq(*parts), 0, 1)


def ahead(*parts: Pattern | str) -> Pattern:
    """This must follow; it is not part of the match. Only at the end of a pattern."""
    inner = seq(*parts)
    return Pattern(f"(?={inner.full})", f"(?={inner.sure})", inner.prefix)


def unless(*choices: Pattern | str) -> Pattern:
    """None of these may follow; the end of the text is fine. Only at the end of a pattern."""
    inner = alt(*choices)
    return Pattern(f"(?!{inner.full})", f"(?!{inner.full}|{inner.prefix})", inner.prefix)


def _pattern(part: Pattern | str) -> Pattern:
    return lit(part) if isinstance(part, str) else part


class Matcher:
    """A compiled pattern.

    All its matches at one place must end at the same place: then it is decided as soon as one of
    them is, whatever the others could still become.
    """

    def __init__(self, pattern: Pattern) -> None:
        self._pattern = pattern
        self._step = re.compile(f"(?P<sure>{pattern.sure})|(?:{pattern.prefix})").match

    def step(self, text: str, at: int = 0) -> int | Literal[Verdict.UNDECIDED] | None:
        """The end of the match at `at`, if more text may come; None: there cannot be one."""
        match = self._step(text, at)
        if match is None:
            return None
        return UNDECIDED if match.lastgroup is None else match.end()

    def final(self, text: str, at: int = 0) -> int | None:
        """The end of the match at `at`, if this is all the text."""
        match = self._final.match(text, at)
        return match.end() if match else None

    @cached_property
    def _final(self) -> re.Pattern[str]:
        return re.compile(self._pattern.full)
