"""Keeps the numbers of a stream's events gapless when events are added to it.

Only OpenAI Responses numbers its events. An added event that carries a number takes that of the
event it goes before, and all later ones move up; before one without a number it keeps its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mitmproxy_windsurf.wire.parts import Json

_MEMBER = "sequence_number"
# Inside of a JSON string the quotes would be escaped.
_NUMBER = re.compile(rb'(?<="sequence_number")(\s*:\s*)(\d+)')


class Numbering:
    """All events of one stream, in the order in which they go out."""

    def __init__(self) -> None:
        self._added = 0

    def apply(self, added: Sequence[bytes], event: bytes) -> list[bytes]:
        """The events that go before an event and the event itself, each with its number."""
        if not (added or self._added):
            return [event]
        own = _number(event)
        out = []
        for extra in added:
            number = _number(extra)
            if number is not None:
                extra = _renumbered(extra, (number if own is None else own) + self._added)
                self._added += 1
            out.append(extra)
        if own is not None and self._added:
            event = _renumbered(event, own + self._added)
        return [*out, event]


def number_behind(document: Json, last: Json) -> None:
    """Number a document of our own, if it is numbered at all, as the one that follows `last`."""
    if _MEMBER in document and isinstance(last.get(_MEMBER), int):
        document[_MEMBER] = last[_MEMBER] + 1


def _number(event: bytes) -> int | None:
    found = _NUMBER.search(event)
    return int(found[2]) if found else None


def _renumbered(event: bytes, number: int) -> bytes:
    return _NUMBER.sub(rb"\g<1>%d" % number, event, count=1)
