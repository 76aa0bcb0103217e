"""Measure what the layers, the translation and the proxy cost."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from benchmarks import prompts, streams, text_layers, translation
from benchmarks.effort import Effort
from benchmarks.report import Table

SECTIONS: dict[str, Callable[[Effort], Table]] = {
    "texts": text_layers.measure,
    "translation": translation.measure,
    "requests": prompts.measure,
    "streams": streams.measure_cost,
    "bursts": streams.measure_stalls,
}


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="scripts/bench", description=(__doc__ or "").split("\n")[0]
    )
    names = ", ".join(SECTIONS)
    parser.add_argument("section", nargs="*", help=f"of {names}; all, if none is named")
    parser.add_argument(
        "--rounds", type=int, default=5, help="each figure is the median of so many"
    )
    parser.add_argument(
        "--scale", type=float, default=1.0, help="how much work a round is; 0.01 for a glance"
    )
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the figures there too")
    options = parser.parse_args()
    if unknown := set(options.section) - SECTIONS.keys():
        parser.error(f"no such section: {', '.join(sorted(unknown))}. There are {names}.")

    print(f"Python {sys.version.split()[0]}, mitmproxy {version('mitmproxy')}", flush=True)
    tables = []
    for name in options.section or SECTIONS:
        tables.append(SECTIONS[name](Effort(options.rounds, options.scale)))
        print(f"\n{tables[-1].text()}", flush=True)
    if options.json:
        figures = [table.document() for table in tables]
        options.json.write_text(json.dumps(figures, indent=2, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
