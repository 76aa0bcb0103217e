"""WebSocket messages as frames: each is one document, with nothing around it."""

from __future__ import annotations

from mitmproxy_windsurf.wire.framing import Frame


class MessageFramer:
    """Takes one whole message at a time; one longer than `limit` bytes is a frame without data."""

    def __init__(self, *, limit: int = 8 * 1024 * 1024) -> None:
        self._limit = limit
        self.overlong = 0

    def feed(self, data: bytes) -> list[Frame]:
        """Take a message and return it."""
        if len(data) > self._limit:
            self.overlong += 1
            return [Frame(data, ())]
        return [Frame(data, ((0, len(data)),))]

    def flush(self) -> list[Frame]:
        """Nothing is ever left."""
        return []

    def release(self) -> bytes:
        """Nothing is ever left."""
        return b""

    def event(self, like: Frame | None, name: str | None, data: bytes) -> bytes:
        """One more message; messages have no names."""
        return data

    def ending(self, like: Frame) -> bytes:
        """A message is complete."""
        return b""
