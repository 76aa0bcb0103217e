"""The counters as Prometheus text.

The format is https://prometheus.io/docs/instrumenting/exposition_formats/, version 0.0.4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import accumulate

from mitmproxy_windsurf.debug.counters import FAMILIES, Counters, Histogram

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
PREFIX = "windsurf_"
LATENCY = f"{PREFIX}added_latency_seconds"
LATENCY_HELP = "Time that a piece of a streamed answer spent in the layers."


def prometheus(counters: Counters) -> str:
    """Everything that was counted."""
    return "\n".join([*_counters(counters), *_histogram(counters.latency), ""])


def _counters(counters: Counters) -> Iterator[str]:
    for family in FAMILIES:
        name = f"{PREFIX}{family.name}_total"
        yield f"# HELP {name} {family.help}"
        yield f"# TYPE {name} counter"
        series = counters.series(family.name)
        if not family.labels and not series:
            yield f"{name} 0"
        for values, number in sorted(series.items()):
            yield f"{name}{_labels(zip(family.labels, values, strict=True))} {number}"


def _histogram(histogram: Histogram) -> Iterator[str]:
    yield f"# HELP {LATENCY} {LATENCY_HELP}"
    yield f"# TYPE {LATENCY} histogram"
    bounds = [*(f"{bound:g}" for bound in histogram.bounds), "+Inf"]
    for bound, number in zip(bounds, accumulate(histogram.counts), strict=True):
        yield f"{LATENCY}_bucket{_labels([('le', bound)])} {number}"
    yield f"{LATENCY}_sum {histogram.sum:.9f}"
    yield f"{LATENCY}_count {histogram.count}"


def _labels(pairs: Iterable[tuple[str, str]]) -> str:
    shown = ",".join(f'{name}="{_escaped(value)}"' for name, value in pairs)
    return f"{{{shown}}}" if shown else ""


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
