"""The elements of one JSON array as frames, each as soon as it is complete.

A frame is an element with all that stands before it, the bracket or the comma and the blanks. What
stands behind the last one is no frame, since one more must go before it: `release` gives that.
Elements that are neither objects nor arrays belong to what stands before the next one that is.

Gemini streams so without `alt=sse`: `[{…}`, then `\n,\r\n{…}` for each further element, and at the
end `\n]\n`, the elements printed over many lines.
"""

from __future__ import annotations

import re

from mitmproxy_windsurf.wire.framing import Frame

# Behind all that says nothing, complete strings included, a bracket or a string that is not.
_OUTSIDE = re.compile(
    rb'(?:[^"\[\]{}]++|"(?:[^"\\]++|\\.)*+")*+(["\[\]{}])',
    re.DOTALL,
)
_INSIDE = re.compile(rb'(["\\])')
_SEPARATOR = re.compile(rb"\s*,\s*")
_USUAL_SEPARATOR = b"\n,\r\n"


class JSONArrayFramer:
    """Cuts one array into its elements.

    A frame longer than `limit` bytes comes out in pieces without spans, so that nobody looks
    inside, and `overlong` counts it; framing goes on after its end.
    """

    def __init__(self, *, limit: int = 8 * 1024 * 1024) -> None:
        self._limit = limit
        self._buffer = bytearray()
        self._scanned = 0
        self._depth = 0
        self._in_string = False
        self._start: int | None = None
        """Where in the buffer the element begins that is not complete."""
        self._skipping = False
        self._separator = _USUAL_SEPARATOR
        self.overlong = 0

    def feed(self, data: bytes) -> list[Frame]:
        """Take bytes and return the elements that are complete."""
        self._buffer += data
        frames: list[Frame] = []
        while match := self._next():
            if self._in_string:
                if match[1] == b"\\":
                    self._scanned += 1  # the character that is escaped, maybe yet to come
                else:
                    self._in_string = False
            elif match[1] == b'"':
                self._in_string = True
            elif match[1] in b"[{":
                self._depth += 1
                if self._depth == 2:
                    self._start = match.start(1)
            else:
                self._depth -= 1
                if self._depth == 1:
                    frames.append(self._element(match.end()))
        if len(self._buffer) > self._limit:
            frames.append(self._overlong())
        return frames

    def flush(self) -> list[Frame]:
        """The stream ended: no element goes without its end, so there is none left."""
        return []

    def release(self) -> bytes:
        """The closing bracket, or the bytes of the incomplete frame."""
        rest = bytes(self._buffer)
        self._buffer.clear()
        self._scanned = 0
        return rest

    def event(self, like: Frame | None, name: str | None, data: bytes) -> bytes:
        """One more element behind others, with the separator that stands before the last of them;
        elements have no names."""
        return self._separator + data

    def ending(self, like: Frame) -> bytes:
        """Nothing: the separator comes before the next one."""
        return b""

    def _next(self) -> re.Match[bytes] | None:
        """The next character that counts; the buffer is scanned up to its end or to behind it."""
        if self._in_string:
            match = _INSIDE.search(self._buffer, self._scanned)
        else:
            match = _OUTSIDE.match(self._buffer, self._scanned)
        if match:
            self._scanned = match.end()
        else:
            self._scanned = max(self._scanned, len(self._buffer))
        return match

    def _element(self, end: int) -> Frame:
        """Cut off the frame that ends here."""
        raw, start = bytes(self._buffer[:end]), self._start or 0
        del self._buffer[:end]
        self._scanned -= end
        self._start = None
        skipped, self._skipping = self._skipping, False
        if skipped or len(raw) > self._limit:
            self.overlong += not skipped
            return Frame(raw, ())
        if separator := _SEPARATOR.fullmatch(raw, 0, start):
            self._separator = separator[0]
        return Frame(raw, ((start, end),))

    def _overlong(self) -> Frame:
        """Let go of a frame that is too long."""
        self.overlong += not self._skipping
        self._skipping = True
        behind = self._scanned - len(self._buffer)
        frame = Frame(self.release(), ())
        self._scanned = behind
        return frame
