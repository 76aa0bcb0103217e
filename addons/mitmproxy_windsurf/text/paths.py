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

A marker that is echoed stays. So does what only hints at a root: percent-encoded separators, a bare
`workspace-dev1`.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final, TypeVar, cast

from mitmproxy_windsurf.text.blocks import BlockStream
from mitmproxy_windsurf.text.edits import Edit
from mitmproxy_windsurf.text.json_strings import JSONStrings
from mitmproxy_windsurf.text.path_chars import LOOK_BEHIND, can_start
from mitmproxy_windsurf.text.path_roots import LONGEST_RUN, NAME, Verdict, Walk, roots_of
from mitmproxy_windsurf.text.path_tail import Segment, read_tail
from mitmproxy_windsurf.text.transform import rewrite

MARKER: Final = "<workspace>"

T = TypeVar("T")


class PathScrubber:
    """A transform that scrubs private paths.

    With a `workspace` that is put in the place of a private root, and the tail stays: the path then
    leads to the file that is meant.
    """

    def __init__(self, *, private_paths: Iterable[str] = (), workspace: str | None = None) -> None:
        self.edits: list[Edit] = []
        self.held = ""
        self.roots = roots_of(tuple(private_paths))
        self.recent: deque[str] = deque(maxlen=LOOK_BEHIND)
        """The last deltas before the held text, none of them empty."""
        self._inside_run = False
        """Whether the separator where a root may start ends a longer run."""
        self._walk: Walk | None = None
        """How far the held text has come to be a root."""
        self._segment: Segment | None = None
        """Where in a tail we are; none outside."""
        self._workspace = workspace
        self._in_name = False
        """Whether the rest of a root's last name is still to come, before a tail that stays."""
        self._position = 0
        """Where the held text begins, in characters of input."""

    @property
    def calm(self) -> bool:
        """Whether nothing but the beginning of a root can change the state."""
        return not (self.held or self._in_name) and self._segment is None

    def feed(self, text: str, /) -> str:
        return self._scrub(text, final=False)

    def flush(self) -> str:
        return self._scrub("", final=True)

    def release(self) -> str:
        held, self.held = self.held, ""
        self._segment = self._walk = None
        self._in_name = False
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
                self._segment, kept, end = read_tail(text, pos, self._segment, final=final)
                if self._segment is not None:
                    pos = kept
                    break
                out.append(text[kept:end])
            elif self._in_name:
                end = len(text) - len(text[pos:].lstrip(NAME))
                self._in_name = end == len(text)
            else:
                verdict, start, end = self._find_root(text, pos, final=final)
                out.append(text[pos:start])
                if verdict is not Verdict.ROOT:
                    pos = start
                    break
                new, place = self._workspace or MARKER, self._position + start
                out.append(new)
                self.edits.append(Edit("path", text[start:end], new, layer="paths", start=place))
                if self._workspace:
                    self._in_name = True
                else:
                    self._segment = Segment.OTHER
            pos = end
        self.held = text[pos:]
        self._position += pos
        if pos:
            self.recent.append(text[max(0, pos - LOOK_BEHIND) : pos])
        return "".join(out)

    def _find_root(self, text: str, pos: int, *, final: bool) -> tuple[Verdict, int, int]:
        """Where the next root starts and ends; OPEN: where one may start."""
        if self._walk is not None:
            walk, self._walk = self._walk, None
            verdict, end = walk.read(text, len(self.held), final=final)
            if verdict is Verdict.OPEN:
                self._walk = walk
            if verdict is not Verdict.NO_ROOT:
                return verdict, 0, end
            pos = 1
        while candidate := self.roots.candidate(text, pos):
            first, pos = candidate.span()
            start = self._start_of(text, first, pos)
            if start is None:
                continue
            walk = self.roots.walk()
            verdict, end = walk.read(text, pos, final=final)
            if verdict is Verdict.OPEN and pos < end:
                self._walk = walk
            if verdict is not Verdict.NO_ROOT:
                return verdict, start, end
        return Verdict.NO_ROOT, len(text), len(text)

    def _start_of(self, text: str, first: int, end: int) -> int | None:
        """Where a root starts whose drive letter or run of separators is `text[first:end]`."""
        starts = True
        after_separator = False
        if first or not self.held:  # Else it is held because it can start here.
            past = self._past(text, first)
            starts = can_start(past)
            after_separator = past.endswith(("/", "\\"))
            self._inside_run = False
        run = end - first
        if text[first] not in "/\\":
            run -= len("C:")
            if run <= LONGEST_RUN and (starts or after_separator):
                return first
            starts = run > 0  # Without the drive, then: after its colon.
        if not starts:
            return None
        self._inside_run |= run > 2
        return end - 1 if self._inside_run else end - run

    def _past(self, text: str, end: int) -> str:
        """What stands before `text[end]`, as far as it matters."""
        if end >= LOOK_BEHIND:
            return text[end - LOOK_BEHIND : end]
        if len(self.recent) > 1:
            joined = "".join(self.recent)
            self.recent.clear()
            self.recent.append(joined[-LOOK_BEHIND:])
        return ((self.recent[0] if self.recent else "") + text[:end])[-LOOK_BEHIND:]


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
        if self._skipped:
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


def sanitize_value(obj: T, *, private_paths: Iterable[str] = ()) -> T:
    """Scrub the paths in the strings of parsed JSON, at any depth; keys stay. Returns a copy."""
    paths = tuple(private_paths)
    unfinished: list[tuple[Any, Any]] = []

    def copy(item: object) -> object:
        if isinstance(item, str):
            return rewrite(PathScrubber(private_paths=paths), item)
        if not isinstance(item, dict | list):
            return item
        twin: object = {} if isinstance(item, dict) else []
        unfinished.append((item, twin))
        return twin

    result = copy(obj)
    while unfinished:
        source, twin = unfinished.pop()
        if isinstance(source, dict):
            twin.update((key, copy(item)) for key, item in source.items())
        else:
            twin.extend(copy(item) for item in source)
    return cast("T", result)
