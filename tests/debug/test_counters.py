"""Counters that cannot grow without bound, and a histogram that puts every value somewhere."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.debug.counters import (
    FAMILIES,
    LATENCY_BOUNDS,
    MAX_SERIES,
    OTHER,
    Counters,
    Histogram,
)
from mitmproxy_windsurf.text.edits import Edit


def test_series_are_counted_apart_and_together() -> None:
    counters = Counters()
    counters.count("requests", "anthropic", "complete")
    counters.count("requests", "anthropic", "blocked", by=2)
    counters.count("requests", "gemini", "blocked", by=4)
    assert counters.series("requests")["anthropic", "blocked"] == 2
    assert counters.total("requests") == 7
    assert counters.total("requests", protocol="anthropic") == 3
    assert counters.total("requests", outcome="blocked") == 6


def test_edits_are_counted_by_rule_and_what_answers_lost_by_layer() -> None:
    counters = Counters()
    edits = [Edit("path", "/opt/windsurf", "", layer="paths"), Edit("r", "a", "ab", layer="x")]
    counters.count_edits(edits, answer=True)
    counters.count_edits([Edit("a1", "abc", "", layer="neutralize")], answer=False)
    assert dict(counters.series("edits")) == {
        ("paths", "path"): 1,
        ("x", "r"): 1,
        ("neutralize", "a1"): 1,
    }
    assert dict(counters.series("dropped_characters")) == {("paths",): 13}


def test_labels_are_bounded() -> None:
    counters = Counters()
    for number in range(MAX_SERIES + 50):
        counters.count("edits", "neutralize", f"rule-{number}")
    series = counters.series("edits")
    assert len(series) == MAX_SERIES + 1
    assert series[OTHER, OTHER] == 50
    assert counters.total("edits") == MAX_SERIES + 50
    counters.count("edits", "neutralize", "rule-0")
    assert series["neutralize", "rule-0"] == 2


def test_no_label_can_hold_what_comes_over_the_wire() -> None:
    names = {label for family in FAMILIES for label in family.labels}
    assert names == {"protocol", "outcome", "layer", "rule", "verdict", "where"}


@given(st.lists(st.floats(0, 10)))
def test_a_histogram_counts_every_value_below_the_bounds_it_is_below(values: list[float]) -> None:
    histogram = Histogram()
    for value in values:
        histogram.observe(value)
    assert histogram.count == len(values)
    assert histogram.sum == pytest.approx(sum(values))
    for index, bound in enumerate(LATENCY_BOUNDS):
        assert sum(histogram.counts[: index + 1]) == sum(value <= bound for value in values)


@given(st.lists(st.floats(0, 1), min_size=1), st.floats(0.01, 1))
def test_a_quantile_is_a_bound_above_that_share_of_the_values(
    values: list[float], share: float
) -> None:
    histogram = Histogram()
    for value in values:
        histogram.observe(value)
    bound = histogram.quantile(share)
    if bound is None:
        assert sum(value <= LATENCY_BOUNDS[-1] for value in values) < share * len(values)
    else:
        assert sum(value <= bound for value in values) >= share * len(values)
