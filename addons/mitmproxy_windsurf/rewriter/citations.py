"""Positions in a text, followed through its transforms.

A position goes where the output stands once the text before it has been read and decided about: at
the start of what is replaced that is before the replacement, anywhere later behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from mitmproxy_windsurf.rewriter.channels import Stage
from mitmproxy_windsurf.rewriter.ended import Ended
from mitmproxy_windsurf.text.transform import Pipeline, rewrite
from mitmproxy_windsurf.wire.parts import Citation, Json, Unit
from mitmproxy_windsurf.wire.splice import Path
from mitmproxy_windsurf.wire.walk import at


class Followed(NamedTuple):
    """The output of a text, and where in it the positions of the input are now."""

    text: str
    positions: dict[int, int]


def cite(
    citation: Citation, document: Json, text: Ended, stages: Callable[[], Sequence[Stage]]
) -> dict[Path, str | int]:
    """What is to stand at the paths of a citation, where that is something else than now."""
    numbers = {
        path: number
        for path in (citation.start, citation.end)
        if path and type(number := at(document, path)) is int and number >= 0
    }
    if text.dropped:
        now: dict[Path, str | int] = dict.fromkeys(numbers, 0)
        quoted = ""
    else:
        out, moved = follow(text.segments, [0, *numbers.values()], stages, citation.unit)
        now = {path: moved[number] for path, number in numbers.items()}
        quoted = ""
        if citation.quote:
            quoted = at(document, citation.quote)
            first, last = (
                numbers.get(path, 0) if path else 0 for path in (citation.start, citation.end)
            )
            if quoted == _between("".join(text.segments), first, last, citation.unit):
                quoted = _between(out, moved[first], moved[last], citation.unit)
            elif isinstance(quoted, str):  # from somewhere else
                quoted = rewrite(Pipeline(stages()), quoted)
    if citation.quote:
        now[citation.quote] = quoted
    return {path: value for path, value in now.items() if value != at(document, path)}


def follow(
    segments: Sequence[str],
    positions: Iterable[int],
    stages: Callable[[], Sequence[Stage]],
    unit: Unit = "characters",
) -> Followed:
    """Follow positions, in `unit`s, through a text; each segment has gone through stages of its
    own. The work is linear in the text."""
    asked = sorted(set(positions))
    whole = "".join(segments)
    characters = dict(zip(asked, _characters(whole, asked, unit), strict=True))
    places = sorted(set(characters.values()))
    found: dict[int, int] = {}
    out, base = "", 0
    for segment in segments:
        here = [place - base for place in places if base <= place <= base + len(segment)]
        text, traced = _trace(segment, here, stages())
        found.update({base + place: len(out) + now for place, now in traced.items()})
        out += text
        base += len(segment)
    beyond = len(out) - len(whole)  # of a position that no text is known for
    return Followed(
        out,
        {
            number: _units(out, found.get(place, place + beyond), unit)
            for number, place in characters.items()
        },
    )


def _trace(text: str, places: Sequence[int], row: Sequence[Stage]) -> Followed:
    """The output of one segment, and where in it the places of the input are.

    What is held at a place is waited for: counted back from where it is decided, the place is
    behind what became of it.
    """
    line = Pipeline(row)
    out, done, ahead = "", 0, list(reversed(places))
    waiting: dict[int, int] = {}
    found: dict[int, int] = {}
    while ahead or done < len(text):
        stop = done + 1 if waiting else ahead[-1] if ahead else len(text)
        out += line.feed(text[done:stop])
        done = stop
        if ahead and ahead[-1] == done:
            waiting[ahead.pop()] = len(out)
        held = sum(len(stage.held) for stage in row) if waiting else 0
        for place in [place for place in waiting if held <= done - place]:
            found[place] = max(waiting.pop(place), len(out) - (done - place - held))
    out += line.flush()
    for place, least in waiting.items():
        found[place] = max(least, len(out) - (done - place))
    return Followed(out, found)


def _characters(text: str, positions: Sequence[int], unit: Unit) -> list[int]:
    if unit == "characters":
        return list(positions)
    encoded = text.encode("utf-8", "surrogatepass")
    return [
        len(encoded[:position].decode("utf-8", "ignore")) + max(0, position - len(encoded))
        for position in positions
    ]


def _units(text: str, position: int, unit: Unit) -> int:
    if unit == "characters":
        return position
    known = text[:position].encode("utf-8", "surrogatepass")
    return len(known) + max(0, position - len(text))


def _between(text: str, first: int, last: int, unit: Unit) -> str:
    if unit == "characters":
        return text[first:last]
    return text.encode("utf-8", "surrogatepass")[first:last].decode("utf-8", "ignore")
