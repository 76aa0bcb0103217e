"""Events that wait until it is clear whether they pass on as they came.

A delta that ends in "/" or "I am Cas" cannot be judged before the next one. Sending its text
without the tail would be right for the reader, but the bytes would differ although no rule matched.
So the event waits: when the next events show that what came in is what goes out, all of them go
out as the bytes they were; when a text has changed, or the wait gets long, they go out as
rewritten, which is the same text as far as it is decided. Then nobody waits for that text again
before it has caught up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from mitmproxy_windsurf.rewriter.numbering import Numbering
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


class Waiting(NamedTuple):
    """An event as it came and as rewritten, and what then goes out before it."""

    raw: bytes
    rewritten: bytes
    before: Sequence[bytes] = ()


class WaitingEvents:
    """The events of one stream in their order."""

    def __init__(self, holds: Callable[[Key], int]) -> None:
        self._holds = holds
        """How many characters of a text are held, at the most."""
        self._events: list[Waiting] = []
        self._numbering = Numbering()
        self._behind: dict[Key, str] = {}
        """What came of a text and has not gone out, though nothing has changed it so far."""
        self._late: set[Key] = set()
        """Texts that nobody waits for any more, until nothing of them is held."""
        self._changed = False
        self._stop: int | None = None
        """The place of the first event that waits for what follows, whatever that is."""

    def add(
        self,
        raw: bytes,
        rewritten: bytes,
        moves: Sequence[Move] = (),
        *,
        before: Sequence[bytes] = (),
        early: Sequence[bytes] = (),
        waits: bool = False,
    ) -> list[bytes]:
        """One event, as it came and as rewritten with what then goes `before` it; returns the
        events that need not wait longer.

        If it `waits` it goes out with the next event that does not, and after what that one says
        must come `early`.
        """
        if not (moves or self._events or waits):
            return self._numbering.apply((), raw)
        changed = self._follow(moves)
        event = Waiting(raw, rewritten, before)
        if not (self._events or self._behind or waits):
            return self._send(event, as_rewritten=changed)
        self._changed |= changed
        if early:
            self._events.insert(self._stop or 0, Waiting(b"", b"", early))
        if waits and self._stop is None:
            self._stop = len(self._events)
        self._events.append(event)
        if waits:
            return []
        if self._changed or len(self._events) > MAX_WAITING:
            return self._let_go(as_rewritten=True)
        self._stop = None
        return [] if self._behind else self._let_go(as_rewritten=False)

    def release(self) -> list[bytes]:
        """All that wait, as they came."""
        return self._let_go(as_rewritten=False)

    def _let_go(self, *, as_rewritten: bool) -> list[bytes]:
        out: list[bytes] = []
        for event in self._events:
            out += self._send(event, as_rewritten=as_rewritten)
        self._events.clear()
        self._late.update(self._behind)
        self._behind.clear()
        self._changed = False
        self._stop = None
        return out

    def _send(self, event: Waiting, *, as_rewritten: bool) -> list[bytes]:
        if as_rewritten:
            return self._numbering.apply(event.before, event.rewritten)
        return self._numbering.apply((), event.raw)

    def _follow(self, moves: Iterable[Move]) -> bool:
        """Note how far each text is behind; True if one is not behind but other than it was."""
        changed = False
        for key, came, went, cumulative in moves:
            if key is None or key in self._late:
                changed |= came != went
                continue
            expected = came if cumulative else self._behind.get(key, "") + came
            self._behind.pop(key, None)
            if not expected.startswith(went):
                changed = True
                self._late.add(key)
            elif expected != went:
                self._behind[key] = expected[len(went) :]
        if self._late:
            self._late = {key for key in self._late if self._holds(key)}
        for key in [key for key, text in self._behind.items() if self._holds(key) < len(text)]:
            del self._behind[key]  # it is not held but gone
            changed = True
        return changed
