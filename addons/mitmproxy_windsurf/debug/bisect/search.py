"""Where to cut next: a binary search that forgives a gate which does not always close.

Something stands at one of several places, and a cut behind that place is refused in a share `rate`
of all tries, a cut before it never. So a refusal rules out all places behind the cut, and a pass
makes those before it less likely: with a rate of 1 it rules them out, and the search is the plain
binary one. The cut that is tried next is the one whose answer tells most (Horstein 1963, for
channels that err in one direction).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate

CERTAIN = 0.97
"""The share of what is possible that one place must have to be believed."""


class Search:
    """`weights` say how likely each place is at first; place k means that the first k units are
    needed, none if k is 0."""

    def __init__(self, weights: Sequence[float], rate: float) -> None:
        self._weights = list(weights)
        self._rate = rate

    @property
    def found(self) -> int | None:
        """The place, once there is hardly another one: a cut just behind it was refused."""
        needed = 1.0 if self._rate == 1 else CERTAIN
        last = len(self._weights) - 1
        return last if self._weights[last] >= needed * sum(self._weights) else None

    @property
    def likely(self) -> range:
        """From the first place to the last one that are still worth a thought."""
        least = (1 - CERTAIN) * max(self._weights) / 10
        first = next(place for place, weight in enumerate(self._weights) if weight > least)
        return range(first, len(self._weights))

    def next_cut(self) -> int:
        """How many units to keep in the next try."""
        total = sum(self._weights)
        shares = [weight / total for weight in accumulate(self._weights)]
        return max(range(len(shares)), key=lambda cut: self._worth(shares[cut]))

    def tell(self, cut: int, refused: bool) -> None:
        """How a try was answered."""
        if refused:
            del self._weights[cut + 1 :]
        else:
            for place in range(cut + 1):
                self._weights[place] *= 1 - self._rate

    def _worth(self, share: float) -> float:
        """Bits that are expected from a cut with so large a share of what is possible before it."""
        return _entropy(self._rate * share) - share * _entropy(self._rate)


def evenly(places: int, bare: float) -> list[float]:
    """Weights for a first search; `bare` is the share of the place before all units."""
    return [bare, *[(1 - bare) / places] * places]


def nearby(places: int, none: float) -> list[float]:
    """Weights for what else is needed beside a unit found behind these: mostly nothing, else
    rather a neighbor than something far off."""
    scale = (1 - none) / sum(1 / distance for distance in range(1, places + 1)) if places else 0
    return [none, *(scale / (places - place) for place in range(places))]


def _entropy(probability: float) -> float:
    if not 0 < probability < 1:
        return 0.0
    rest = 1 - probability
    return -probability * math.log2(probability) - rest * math.log2(rest)
