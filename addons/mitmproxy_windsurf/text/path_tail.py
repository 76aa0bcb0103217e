"""Where the tail of a private path ends, and what is kept of its end.

A tail runs over everything but `path_chars.ENDERS` and, in a segment that began otherwise, letters
of scripts without blanks.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Final

from mitmproxy_windsurf.text.path_chars import (
    ENDERS,
    QUOTES,
    SEPARATORS,
    SPACELESS,
    STOPS,
    is_spaceless,
)

MOST_STOPS: Final = 64
MOST_ESCAPES: Final = 16
"""Sentence punctuation, then backslashes: that many may be kept at the end of a tail.

Since what is before them is path for certain, the held text stays short.
"""

_KEPT: Final = (*STOPS, "\\")


class Segment(Enum):
    """What the segment of the tail that is being read has begun with."""

    NOTHING = "nothing yet: it comes after a separator"
    SPACELESS = "a letter of a script without blanks"
    OTHER = "any other character"


_LETTERS: Final = rf"[^{ENDERS}{SEPARATORS}]"
_SEGMENT: Final = rf"(?:[{SPACELESS}]{_LETTERS}*+)?+"
_REST: Final = rf"(?:[^{ENDERS}{SPACELESS}{SEPARATORS}]++|[{SEPARATORS}]++{_SEGMENT})*+"
_TAIL: Final = {
    Segment.NOTHING: re.compile(_SEGMENT + _REST).match,
    Segment.SPACELESS: re.compile(f"{_LETTERS}*+{_REST}").match,
    Segment.OTHER: re.compile(_REST).match,
}
"""The tail from here on, by the segment that it begins in."""


def read_tail(
    text: str, pos: int, segment: Segment, *, final: bool
) -> tuple[Segment | None, int, int]:
    """The segment in which the tail goes on, none if it ends; what is or may be kept of it."""
    tail = _TAIL[segment](text, pos)
    end = tail.end() if tail else pos
    kept = end - _run_at_end(text[pos:end])
    if end == len(text) and not final:
        return _segment_after(segment, text[pos:kept]), kept, end
    if text.endswith("\\", kept, end) and not text.startswith(QUOTES, end):
        kept = end
    return None, kept, end


def _run_at_end(tail: str) -> int:
    """The length of the punctuation, and then backslashes, at the end of a tail."""
    if not tail.endswith(_KEPT):
        return 0
    escapes = len(tail) - len(tail.rstrip("\\"))
    if escapes > MOST_ESCAPES:
        return MOST_ESCAPES
    rest = tail[: len(tail) - escapes]
    stops = len(rest) - len(rest.rstrip(STOPS))
    return min(stops, MOST_STOPS) + escapes


def _segment_after(segment: Segment, tail: str) -> Segment:
    """The segment in which a tail goes on that has come to `segment` before."""
    separator = max(tail.rfind("/"), tail.rfind("\\"))
    if separator >= 0:
        segment = Segment.NOTHING
    if segment is Segment.NOTHING and separator + 1 < len(tail):
        return Segment.SPACELESS if is_spaceless(tail, separator + 1) else Segment.OTHER
    return segment
