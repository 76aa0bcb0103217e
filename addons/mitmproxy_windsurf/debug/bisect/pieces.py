"""A text cut into pieces as small as a clause: what a bisection leaves out or keeps as one.

The pieces are the text: joined they give it back. A piece ends behind the white space that follows
its mark, so that what is left of a text without it still reads well.
"""

from __future__ import annotations

import re
from itertools import pairwise

from mitmproxy_windsurf.text.edits import excerpt

_CLOSING = r"""["'”’»)\]*_`]*"""
_CONJUNCTIONS = (
    "and|or|but|because|although|while|when|whenever|where|which|that|who|whose|if|unless|until"
    "|so|since|before|after|instead of|rather than|in order to|as well as"
)
_CUT = re.compile(
    rf"""
    (?<![.!?…])[.!?…]+{_CLOSING}\s+  # the end of a sentence
    | \n\s*                          # of a line
    | [,;:]{_CLOSING}\s+             # of a clause
    | [。！？；，、：]\s*
    | (?<=\s)[–—-]+\s+
    | —
    | (?<=\s)(?=\()
    | (?<=\s)(?=(?:{_CONJUNCTIONS})\b)
    """,
    re.VERBOSE,
)
_SENTENCE_END = re.compile(rf"(?<![.!?…])[.!?…]+{_CLOSING}(?=\s|\Z)|[。！？]|\n")


def clauses(text: str) -> list[tuple[int, int]]:
    """Where the pieces start and end; none is blank, unless all of the text is."""
    cuts = [0, *(cut.end() for cut in _CUT.finditer(text)), len(text)]
    spans: list[tuple[int, int]] = []
    for start, end in pairwise(cuts):
        if start == end:
            continue
        if spans and not (_has_words(text, start, end) and _has_words(text, *spans[-1])):
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return spans


def sentence_around(text: str, start: int, end: int) -> tuple[int, int]:
    """The sentence, or the line, that a piece stands in; several if it reaches over several."""
    first = 0
    for found in _SENTENCE_END.finditer(text, 0, start):
        first = found.end()
    last = _SENTENCE_END.search(text, max(start, len(text[:end].rstrip()) - 1))
    stop = last.end() if last else len(text)
    while first < start and text[first].isspace():
        first += 1
    return first, max(stop, end)


def _has_words(text: str, start: int, end: int) -> bool:
    return any(map(str.isalnum, text[start:end]))


def shown(text: str) -> str:
    """A piece in a line of a report."""
    return excerpt(" ".join(text.split()))
