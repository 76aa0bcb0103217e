"""Server-sent events as frames that remember their bytes.

A frame runs up to and with the blank line that ends an event, so joining the raw frames gives the
stream back byte for byte: comments, ids, unknown fields, line ends and padding included. Only the
`data` lines can be replaced. An event without any that is bare JSON, as Gemini tells a failure in
mid-stream, is taken for data itself.

https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
"""

from __future__ import annotations

import re

from mitmproxy_windsurf.wire.framing import Frame

# A CR that may be half a CRLF waits for what follows. After another CR it doesn't: where lines end
# in CR alone, each event would wait for the next; should an LF follow, it begins the next frame.
_EOL = rb"(?:\r?\n|\r(?=[^\n]))"
_BLANK_LINE = re.compile(rb"\n%s|\r\n%s|\r\r" % (_EOL, _EOL))
_SIMPLE = re.compile(rb"(?:event:[^\r\n]*\r?\n)?data:( ?)([^\r\n]*)\r?\n\r?\n")
# GPUStack tells a failure in a field `error` of its own, with the document that belongs into data.
_DATA_LINE = re.compile(rb"(?:(?<=[\r\n])|\A(?:\xef\xbb\xbf)?)(?:data|error):( ?)([^\r\n]*)")
_EVENT_LINE = re.compile(rb"(?:(?<=[\r\n])|\A(?:\xef\xbb\xbf)?)event:")
_BARE_JSON = re.compile(rb"[ \t\r\n]*\{")
_LINE = re.compile(rb"[^\r\n]+")
_LINE_END = re.compile(rb"\r\n|\n|\r")
_TAIL = 3
"""Bytes before new data in which a blank line can already have begun."""


class SSEFramer:
    """Cuts a byte stream into frames.

    A frame longer than `limit` bytes, not counting its last line ends, comes out in pieces without
    spans, so that nobody looks inside, and `overlong` counts it; framing goes on after its end.
    """

    def __init__(self, *, limit: int = 8 * 1024 * 1024) -> None:
        self._limit = limit
        self._buffer = bytearray()
        self._searched = 0
        self._skipping = False
        self.overlong = 0

    def feed(self, data: bytes) -> list[Frame]:
        """Take bytes and return the frames that are complete."""
        if not (self._buffer or self._skipping) and len(data) <= self._limit:
            # Most servers send one plain event at a time.
            simple = _SIMPLE.fullmatch(data)
            if simple:
                return [Frame(data, (simple.span(2),))]
        frames: list[Frame] = []
        buffer = self._buffer
        buffer += data
        start = 0
        search_from = max(0, self._searched - _TAIL)
        while match := _BLANK_LINE.search(buffer, search_from):
            end = search_from = match.end()
            frames.append(self._frame(bytes(buffer[start:end])))
            self._skipping = False
            start = end
        if start:
            del buffer[:start]
        self._searched = len(buffer)
        if len(buffer) > self._limit + _TAIL:  # too long, whatever of it are line ends
            frames.append(self._overlong())
        return frames

    def flush(self) -> list[Frame]:
        """The stream ended: an event without its blank line is a frame all the same."""
        if not self._buffer:
            return []
        frame = self._frame(bytes(self._buffer))
        self._buffer.clear()
        self._searched = 0
        return [frame]

    def release(self) -> bytes:
        """The stream broke: the bytes of the incomplete frame."""
        rest = bytes(self._buffer)
        self._buffer.clear()
        self._searched = 0
        return rest

    def event(self, like: Frame | None, name: str | None, data: bytes) -> bytes:
        """One more event; a stream that names none of its events gets none that is named."""
        eol, space, named = _manner(like) if like else (b"\n", b" ", True)
        head = b"event:%s%s%s" % (space, name.encode(), eol) if name and named else b""
        return b"%sdata:%s%s%s%s" % (head, space, data, eol, eol)

    def ending(self, like: Frame) -> bytes:
        """The end of a line, and a blank one."""
        return _manner(like)[0] * 2

    def _frame(self, raw: bytes) -> Frame:
        if self._skipping or (len(raw) > self._limit and len(raw.rstrip(b"\r\n")) > self._limit):
            if not self._skipping:
                self.overlong += 1
            return Frame(raw, ())
        simple = _SIMPLE.fullmatch(raw)
        if simple:
            return Frame(raw, (simple.span(2),))
        spans = tuple(match.span(2) for match in _DATA_LINE.finditer(raw))
        if not spans and _BARE_JSON.match(raw):
            spans = tuple(match.span() for match in _LINE.finditer(raw))
        return Frame(raw, spans)

    def _overlong(self) -> Frame:
        """Let go of a frame that is too long, except a tail in which its end may begin."""
        if not self._skipping:
            self.overlong += 1
        self._skipping = True
        cut = len(self._buffer) - _TAIL
        frame = Frame(bytes(self._buffer[:cut]), ())
        del self._buffer[:cut]
        self._searched = len(self._buffer)
        return frame


def _manner(frame: Frame) -> tuple[bytes, bytes, bool]:
    """How a frame that has data writes its line ends and the space after a colon, and whether it
    has a name."""
    start, end = frame.spans[0]
    eol = _LINE_END.match(frame.raw, end)
    return (
        eol[0] if eol else b"\n",
        b"" if frame.raw[start - 1 : start] == b":" else b" ",
        _EVENT_LINE.search(frame.raw) is not None,
    )
