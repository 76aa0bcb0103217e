"""The search for a place by cuts that are refused, or not, or only sometimes."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.debug.bisect.search import Search, evenly, nearby


@given(st.integers(1, 400), st.data())
def test_a_steady_gate_takes_a_binary_search(places: int, data: st.DataObject) -> None:
    place = data.draw(st.integers(1, places))
    search = Search(evenly(places, 0.0), 1.0)
    tries = 0
    while (found := search.found) is None:
        cut = search.next_cut()
        search.tell(cut, refused=place <= cut)
        tries += 1
    assert found == place
    assert tries <= math.ceil(math.log2(places)) + 1


@given(st.integers(0, 200), st.data())
def test_a_neighbor_is_found_sooner_than_what_is_far_off(places: int, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, places))
    search = Search(nearby(places, 0.5), 1.0)
    tries = 0
    while (found := search.found) is None:
        cut = search.next_cut()
        search.tell(cut, refused=place <= cut)
        tries += 1
    assert found == place
    distance = places - place + 1 if place else 1
    assert tries <= 2 * math.log2(distance) + 6


@pytest.mark.parametrize("rate", [0.4, 0.6, 0.9])
def test_a_gate_that_closes_sometimes_is_found_nearly_always(rate: float) -> None:
    chance = random.Random(1)
    hits = tries = 0
    for _ in range(40):
        place = chance.randint(1, 500)
        search = Search(evenly(500, 0.0), rate)
        while (found := search.found) is None:
            cut = search.next_cut()
            search.tell(cut, refused=place <= cut and chance.random() < rate)
            tries += 1
        hits += found == place
        assert found >= place, "what was refused is never ruled out"
    assert hits >= 36
    capacity = math.log2(1 + (1 - (q := 1 - rate)) * q ** (q / (1 - q)))
    assert tries / 40 <= math.log2(500) / capacity + 10 / rate


def test_weights_add_up_to_one() -> None:
    for weights in (evenly(7, 0.2), nearby(7, 0.5)):
        assert sum(weights) == pytest.approx(1)
    assert nearby(0, 0.5) == [0.5]
