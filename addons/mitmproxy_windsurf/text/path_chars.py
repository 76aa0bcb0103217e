"""Character classes of paths in running text: data, written to stand inside `[…]` of a regex."""

from __future__ import annotations

import re
from typing import Final

SEPARATORS: Final = r"/\\"

STOPS: Final = ".!?"
"""Punctuation that may end a sentence or be a part of a file name: what follows decides."""

QUOTES: Final = ('"', "'", "`")
"""What a backslash may escape."""

SPACELESS: Final = (
    r"\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Tibetan, Myanmar, Khmer
    r"\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"  # Hangul
    r"\u2e80-\u2fdf\u3005-\u3007\u3021-\u302f\u3031-\u303c"  # radicals, ideographic marks
    r"\u3040-\u312f\u3190-\u4dbf\u4e00-\ua4cf"  # Kana, Bopomofo, Han, Yi
    r"\uf900-\ufaff\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff66-\uffdc"  # full width
    r"\U00016fe0-\U0001b2ff\U00020000-\U0003ffff"  # Han and Kana beyond the BMP
)
"""Letters of scripts without blanks between words: Chinese, Japanese, Korean and their like.

Such text may follow a path directly, so these letters end a segment that began otherwise.
"""

ENDERS: Final = (
    r"\x00-\x20\x7f-\xa0\u1680\u3000"  # controls and white space
    r"\"'`()\[\]{}<>|&;,*:"
    r"\xab\xbb\u060c\u061b\u061f\u0964\u0965"  # guillemets; Arabic and Indic marks
    r"\u2000-\u200b\u200e\u200f\u2012-\u206f"  # spaces, dashes, typographic quotes, ellipsis
    r"\u2190-\u23ff\u2500-\u27bf\u2900-\u297f\u2b00-\u2bff"  # arrows, boxes, symbols
    r"\u3001-\u3004\u3008-\u3020\u3030\u303d-\u303f"  # CJK punctuation
    r"\ufe10-\ufe1f\ufe30-\ufe6f\ufeff"
    r"\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\uffe0-\uffff"  # full width
    r"\ud800-\udfff\U0001f000-\U0001faff"  # halves of a pair, emoji
)
"""What ends the tail of a path, wherever it comes. White space is spelled out: `\\s` is slow."""

_LETTERS: Final = r"\w\u0300-\u036f"

continues_name: Final = re.compile(rf"(?![{SPACELESS}])[{_LETTERS}\-]").match
"""Whether a name goes on with this character: `windsurf2`, `windsurf-next`."""

is_spaceless: Final = re.compile(rf"[{SPACELESS}]").match

_WITHIN: Final = rf"(?![{SPACELESS}])[{_LETTERS}{SEPARATORS}.~%+@)}}\]$\-]"
"""What a path does not follow: a word, `..`, `~`, `$(pwd)`, `${X}` … begin a longer path."""

_is_within: Final = re.compile(_WITHIN).match

_EXCEPTION: Final = re.compile(
    rf"-(?<!{_WITHIN}-)-?[A-Za-z]{{0,24}}\Z"  # a flag: -I/opt, -isystem/opt
    rf"|\+(?<!{_WITHIN}\+)\Z"  # a line of a diff
    rf"|@(?<!{_WITHIN}@)\Z"  # curl -d @/tmp/…
    r"|\\[nrt]\Z"  # an escape that is shown as such
    r"|\x1b\[[\d;]{0,16}[mK]\Z"  # colours of a terminal
    r"|://(?:localhost|file)\Z"  # file://localhost/opt, vscode://file/opt
).search
"""After these it can start all the same. They begin with literals: the search skips quickly."""

LOOK_BEHIND: Final = 32
"""Characters before a path that decide whether it can start there."""


def can_start(past: str) -> bool:
    """Whether a path can start after this text (its last `LOOK_BEHIND` characters are enough)."""
    return not _is_within(past, len(past) - 1) or _EXCEPTION(past) is not None
