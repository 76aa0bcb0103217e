"""The Prometheus text: every line is well formed, whatever the labels hold."""

import re

from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.debug.counters import LATENCY_BOUNDS, Counters
from mitmproxy_windsurf.debug.metrics import prometheus

VALUE = r'"((?:[^"\\\n]|\\[\\"n])*)"'
SERIES = re.compile(rf"[a-z_]+(?:\{{[a-z]+={VALUE}(?:,[a-z]+={VALUE})*\}})? [\d.e+-]+")


def unescaped(value: str) -> str:
    return re.sub(r"\\(.)", lambda match: {"n": "\n"}.get(match[1], match[1]), value)


@given(st.text(), st.text())
def test_labels_are_escaped(first: str, second: str) -> None:
    counters = Counters()
    counters.count("edits", first, second)
    lines = [line for line in prometheus(counters).split("\n") if "edits_total{" in line]
    assert len(lines) == 1
    match = SERIES.fullmatch(lines[0])
    assert match
    assert [unescaped(value) for value in match.groups()] == [first, second]


def test_every_line_is_a_series_or_a_comment() -> None:
    counters = Counters()
    counters.count("requests", "anthropic", "complete", by=3)
    counters.count("held_characters", by=7)
    counters.latency.observe(3e-5)
    counters.latency.observe(3)
    text = prometheus(counters)
    assert text.endswith("\n")
    for line in text.splitlines():
        assert SERIES.fullmatch(line) or re.match(r"# (HELP|TYPE) windsurf_\w+ \S", line), line
    assert 'windsurf_requests_total{protocol="anthropic",outcome="complete"} 3' in text
    assert "windsurf_held_characters_total 7" in text


def test_buckets_are_cumulative() -> None:
    counters = Counters()
    for value in (3e-5, 3e-5, 3e-3, 3.0):
        counters.latency.observe(value)
    found = re.findall(r'bucket\{le="([^"]+)"\} (\d+)', prometheus(counters))
    assert [bound for bound, _ in found] == [*(f"{bound:g}" for bound in LATENCY_BOUNDS), "+Inf"]
    assert dict(found)["2.5e-05"] == "0"
    assert dict(found)["5e-05"] == "2"
    assert dict(found)["0.005"] == "3"
    assert dict(found)["+Inf"] == "4"
    assert "windsurf_added_latency_seconds_count 4" in prometheus(counters)


def test_a_counter_without_labels_is_there_from_the_start() -> None:
    assert "windsurf_held_characters_total 0" in prometheus(Counters())
