"""A request with some of its units, as bytes; what was not left out keeps every byte."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Set
from itertools import groupby

from mitmproxy_windsurf.debug.bisect.tools import along_with, removable_tools
from mitmproxy_windsurf.debug.bisect.units import Unit
from mitmproxy_windsurf.wire.splice import (
    Path,
    Splice,
    apply,
    literal,
    locate,
    remove_elements,
    remove_members,
    style_of,
)
from mitmproxy_windsurf.wire.walk import at

PLACEHOLDER = "."
"""Stands for a text of which nothing is left: protocols forbid empty ones here and there."""


class Variants:
    """Of one request, whose units are given."""

    def __init__(self, raw: str, units: Iterable[Unit]) -> None:
        self._raw = raw
        self._body = json.loads(raw)
        self._style = style_of(raw)
        self._tools = {tool.path for tool in removable_tools(self._body)}
        pieces = [unit for unit in units if unit.target]
        self._texts = [
            (path, list(group)) for path, group in groupby(pieces, lambda unit: unit.path)
        ]
        self._spans = locate(raw, [*(path for path, _ in self._texts), *self._tools])

    def keeping(self, kept: Set[Unit]) -> bytes:
        """The request with these units and without the others."""
        tools = {unit.tool for unit in kept}
        gone = self._tools - tools
        removed = _outermost(along_with(self._body, gone)) if gone else set()
        return apply(self._raw, [*self._removals(removed), *self._changes(kept, removed)]).encode()

    def _changes(self, kept: Set[Unit], removed: Set[Path]) -> Iterator[Splice]:
        for path, pieces in self._texts:
            left = [piece for piece in pieces if piece in kept]
            if len(left) < len(pieces) and not _is_below(path, removed):
                text = at(self._body, path)
                text = "".join(text[piece.start : piece.end] for piece in left)
                if not text.strip():
                    text = PLACEHOLDER
                yield Splice(*self._spans[path], literal(text, self._style))

    def _removals(self, removed: Set[Path]) -> Iterator[Splice]:
        spans = self._spans
        if not removed <= spans.keys():
            spans = locate(self._raw, removed)
        for parent in {path[:-1] for path in removed}:
            steps = [path[-1] for path in removed if path[:-1] == parent]
            members = {step for step in steps if isinstance(step, str)}
            elements = {step for step in steps if isinstance(step, int)}
            if members:
                yield from remove_members(self._raw, spans[parent], members)
            else:
                yield from remove_elements(self._raw, spans[parent], elements)


def _is_below(path: Path, removed: Set[Path]) -> bool:
    return any(path[:depth] in removed for depth in range(len(path) + 1))


def _outermost(paths: Set[Path]) -> set[Path]:
    return {path for path in paths if not _is_below(path[:-1], paths)}
