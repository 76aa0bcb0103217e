"""What is remembered of texts that have ended: later documents repeat them, or cite them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple

from mitmproxy_windsurf.wire.parts import Key

MAX_KEYS = 1024
MAX_CHARACTERS = 1 << 20
"""What all remembered texts of an answer may come to; the oldest go first."""


class Ended(NamedTuple):
    """A text as it came, in segments that were rewritten one by one, and whether it was dropped as
    a repetition of the reasoning."""

    segments: Sequence[str]
    changed: bool
    dropped: bool


class EndedTexts:
    """The ended texts of one answer, as far as there is room."""

    def __init__(self) -> None:
        self._texts: OrderedDict[Key, Ended] = OrderedDict()
        self._size = 0

    def add(self, key: Key, text: Ended) -> None:
        self._forget(key)
        self._texts[key] = text
        self._size += _size(text)
        while self._size > MAX_CHARACTERS or len(self._texts) > MAX_KEYS:
            self._forget(next(iter(self._texts)))

    def get(self, key: Key) -> Ended | None:
        return self._texts.get(key)

    def like(self, key: Key, text: str) -> Ended | None:
        """One of the same group that says the same: servers number texts in one way as they stream
        and in another when they repeat them."""
        for other, ended in self._texts.items():
            alike = other[:2] == key[:2] and 0 < _size(ended) == len(text)
            if alike and "".join(ended.segments) == text:
                return ended
        return None

    def _forget(self, key: Key) -> None:
        if key in self._texts:
            self._size -= _size(self._texts.pop(key))


def _size(text: Ended) -> int:
    return sum(map(len, text.segments))
