"""Measure the text layers: time per delta, how it grows, how much is held back.

Each text goes in deltas of four characters through paths and identity, once with the reasoning
dedup in front and once without, and once in one piece, which is counted per four characters too.
Times are medians; compare them within one run only, machines are noisy. `2n / n` is the time for
twice the text by the time for the text: 2 is linear.
"""

import argparse
import gc
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Protocol

from bench_texts import TEXTS
from mitmproxy_windsurf.text.dedup import ReasoningDedup
from mitmproxy_windsurf.text.identity import IdentityStream
from mitmproxy_windsurf.text.paths import PathStream

MODEL = "claude-opus-4-6"
DELTA = 4


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


class Row(NamedTuple):
    text: str
    layers: float | None
    all_layers: float
    growth: float
    in_one_piece: float
    growth_in_one_piece: float
    held: int
    delayed: float


def deltas(text: str) -> list[str]:
    return [text[at : at + DELTA] for at in range(0, len(text), DELTA)]


def seconds(make: Callable[[], Layers], pieces: list[str], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        layers = make()
        gc.collect()
        start = time.perf_counter()
        layers.run(pieces)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def holding(layers: Layers, pieces: list[str], every: int = 1) -> tuple[int, float]:
    """The most that was held after a delta, and the share of deltas of which a part was."""
    most = delayed = looks = 0
    for number, piece in enumerate(pieces):
        layers.run([piece])
        if number % every == 0 or number == len(pieces) - 1:
            held = layers.held()
            looks += 1
            most = max(most, held)
            delayed += held > 0
    return most, delayed / looks


def measure(name: str, characters: int, rounds: int) -> Row:
    text = TEXTS[name](2 * characters)
    once, twice = deltas(text[:characters]), deltas(text)
    plain = seconds(Layers, once, rounds)
    all_layers = seconds(lambda: Layers("Another text."), once, rounds)
    growth = seconds(Layers, twice, rounds) / plain
    piece = seconds(Layers, [text[:characters]], rounds)
    piece_growth = seconds(Layers, [text], rounds) / piece
    per = 1e6 / len(once)
    times = plain * per, all_layers * per, growth, piece * per, piece_growth
    return Row(name, *times, *holding(Layers(), once))


def measure_duplicate(characters: int, rounds: int) -> Row:
    """Content that repeats the reasoning: the dedup holds all of it, the others see nothing."""
    text = TEXTS["English prose"](2 * characters)
    half = text[:characters]
    once = seconds(lambda: Layers(half), deltas(half), rounds)
    growth = seconds(lambda: Layers(text), deltas(text), rounds) / once
    piece = seconds(lambda: Layers(half), [half], rounds)
    piece_growth = seconds(lambda: Layers(text), [text], rounds) / piece
    per = 1e6 / len(deltas(half))
    times = None, once * per, growth, piece * per, piece_growth
    holds = holding(Layers(half), deltas(half), every=500)
    return Row("content equals reasoning", *times, *holds)


COLUMNS = [
    ("paths+identity", "µs/delta"),
    ("+dedup", "µs/delta"),
    ("2n / n", ""),
    ("one piece", "µs/delta"),
    ("2n / n", ""),
    ("held most", "characters"),
    ("delayed", "%"),
]


def table(rows: list[Row]) -> str:
    lines = [list(head) for head in zip(*COLUMNS, strict=True)]
    for row in rows:
        layers = "–" if row.layers is None else f"{row.layers:.2f}"
        rest = [row.all_layers, row.growth, row.in_one_piece, row.growth_in_one_piece]
        figures = [f"{figure:.2f}" for figure in rest]
        lines.append([layers, *figures, f"{row.held:,}", f"{100 * row.delayed:.2f}"])
    names = ["text", "", *(row.text for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        f"{name:{max(map(len, names))}}"
        + "".join(f"  {cell:>{width}}" for cell, width in zip(line, widths, strict=True))
        for name, line in zip(names, lines, strict=True)
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--characters", type=int, default=200_000, help="length of each text")
    parser.add_argument("--rounds", type=int, default=5, help="each time is the median of so many")
    parser.add_argument("--only", metavar="WORD", default="", help="texts whose name has this word")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the figures there too")
    options = parser.parse_args()

    chosen = [name for name in TEXTS if options.only in name]
    rows = [measure(name, options.characters, options.rounds) for name in chosen]
    if options.only in "content equals reasoning":
        rows.append(measure_duplicate(options.characters, options.rounds))
    print(
        f"Python {sys.version.split()[0]}, {options.characters:,} characters in deltas of {DELTA}"
    )
    print(table(rows))
    if options.json:
        figures = [row._asdict() for row in rows]
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
