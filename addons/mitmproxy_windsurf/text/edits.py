"""One change that was made to a text: what the log, the flow and the diff are built from."""

from __future__ import annotations

from dataclasses import dataclass

EXCERPT = 200
"""Characters of a changed text that are worth showing."""


@dataclass(frozen=True, slots=True)
class Edit:
    """`rule` changed `before` into `after`.

    `start` counts in characters of the input, which is the text at `place`. Of what is swallowed as
    it comes, `before` is the beginning.
    """

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
