r"""Replaces the upstream's private paths by a marker, while the text streams.

`PathStream` is for text: it removes sandbox blocks, then scrubs paths, in code too. `PathScrubber`
scrubs paths alone and is for the strings of tool arguments. A path is a private root and its tail:

- It starts where a path can start (`path_chars.can_start`), with one or two separators, or with a
  drive letter and one to four. Of a longer run only the last separator belongs to it, so that
  `file:///opt/windsurf/a` keeps its scheme.
- The root ends at the end of a name: `/opt/windsurf-next` is another directory. It is decided with
  the next character at the latest, and the marker goes out at once.
- The tail is swallowed as it comes, up to a character that ends it: white space, a quote, a
  bracket, `:`, an emoji …, or a letter of a script without blanks in a segment that began
  otherwise, so that `a.py文件` keeps the noun and `/测试/a.py` is one path.
- Sentence punctuation at the end of the tail stays, and so do backslashes before a quote, which
  they escape: `\"/opt/windsurf/a.py.\"`. Only such a run is held.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from enum import Enum
from typing import Any, Final, TypeVar, cast

from .blocks import BlockStream
from .edits import Edit
from .json_strings import JSONStrings
from .path_chars import (
    ENDERS,
    LOOK_BEHIND,
    QUOTES,
    SEPARATORS,
    SPACELESS,
    STOPS,
    can_start,
    is_spaceless,
)
from .path_roots import LONGEST_RUN, Verdict, roots_of
from .transform import rewrite

MARKER: Final = "<workspace>"

MOST_STOPS: Final = 64
MOST_ESCAPES: Final = 16
"""Characters of such a run that may be kept at the end of a tail. What is before them is path."""

_KEPT: Final = (*STOPS, "\\")

T = TypeVar("T")


class Segment(Enum):
    """What the segment of the tail that is being read has begun with."""

    NOTHING = "nothing yet: it comes after a separator"
    SPACELESS = "a letter of a script without blanks"
    OTHER = "any other character"


_LETTERS = rf"[^{ENDERS}{SEPARATORS}]"
_SEGMENT = rf"(?:[{SPACELESS}]{_LETTERS}*+)?+"
_REST = rf"(?:[^{ENDERS}{SPACELESS}{SEPARATORS}]++|[{SEPARATORS}]++{_SEGMENT})*+"
_TAIL: Final = {
    Segment.NOTHING: re.compile(_SEGMENT + _REST).match,
    Segment.SPACELESS: re.compile(f"{_LETTERS}*+{_REST}").match,
    Segment.OTHER: re.compile(_REST).match,
}
"""The tail from here on, by the segment that it begins in."""


class PathScrubber:
    """A transform that scrubs private paths."""

    def __init__(self, *, private_paths: Iterable[str] = ()) -> None:
        self.edits: list[Edit] = []
        self.held = ""
        self.roots = roots_of(tuple(private_paths))
        self.recent: deque[str] = deque(maxlen=LOOK_BEHIND)
        """The last deltas before the held text, none of them empty."""
        self._segment: Segment | None = None
        """Where in a tail we are; none outside."""
        self._position = 0
        """Where the held text begins, in characters of input."""

    @property
    def calm(self) -> bool:
        """Whether nothing but the beginning of a root can change the state."""
        return not self.held and self._segment is None

    def feed(self, text: str, /) -> str:
        return self._scrub(text, final=False)

    def flush(self) -> str:
        return self._scrub("", final=True)

    def release(self) -> str:
        held, self.held = self.held, ""
        self._segment = None
        return held

    def skip(self, count: int) -> None:
        """So many characters have passed while the state was `calm`, and are in `recent`."""
        self._position += count

    def _scrub(self, text: str, *, final: bool) -> str:
        text = self.held + text
        out = []
        pos = 0
        while pos < len(text):
            if self._segment is not None:
                self._segment, kept, end = _read_tail(text, pos, self._segment, final=final)
                if self._segment is not None:
                    pos = kept
                    break
                out.append(text[kept:end])
            else:
                verdict, start, end = self._find_root(text, pos, final=final)
                out.append(text[pos:start])
                if verdict is not Verdict.ROOT:
                    pos = start
                    break
                out.append(MARKER)
                before, place = text[start:end], self._position + start
                self.edits.append(Edit("path", before, MARKER, layer="paths", start=place))
                self._segment = Segment.OTHER
            pos = end
        self.held = text[pos:]
        self._position += pos
        if pos:
            self.recent.append(text[max(0, pos - LOOK_BEHIND) : pos])
        return "".join(out)

    def _find_root(self, text: str, pos: int, *, final: bool) -> tuple[Verdict, int, int]:
        """Where the next root starts and ends; OPEN: where one may start."""
        while candidate := self.roots.candidate(text, pos):
            pos = candidate.end()
            start = self._start_of(text, *candidate.span())
            if start is None:
                continue
            verdict, end = self.roots.read(text, pos, final=final)
            if verdict is not Verdict.NO_ROOT:
                return verdict, start, end
        return Verdict.NO_ROOT, len(text), len(text)

    def _start_of(self, text: str, first: int, end: int) -> int | None:
        """Where a root starts whose drive letter or run of separators is `text[first:end]`."""
        past = self._past(text, first)
        after_separator = past.endswith(("/", "\\"))
        if text[first] not in "/\\":
            run = end - first - len("C:")
            if run <= LONGEST_RUN and (after_separator or can_start(past)):
                return first
            if run <= 0:
                return None
            return end - run if run <= 2 else end - 1
        if after_separator and self.held and not first:
            return end - 1  # The run goes on whose last separator was held.
        if not can_start(past):
            return None
        return first if end - first <= 2 else end - 1

    def _past(self, text: str, end: int) -> str:
        """What stands before `text[end]`, as far as it matters."""
        if end >= LOOK_BEHIND:
            return text[end - LOOK_BEHIND : end]
        if len(self.recent) > 1:
            joined = "".join(self.recent)
            self.recent.clear()
            self.recent.append(joined[-LOOK_BEHIND:])
        return ((self.recent[0] if self.recent else "") + text[:end])[-LOOK_BEHIND:]


def _read_tail(
    text: str, pos: int, segment: Segment, *, final: bool
) -> tuple[Segment | None, int, int]:
    """The segment in which the tail goes on, none if it ends; what is or may be kept of it."""
    tail = _TAIL[segment](text, pos)
    end = tail.end() if tail else pos
    kept = end - _run_at_end(text[pos:end])
    if end == len(text) and not final:
        return _segment_after(segment, text[pos:kept]), kept, end
    if text.endswith("\\", kept, end) and not text.startswith(QUOTES, end):
        kept = end
    return None, kept, end


def _run_at_end(tail: str) -> int:
    """The length of the punctuation, and then backslashes, at the end of a tail."""
    if not tail.endswith(_KEPT):
        return 0
    escapes = len(tail) - len(tail.rstrip("\\"))
    if escapes > MOST_ESCAPES:
        return MOST_ESCAPES
    rest = tail[: len(tail) - escapes]
    stops = len(rest) - len(rest.rstrip(STOPS))
    return min(stops, MOST_STOPS) + escapes


def _segment_after(segment: Segment, tail: str) -> Segment:
    """The segment in which a tail goes on that has come to `segment` before."""
    separator = max(tail.rfind("/"), tail.rfind("\\"))
    if separator >= 0:
        segment = Segment.NOTHING
    if segment is Segment.NOTHING and separator + 1 < len(tail):
        return Segment.SPACELESS if is_spaceless(tail, separator + 1) else Segment.OTHER
    return segment


class PathStream:
    """A transform that removes sandbox blocks and scrubs private paths."""

    def __init__(self, *, private_paths: Iterable[str] = ()) -> None:
        self._blocks = BlockStream()
        self._scrubber = PathScrubber(private_paths=private_paths)
        self.edits: list[Edit] = self._blocks.edits
        self._stirs = re.compile(rf"[<`\r\n{self._scrubber.roots.beginnings}]").search
        self._remember = self._scrubber.recent.append
        self._calm = False
        self._skipped = 0
        """Characters that neither stage has counted."""

    @property
    def held(self) -> str:
        return self._scrubber.held + self._blocks.held

    def feed(self, text: str, /) -> str:
        # Most deltas end here: nothing is going on, and nothing in them can begin anything.
        if self._calm and text and self._stirs(text) is None:
            self._remember(text[-LOOK_BEHIND:])
            self._skipped += len(text)
            return text
        self._blocks.skip(self._skipped)
        self._scrubber.skip(self._skipped)
        self._skipped = 0
        passed = self._blocks.feed(text)
        out = self._scrubber.feed(passed) if passed else ""
        self._calm = self._blocks.calm and self._scrubber.calm
        return self._noting(out)

    def flush(self) -> str:
        return self._noting(self._scrubber.feed(self._blocks.flush()) + self._scrubber.flush())

    def release(self) -> str:
        """Paths are still scrubbed in what a broken block gives back."""
        return self._noting(self._scrubber.feed(self._blocks.release()) + self._scrubber.release())

    def _noting(self, out: str) -> str:
        """Take over the edits of the scrubber, whose input is what the blocks left."""
        if self._scrubber.edits:
            origin = self._blocks.origin
            self.edits += [replace(e, start=origin(e.start)) for e in self._scrubber.edits]
            self._scrubber.edits.clear()
        return out


def sanitize_text(text: str, *, private_paths: Iterable[str] = ()) -> str:
    """Remove the sandbox blocks of a whole text and scrub its paths."""
    return rewrite(PathStream(private_paths=private_paths), text)


def sanitize_arguments(json_text: str, *, private_paths: Iterable[str] = ()) -> str:
    """Scrub the paths in the strings of a JSON text; what was cut off stays cut off."""
    paths = tuple(private_paths)
    return rewrite(JSONStrings(lambda: PathScrubber(private_paths=paths)), json_text)


def sanitize_value(value: T, *, private_paths: Iterable[str] = ()) -> T:
    """Scrub the paths in the strings of parsed JSON, at any depth; keys stay. Returns a copy."""
    paths = tuple(private_paths)
    unfinished: list[tuple[Any, Any]] = []

    def copy(item: object) -> object:
        if isinstance(item, str):
            return rewrite(PathScrubber(private_paths=paths), item)
        if not isinstance(item, dict | list):
            return item
        twin = type(item)()
        unfinished.append((item, twin))
        return twin

    result = copy(value)
    while unfinished:
        source, twin = unfinished.pop()
        if isinstance(source, dict):
            twin.update((key, copy(item)) for key, item in source.items())
        else:
            twin.extend(copy(item) for item in source)
    return cast("T", result)
