"""One change that was made to a text: what the log, the flow and the diff are built from."""

from __future__ import annotations

from dataclasses import dataclass

EXCERPT = 200
"""Characters of a changed text that an edit remembers."""


@dataclass(frozen=True, slots=True)
class Edit:
    """`rule` changed `before` into `after` (excerpts) at `start`, counted in characters of the text at `place`."""

    rule: str
    before: str
    after: str
    layer: str = ""
    place: str = ""
    start: int = 0


def excerpt(text: str) -> str:
    """The text itself if it is short, else its beginning and its end around an ellipsis."""
    if len(text) <= EXCERPT:
        return text
    half = EXCERPT // 2
    return f"{text[:half]} … {text[-half:]}"
