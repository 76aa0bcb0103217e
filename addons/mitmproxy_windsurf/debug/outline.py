"""A JSON value as indented lines in the manner of YAML, for people to read and for lines to be
compared.

Strings keep their line ends, which JSON escapes, and stand bare wherever that cannot mislead. It is
a display and not a serialization: what is too deep, too long or plainly binary is only named.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

DEEPEST = 40
LONGEST = 64 * 1024
"""Characters of one text that are shown."""

LONGEST_LINE = 100
"""Characters of a line that is compared as one, if it has several sentences."""

LONGEST_BINARY = 300

_BINARY = re.compile(r"(?:data:[\w/+.;-]+,)?[A-Za-z0-9+/_-]+=*")
_AMBIGUOUS = re.compile(
    r"(?:[-+.\d]|true\b|false\b|null\b|[\s\[\]{}>|*&!%#`@,?:'\"])|.*(?:: |:$| #|\s$)|$",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?:;] )|(?<=[。！？；])")


@dataclass(frozen=True, slots=True)
class Style:
    """How texts are laid out."""

    longest: int = LONGEST
    sentences: bool = False
    """Break long lines after each sentence, so that a change is seen where it is."""


READING = Style()
COMPARING = Style(longest=sys.maxsize, sentences=True)


def outline(value: Any, style: Style = READING) -> list[str]:
    """The lines of a JSON value. A member whose value has several lines has them indented below."""
    return list(_lines(value, style, 0))


def literal(text: str, style: Style = READING) -> list[str]:
    """The lines of a text, the first one being the `|` that says so."""
    return ["|", *indented(_laid_out(text, style))]


def indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"  {line}" if line else "" for line in lines)


def entry(key: str, value: Any, lines: list[str]) -> Iterator[str]:
    """A key and the lines of its value."""
    if isinstance(value, (dict, list)) and value:
        yield f"{key}:"
        yield from indented(lines)
    else:
        yield f"{key}: {lines[0]}"
        yield from lines[1:]


def _lines(value: Any, style: Style, depth: int) -> Iterator[str]:
    if not isinstance(value, (dict, list)):
        yield from _scalar(value, style)
    elif not value:
        yield "{}" if isinstance(value, dict) else "[]"
    elif depth > DEEPEST:
        yield "…"
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from entry(_plain(str(key)), item, [*_lines(item, style, depth + 1)])
    else:
        for item in value:
            first, *rest = _lines(item, style, depth + 1)
            yield f"- {first}"
            yield from indented(rest)


def _scalar(value: Any, style: Style) -> Iterator[str]:
    if not isinstance(value, str):
        yield json.dumps(value)
    elif len(value) > LONGEST_BINARY and _BINARY.fullmatch(value):
        yield f"({len(value):,} characters of Base64)"
    else:
        lines = _laid_out(value, style)
        if len(lines) > 1:
            yield "|"
            yield from indented(lines)
        else:
            yield _plain(value)


def _laid_out(text: str, style: Style) -> list[str]:
    if len(text) > style.longest:
        half = style.longest // 2
        left_out = f"… {len(text) - 2 * half:,} characters left out …"
        text = f"{text[:half]}\n{left_out}\n{text[-half:]}"
    lines = text.replace("\r\n", "\n").split("\n")
    if len(lines) > 1 and not lines[-1]:
        del lines[-1]
    if style.sentences:
        return [piece for line in lines for piece in _sentences(line)]
    return lines


def _sentences(line: str) -> list[str]:
    if len(line) <= LONGEST_LINE:
        return [line]
    return [piece for piece in _SENTENCE_END.split(line) if piece]


def _plain(text: str) -> str:
    if not _AMBIGUOUS.match(text) and text.isprintable():
        return text
    escaped = "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in text.replace("\\", "\\\\").replace('"', '\\"')
    )
    return f'"{escaped}"'
