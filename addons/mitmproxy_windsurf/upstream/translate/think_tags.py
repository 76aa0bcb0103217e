"""Takes reasoning that a model writes as `<think>…</think>` at the start of its answer apart from
the answer, while it streams.

Servers without a parser for the model's reasoning hand it on like this. Tags further on are text:
an answer may well speak of them. White space around the tags goes with them.
"""

from __future__ import annotations

from typing import Literal

OPENING, CLOSING = "<think>", "</think>"

Channel = Literal["thinking", "text"]
Piece = tuple[Channel, str]


class ThinkTags:
    """Splits one text. The pieces are never empty; what is held is white space, or may be the
    beginning of a tag."""

    def __init__(self) -> None:
        self._held = ""
        self._take = self._before

    def feed(self, text: str) -> list[Piece]:
        """Take text and return what is decided by now."""
        return [piece for piece in self._take(self._held + text) if piece[1]]

    def flush(self) -> list[Piece]:
        """The text ended: what is held is no tag."""
        held, self._held = self._held, ""
        channel: Channel = "thinking" if self._take == self._inside else "text"
        return [(channel, held)] if held else []

    def _before(self, text: str) -> list[Piece]:
        written = text.lstrip()
        if written.startswith(OPENING):
            self._take = self._opened
            return self._opened(written[len(OPENING) :])
        if OPENING.startswith(written):
            self._held = text
            return []
        self._take = self._after
        return self._after(text)

    def _opened(self, text: str) -> list[Piece]:
        self._held = ""
        written = text.lstrip()
        if not written:
            return []
        self._take = self._inside
        return self._inside(written)

    def _inside(self, text: str) -> list[Piece]:
        thought, closed, rest = text.partition(CLOSING)
        if closed:
            self._take = self._closed
            return [("thinking", thought), *self._closed(rest)]
        kept = _beginning_of(CLOSING, text)
        self._held = text[len(text) - kept :]
        return [("thinking", text[: len(text) - kept])]

    def _closed(self, text: str) -> list[Piece]:
        self._held = ""
        written = text.lstrip()
        if not written:
            return []
        self._take = self._after
        return self._after(written)

    def _after(self, text: str) -> list[Piece]:
        self._held = ""
        return [("text", text)]


def _beginning_of(tag: str, text: str) -> int:
    """How many characters at the end of the text could begin the tag."""
    return next(size for size in range(len(tag) - 1, -1, -1) if text.endswith(tag[:size]))
