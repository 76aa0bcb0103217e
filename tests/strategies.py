"""Ways to cut a text or a byte string into the pieces it may arrive in.

Whatever streams must give the same result for every way of cutting (the law `chunk_invariance`):
a test of a known input runs it through all of `cuttings`, a property draws from `pieces`. No piece
is empty, and together they are the input.
"""

import itertools
import random
from collections.abc import Iterable, Iterator
from typing import TypeVar

from hypothesis import strategies as st

Data = TypeVar("Data", str, bytes)


def cut(data: Data, places: Iterable[int]) -> list[Data]:
    """Cut `data` at the offsets `places`; offsets at or beyond its ends cut nothing."""
    bounds = [0, *sorted({place for place in places if 0 < place < len(data)}), len(data)]
    return [data[a:b] for a, b in itertools.pairwise(bounds) if a < b]


def every(data: Data, size: int) -> list[Data]:
    """Pieces of `size`, the last one maybe shorter."""
    return cut(data, range(0, len(data), size))


def cuttings(data: Data, *, seed: int = 0, rounds: int = 8) -> Iterator[list[Data]]:
    """Whole, one by one, in two at every place, and some random cuts (the same on every run)."""
    yield cut(data, ())
    yield every(data, 1)
    for place in range(1, len(data)):
        yield cut(data, (place,))
    chance = random.Random(seed)
    for _ in range(rounds):
        yield cut(data, chance.sample(range(len(data) + 1), k=min(len(data), 12)))


@st.composite
def pieces(draw: st.DrawFn, data: Data, *, max_cuts: int = 12) -> list[Data]:
    """`data`, cut at places that Hypothesis chooses."""
    places = st.integers(1, max(1, len(data) - 1))
    return cut(data, draw(st.lists(places, max_size=max_cuts, unique=True)))
