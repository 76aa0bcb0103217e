"""How thoroughly to measure."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

Work = Callable[[], object]


class Effort(NamedTuple):
    """Each figure is the median of `rounds`; `scale` is how much of the usual work a round does."""

    rounds: int = 5
    scale: float = 1.0

    def of(self, usual: int) -> int:
        """So much of what is usual, at least one."""
        return max(1, round(self.scale * usual))

    def seconds(self, *prepare: Callable[[], Work]) -> list[float]:
        """What pieces of work take. Each is prepared anew for every round, and they are done in
        turn, so that what else the machine does falls upon all of them."""
        times: list[list[float]] = [[] for _ in prepare]
        for _ in range(self.rounds):
            for prepared, found in zip(prepare, times, strict=True):
                work = prepared()
                gc.collect()
                start = time.perf_counter()
                work()
                found.append(time.perf_counter() - start)
        return [statistics.median(found) for found in times]


def percentile(figures: Sequence[float], share: float) -> float:
    """The figure below which this share of all lies."""
    ordered = sorted(figures)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
