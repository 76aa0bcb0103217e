"""What happened since the start, as numbers: counters with labels, and a histogram.

Every label takes its values from a small set, names of models and clients never: the number of
series is bounded, whatever comes over the wire.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from mitmproxy_windsurf.text.edits import Edit

MAX_SERIES = 500
"""Combinations of labels that one counter tells apart; more of them are counted as `OTHER`."""

OTHER = "other"


class Family(NamedTuple):
    """One counter, with a series for each combination of its labels."""

    name: str
    labels: tuple[str, ...]
    help: str


FAMILIES = (
    Family("requests", ("protocol", "outcome"), "Requests, by how their exchange ended."),
    Family("streams", ("protocol", "outcome"), "Answers that were streamed, likewise."),
    Family("edits", ("layer", "rule"), "Changes that were made, or would be in shadow mode."),
    Family("held_characters", (), "Characters that waited for a later piece of the answer."),
    Family("dropped_characters", ("layer",), "Characters that answers have lost, net."),
    Family("blocked", ("protocol", "verdict"), "Requests that the upstream refused for a policy."),
    Family("layer_errors", ("where",), "Failures inside a layer; the bytes passed as they came."),
)
OUTCOMES = ("complete", "blocked", "failed", "broken", "disconnected", "refused", "unreachable")
"""How an exchange ends: a whole answer, a refusal for a policy, another HTTP error, an upstream or
a client that broke off, a client or an upstream that was not let in or not reached."""

LATENCY_BOUNDS = (
    *(1e-5, 2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4),
    *(1e-3, 2.5e-3, 5e-3, 1e-2, 2.5e-2, 1e-1),
)
"""Upper bounds, in seconds."""

Labels = tuple[str, ...]


class Histogram:
    """How often a value was at most as large as each bound."""

    def __init__(self, bounds: tuple[float, ...] = LATENCY_BOUNDS) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        """Of each bound those that are above the one before; the last are above all."""
        self.sum = 0.0

    def observe(self, value: float) -> None:
        self.counts[bisect_left(self.bounds, value)] += 1
        self.sum += value

    @property
    def count(self) -> int:
        return sum(self.counts)

    def quantile(self, share: float) -> float | None:
        """The bound below which this share of the values lies; None if it lies above all."""
        wanted, seen = share * self.count, 0
        for bound, count in zip(self.bounds, self.counts, strict=False):
            seen += count
            if seen >= wanted:
                return bound
        return None


class Counters:
    """All numbers of one run."""

    def __init__(self) -> None:
        self._series: dict[str, dict[Labels, int]] = {family.name: {} for family in FAMILIES}
        self.latency = Histogram()
        """Seconds that a piece of a streamed answer spent in the layers."""

    def count(self, name: str, *labels: str, by: int = 1) -> None:
        """Add to one series of a family."""
        series = self._series[name]
        if labels not in series and len(series) >= MAX_SERIES:
            labels = (OTHER,) * len(labels)
        series[labels] = series.get(labels, 0) + by

    def count_edits(self, edits: Iterable[Edit], *, answer: bool) -> None:
        """Count changes; of an answer also what it has lost."""
        for edit in edits:
            self.count("edits", edit.layer, edit.rule)
            if answer and (lost := len(edit.before) - len(edit.after)) > 0:
                self.count("dropped_characters", edit.layer, by=lost)

    def series(self, name: str) -> Mapping[Labels, int]:
        """The series of a family that have been counted."""
        return self._series[name]

    def total(self, name: str, **where: str) -> int:
        """The sum of the series of a family with these labels."""
        [labels] = (family.labels for family in FAMILIES if family.name == name)
        wanted = [(labels.index(label), value) for label, value in where.items()]
        return sum(
            number
            for values, number in self._series[name].items()
            if all(values[index] == value for index, value in wanted)
        )
