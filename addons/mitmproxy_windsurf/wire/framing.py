"""How a stream of bytes is cut into documents, whatever the format.

A frame remembers its bytes: joining the raw frames gives the stream back byte for byte, with all
that separates the documents. Only the data can be replaced.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol


class Frame(NamedTuple):
    """One event, line or element: its bytes, and where in them its data stands."""

    raw: bytes
    spans: tuple[tuple[int, int], ...]

    @property
    def data(self) -> bytes:
        """The data: its lines joined by LF."""
        if len(self.spans) == 1:
            start, end = self.spans[0]
            return self.raw[start:end]
        return b"\n".join(self.raw[start:end] for start, end in self.spans)

    def with_data(self, data: bytes) -> bytes:
        """The bytes of this frame with other data, in no more lines than there are."""
        if len(self.spans) == 1:
            start, end = self.spans[0]
            return self.raw[:start] + data + self.raw[end:]
        out: list[bytes] = []
        position = 0
        lines = data.split(b"\n")
        for index, (start, end) in enumerate(self.spans):
            out += self.raw[position:start], lines[index] if index < len(lines) else b""
            position = end
        out.append(self.raw[position:])
        return b"".join(out)


class Framer(Protocol):
    """Cuts one stream into frames; a frame over its size limit comes out in pieces without spans,
    and `overlong` counts it."""

    overlong: int

    def feed(self, data: bytes) -> list[Frame]:
        """Take bytes and return the frames that are complete."""
        ...

    def flush(self) -> list[Frame]:
        """The stream ended: what has no end of its own is a frame all the same."""
        ...

    def release(self) -> bytes:
        """The stream broke: the bytes of the incomplete frame. After `flush`: those that close the
        stream, behind any frame that is added."""
        ...

    def event(self, like: Frame | None, name: str | None, data: bytes) -> bytes:
        """The bytes of one more frame, written as `like` is, to stand before or after a frame."""
        ...

    def ending(self, like: Frame) -> bytes:
        """What the unterminated last frame lacks before another may follow."""
        ...
