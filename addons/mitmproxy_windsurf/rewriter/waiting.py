"""Events that wait until it is clear whether they pass on as they came.

A delta that ends in "/" or "I am Cas" cannot be judged before the next one. Sending its text
without the tail would be right for the reader, but the bytes would differ although no rule matched.
So the event waits: when the next events show that what came in is what goes out, all of them go
out as the bytes they were; when a text has changed, or the wait gets long, they go out as
rewritten, which is the same text as far as it is decided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from mitmproxy_windsurf.wire.parts import Key

MAX_WAITING = 8
"""Events that wait at most; a ping or another choice's delta waits with them, in order."""


class Move(NamedTuple):
    """What an event brought of a text and what its transform gave out; no key: complete in itself.

    A `cumulative` text is all of its key's text so far, and so is its output.
    """

    key: Key | None
    came: str
    went: str
    cumulative: bool = False


class WaitingEvents:
    """The events of one stream in their order."""

    def __init__(self, is_open: Callable[[Key], bool]) -> None:
        self._is_open = is_open
        self._events: list[tuple[bytes, bytes]] = []
        self._behind: dict[Key, str] = {}

    def add(self, raw: bytes, rewritten: bytes, moves: Iterable[Move] = ()) -> bytes:
        """One event, as it came and as rewritten; returns the bytes that need not wait longer."""
        changed = self._follow(moves)
        if not self._events and not self._behind:
            return rewritten if changed else raw
        self._events.append((raw, rewritten))
        if changed or len(self._events) > MAX_WAITING:
            return self._let_go(as_rewritten=True)
        return b"" if self._behind else self._let_go(as_rewritten=False)

    def release(self) -> bytes:
        """All that wait, as they came."""
        return self._let_go(as_rewritten=False)

    def _let_go(self, *, as_rewritten: bool) -> bytes:
        out = b"".join(event[as_rewritten] for event in self._events)
        self._events.clear()
        self._behind.clear()
        return out

    def _follow(self, moves: Iterable[Move]) -> bool:
        """Note how far each text is behind; True if one is not behind but other than it was."""
        changed = False
        for key, came, went, cumulative in moves:
            behind = self._behind.pop(key, "") if key else ""
            expected = came if cumulative else behind + came
            if key is None or not expected.startswith(went):
                changed |= expected != went
            elif expected != went:
                self._behind[key] = expected[len(went) :]
        for key in [key for key in self._behind if not self._is_open(key)]:
            del self._behind[key]  # the text ended, and this was dropped
            changed = True
        return changed
