"""Change single values in raw JSON text and keep every other character.

Real payloads differ in key order, spacing, number spelling and escapes, and prompt caches and
signatures depend on them, so nothing is ever dumped again: the span of a value is found in the raw
text and replaced there.

A path is a tuple of object keys and array indices, as in `("choices", 0, "delta", "content")`.
Where an object repeats a key the last one counts, as for every JSON parser in use.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

Path = tuple[str | int, ...]


class Span(NamedTuple):
    """Where a value stands in the raw text: `text[start:end]`."""

    start: int
    end: int


class Splice(NamedTuple):
    """Replace `text[start:end]` by `new`."""

    start: int
    end: int
    new: str


class Style(NamedTuple):
    """How a document spells its strings."""

    ascii_only: bool
    slashes: bool
    html: bool


_decode = json.JSONDecoder().raw_decode
_blank = re.compile(r"[ \t\n\r]*").match
_MUST_ESCAPE = re.compile('["\\\\\x00-\x1f\x85\u2028\u2029\ud800-\udfff]')
_NON_ASCII = re.compile(r"[^\x00-\x7f]")
_HTML = re.compile("[<>&]")
_EVEN = r"(?<!\\)(?:\\\\)*"  # backslashes before, that do not escape what follows
_SLASH = re.compile(_EVEN + "/")
_ESCAPED_SLASH = re.compile(_EVEN + r"\\/")
_ESCAPED_HTML = re.compile(_EVEN + r"\\u00(?:3c|3e|26)", re.IGNORECASE)
_ESCAPED_NON_ASCII = re.compile(  # except what `literal` escapes in every style
    _EVEN + r"\\u(?:(?!00[0-7]|0085|202[89]|d[89a-f])[0-9a-f]{4}|d[89ab]..\\ud[c-f])",
    re.IGNORECASE,
)
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}


def locate(text: str, paths: Iterable[Path]) -> dict[Path, Span]:
    """Find the values at `paths`, and all that they lie in, in `text`, which must be valid JSON.

    Absent paths are left out. The work is linear in the text, however many paths there are.
    """
    tree: dict[str | int, Any] = {}
    for path in paths:
        node = tree
        for step in path:
            node = node.setdefault(step, {})
    start = _skip(text, 0)
    found: dict[Path, Span] = {}
    _descend(text, Span(start, _decode(text, start)[1]), tree, (), found)
    return found


def apply(text: str, splices: Iterable[Splice]) -> str:
    """Carry out splices that do not overlap."""
    out: list[str] = []
    position = 0
    for splice in sorted(splices):
        out += text[position : splice.start], splice.new
        position = splice.end
    out.append(text[position:])
    return "".join(out)


def style_of(text: str) -> Style:
    """The spelling habits of a JSON text, as far as it shows them: characters are escaped if an
    escape of such a character is there and none that is raw."""
    return Style(
        ascii_only=_habit(_ESCAPED_NON_ASCII, _NON_ASCII, text),
        slashes=_habit(_ESCAPED_SLASH, _SLASH, text),
        html=_habit(_ESCAPED_HTML, _HTML, text),
    )


def literal(value: str, style: Style) -> str:
    """`value` as a JSON string literal.

    Line separators that old clients split SSE lines at (U+0085, U+2028, U+2029) and lone surrogates
    are escaped in every style.
    """
    out = _MUST_ESCAPE.sub(_escape, value)
    if style.ascii_only:
        out = _NON_ASCII.sub(_escape, out)
    if style.slashes:
        out = out.replace("/", "\\/")
    if style.html:
        out = out.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return f'"{out}"'


def insert_member(text: str, obj: Span, key: str, value: str) -> Splice:
    """Add `key: value` (both ready literals) at the end of the object at `obj`."""
    end = obj.end - 1
    while text[end - 1] in " \t\n\r":
        end -= 1
    return Splice(end, end, f"{key}:{value}" if text[end - 1] == "{" else f",{key}:{value}")


def remove_elements(text: str, array: Span, gone: set[int]) -> list[Splice]:
    """Remove elements of the array at `array`, each with the comma that stood before or, at the
    front, after it."""
    return _removals([span for _, span in _elements(text, array.start)], gone)


def remove_members(text: str, obj: Span, gone: set[str]) -> list[Splice]:
    """Remove members of the object at `obj` in the same way."""
    spans: list[Span] = []
    indices: set[int] = set()
    start = _skip(text, obj.start + 1)
    for index, (key, value) in enumerate(_members(text, obj.start)):
        spans.append(Span(start, value.end))
        if key in gone:
            indices.add(index)
        start = _skip(text, _skip(text, value.end) + 1)
    return _removals(spans, indices) if indices else []


def _removals(spans: list[Span], gone: set[int]) -> list[Splice]:
    first_kept = next((index for index in range(len(spans)) if index not in gone), None)
    if first_kept is None:
        return [Splice(spans[0].start, spans[-1].end, "")]
    front = [Splice(spans[0].start, spans[first_kept].start, "")] if first_kept else []
    return front + [
        Splice(spans[index - 1].end, spans[index].end, "")
        for index in sorted(gone)
        if index > first_kept
    ]


def _habit(escaped: re.Pattern[str], raw: re.Pattern[str], text: str) -> bool:
    return escaped.search(text) is not None and raw.search(text) is None


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    if char in _SHORT:
        return _SHORT[char]
    code = ord(char)
    if code > 0xFFFF:
        code -= 0x10000
        return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
    return f"\\u{code:04x}"


def _skip(text: str, index: int) -> int:
    match = _blank(text, index)
    return match.end() if match else index


def _descend(
    text: str, span: Span, tree: Mapping[str | int, Any], path: Path, found: dict[Path, Span]
) -> None:
    """Note where the value at `span` and those that `tree` asks for inside it stand."""
    found[path] = span
    if not tree or text[span.start] not in "{[":
        return
    children = _members if text[span.start] == "{" else _elements
    wanted = {step: child for step, child in children(text, span.start) if step in tree}
    for step, child in wanted.items():
        _descend(text, child, tree[step], (*path, step), found)


def _members(text: str, start: int) -> Iterator[tuple[str | int, Span]]:
    """Keys and spans of the values of the object at `start`."""
    index = _skip(text, start + 1)
    while text[index] != "}":
        key, index = _decode(text, index)
        index = _skip(text, _skip(text, index) + 1)
        end = _decode(text, index)[1]
        yield key, Span(index, end)
        index = _skip(text, end)
        if text[index] == ",":
            index = _skip(text, index + 1)


def _elements(text: str, start: int) -> Iterator[tuple[str | int, Span]]:
    """Positions and spans of the elements of the array at `start`."""
    index = _skip(text, start + 1)
    for position in itertools.count():
        if text[index] == "]":
            return
        end = _decode(text, index)[1]
        yield position, Span(index, end)
        index = _skip(text, end)
        if text[index] == ",":
            index = _skip(text, index + 1)
