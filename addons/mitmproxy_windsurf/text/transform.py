"""The one shape of everything that rewrites text while it streams.

A transform holds a character only while its output is undecided. `feed` takes text and returns all
that is decided by now; `flush` says that the text ended well, so that the rest can be decided;
`release` says that the stream broke, so that what is held comes back as it was. One-shot use is
defined by streaming (`rewrite`), so a streamed and a whole answer cannot differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Transform(Protocol):
    """Rewrites one text that arrives in pieces; one instance per text."""

    def feed(self, text: str, /) -> str:
        """Take more text and return all output that is decided by now."""
        ...

    def flush(self) -> str:
        """The text ended well: return the output of everything that was held."""
        ...

    def release(self) -> str:
        """The stream broke: give back what is held, drop nothing."""
        ...


class Pipeline:
    """Transforms in a row: `Pipeline([a, b])` is b applied to the output of a."""

    def __init__(self, stages: Sequence[Transform]) -> None:
        self._stages = tuple(stages)

    def feed(self, text: str, /) -> str:
        for stage in self._stages:
            text = stage.feed(text)
        return text

    def flush(self) -> str:
        text = ""
        for stage in self._stages:
            text = (stage.feed(text) if text else "") + stage.flush()
        return text

    def release(self) -> str:
        """What a later stage holds came earlier in the text, so the last stage gives back first."""
        return "".join(stage.release() for stage in reversed(self._stages))


def rewrite(transform: Transform, text: str) -> str:
    """Rewrite a whole text with a fresh transform."""
    return transform.feed(text) + transform.flush()
