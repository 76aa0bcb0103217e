"""The text layers: time per delta, how it grows, how much is held back.

Each text goes in deltas of four characters through paths and identity, once with the reasoning
dedup in front and once without, and once in one piece, which is counted per four characters too.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol

from benchmarks.answers import MODEL
from benchmarks.effort import Effort, Work
from benchmarks.report import Column, Row, Table
from benchmarks.sample_texts import TEXTS
from mitmproxy_windsurf.text.dedup import ReasoningDedup
from mitmproxy_windsurf.text.identity import IdentityStream
from mitmproxy_windsurf.text.paths import PathStream

DELTA = 4
CHARACTERS = 200_000
COLUMNS = [
    Column("paths+identity", "µs/delta"),
    Column("+dedup", "µs/delta"),
    Column("2n / n"),
    Column("one piece", "µs/delta"),
    Column("one piece, 2n / n"),
    Column("held most", "characters", 0),
    Column("delayed", "%"),
]


class Machine(Protocol):
    @property
    def held(self) -> str: ...
    def feed(self, text: str, /) -> str: ...


class Layers:
    """paths → identity, behind the dedup when `reasoning` is given."""

    def __init__(self, reasoning: str | None = None) -> None:
        stages: list[Machine] = [PathStream(), IdentityStream(MODEL)]
        if reasoning is not None:
            dedup = ReasoningDedup(want_thinking=True)
            for delta in deltas(reasoning):
                dedup.note_reasoning(delta)
            stages.insert(0, dedup)
        self.stages = stages

    def run(self, pieces: list[str]) -> None:
        feeds = [stage.feed for stage in self.stages]
        if len(feeds) == 2:
            paths, identity = feeds
            for piece in pieces:
                identity(paths(piece))
        else:
            dedup, paths, identity = feeds
            for piece in pieces:
                identity(paths(dedup(piece)))

    def held(self) -> int:
        return sum(len(stage.held) for stage in self.stages)


def deltas(text: str) -> list[str]:
    return [text[at : at + DELTA] for at in range(0, len(text), DELTA)]


def running(pieces: list[str], reasoning: str | None = None) -> Callable[[], Work]:
    return lambda: partial(Layers(reasoning).run, pieces)


def holding(layers: Layers, pieces: list[str], every: int = 1) -> tuple[int, float]:
    """The most that was held after a delta, and the percentage of deltas of which a part was."""
    most = delayed = looks = 0
    for number, piece in enumerate(pieces):
        layers.run([piece])
        if number % every == 0 or number == len(pieces) - 1:
            held = layers.held()
            looks += 1
            most = max(most, held)
            delayed += held > 0
    return most, 100 * delayed / looks


def row(name: str, text: str, effort: Effort) -> Row:
    half = text[: len(text) // 2]
    once, twice = deltas(half), deltas(text)
    plain, all_layers, double, piece, double_piece = effort.seconds(
        running(once),
        running(once, "Another text."),
        running(twice),
        running([half]),
        running([text]),
    )
    per = 1e6 / len(once)
    times = plain * per, all_layers * per, double / plain, piece * per, double_piece / piece
    return Row(name, [*times, *holding(Layers(), once)])


def repeating(name: str, text: str, effort: Effort) -> Row:
    """Content that repeats the reasoning: the dedup holds all of it, the others see nothing."""
    half = text[: len(text) // 2]
    once = deltas(half)
    all_layers, double, piece, double_piece = effort.seconds(
        running(once, half),
        running(deltas(text), text),
        running([half], half),
        running([text], text),
    )
    per = 1e6 / len(once)
    times = None, all_layers * per, double / all_layers, piece * per, double_piece / piece
    return Row(name, [*times, *holding(Layers(half), once, every=500)])


def measure(effort: Effort) -> Table:
    """One row for each kind of text."""
    characters = 2 * effort.of(CHARACTERS)
    rows = [row(name, text(characters), effort) for name, text in TEXTS.items()]
    prose = TEXTS["English prose"](characters)
    rows.append(repeating("content equals reasoning", prose, effort))
    note = (
        f"{characters // 2:,} characters in deltas of {DELTA}; 2n / n is the time for twice the"
        " text by that for the text: 2 is linear."
    )
    return Table("Text layers", note, COLUMNS, rows)
