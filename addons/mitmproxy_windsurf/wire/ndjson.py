"""Newline-delimited JSON as frames: one document per line.

A frame is a line with its end, so joining the raw frames gives the stream back byte for byte, blank
lines included.

https://github.com/ndjson/ndjson-spec
"""

from __future__ import annotations

from mitmproxy_windsurf.wire.framing import Frame

_BLANK = b" \t\r\n"


class NDJSONFramer:
    """Cuts a byte stream into lines.

    A line longer than `limit` bytes, not counting its end, comes out in pieces without spans, so
    that nobody looks inside, and `overlong` counts it; framing goes on after its end.
    """

    def __init__(self, *, limit: int = 8 * 1024 * 1024) -> None:
        self._limit = limit
        self._buffer = bytearray()
        self._skipping = False
        self.overlong = 0

    def feed(self, data: bytes) -> list[Frame]:
        """Take bytes and return the lines that are complete."""
        frames: list[Frame] = []
        start = 0
        while end := data.find(b"\n", start) + 1:
            frames.append(self._line(bytes(self._buffer) + data[start:end]))
            self._buffer.clear()
            start = end
        self._buffer += data[start:]
        if len(self._buffer) > self._limit + 1:  # too long, even if it ends in half a line end
            frames.append(self._overlong())
        return frames

    def flush(self) -> list[Frame]:
        """The stream ended: a line without its end is a frame all the same."""
        rest = self.release()
        return [self._line(rest)] if rest else []

    def release(self) -> bytes:
        """The stream broke: the bytes of the incomplete line."""
        rest = bytes(self._buffer)
        self._buffer.clear()
        return rest

    def event(self, like: Frame | None, name: str | None, data: bytes) -> bytes:
        """One more line; lines have no names."""
        return data + (_end_of(like.raw) if like else b"\n")

    def ending(self, like: Frame) -> bytes:
        """The end of a line."""
        return _end_of(like.raw)

    def _line(self, raw: bytes) -> Frame:
        skipped, self._skipping = self._skipping, False
        if skipped or len(raw.removesuffix(b"\n").removesuffix(b"\r")) > self._limit:
            self.overlong += not skipped
            return Frame(raw, ())
        content = raw.strip(_BLANK)
        start = raw.find(content)
        return Frame(raw, ((start, start + len(content)),) if content else ())

    def _overlong(self) -> Frame:
        """Let go of a line that is too long."""
        self.overlong += not self._skipping
        self._skipping = True
        return Frame(self.release(), ())


def _end_of(raw: bytes) -> bytes:
    return b"\r\n" if raw.endswith(b"\r\n") else b"\n"
