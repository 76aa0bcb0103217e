"""The JSON documents of a body, whatever it is framed in: server-sent events, lines, an array that
comes bit by bit, or nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from mitmproxy_windsurf.wire.sse import SSEFramer

LARGEST = 8 * 1024 * 1024
"""Bytes of a body that are read."""

_BEGINNING = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:[{\[]|(?:data|event|id|retry|error)?:)")
_BETWEEN = re.compile(r"[\s,]*")
_DECODER = json.JSONDecoder()
_DONE = b"[DONE]"


class Documents(NamedTuple):
    """What was found, and in words what could not be read."""

    found: list[Any]
    notes: list[str]


def documents(body: bytes) -> Documents:
    """Every document in a body; a broken one ends an array or lines, but not a stream of events."""
    notes = []
    if len(body) > LARGEST:
        notes.append(f"only the first {LARGEST:,} of {len(body):,} bytes are read")
    data = body[:LARGEST].removeprefix(b"\xef\xbb\xbf").lstrip()
    found: list[Any] = []
    if data[:1] in (b"{", b"["):
        text = data.decode("utf-8", "replace")
        end = _values(text, found)
        if end < len(text):
            notes.append(f"what follows is no JSON, or cut off: {text[end : end + 60]!r}")
    else:
        unread = _events(data, found)
        if unread and found:
            notes.append(f"{unread} event{'s'[: unread > 1]} could not be read")
    return Documents(found, notes)


def is_readable(body: bytes) -> bool:
    """Whether a body begins as JSON or a stream of events does."""
    return _BEGINNING.match(body) is not None


def _values(text: str, found: list[Any]) -> int:
    """The values of a text, those of an array one by one; returns where it cannot be read on."""
    array = text.startswith("[")
    position = 1 if array else 0
    while (position := _BETWEEN.match(text, position).end()) < len(text):  # type: ignore[union-attr]
        if array and text[position] == "]":
            position, array = position + 1, False
            continue
        try:
            value, position = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            break
        found.append(value)
    return position


def _events(data: bytes, found: list[Any]) -> int:
    """The documents of a stream of events; returns how many could not be read."""
    unread = 0
    for content in _contents(data):
        try:
            found.append(json.loads(content))
        except (ValueError, RecursionError):
            unread += 1
    return unread


def _contents(data: bytes) -> Iterator[bytes]:
    framer = SSEFramer(limit=LARGEST)
    for frame in (*framer.feed(data), *framer.flush()):
        content = frame.data.strip()
        if not frame.spans and frame.raw.lstrip()[:1] in (b"{", b"["):
            content = frame.raw  # Gemini sends errors without a field name
        if content and not content.startswith(_DONE):
            yield content
