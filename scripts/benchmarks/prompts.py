"""What the proxy adds to a request: the time until the first byte of the answer, by its size."""

from __future__ import annotations

import asyncio
import statistics
import time

from benchmarks.answers import Wish, ask
from benchmarks.effort import Effort
from benchmarks.load import Upstream, receive
from benchmarks.report import Column, Row, Table
from benchmarks.sample_texts import TEXTS
from benchmarks.systems import ALONE, OURS, running

SIZES = (20_000, 196_000, 1_000_000, 5_000_000)
TIMES = 20
COLUMNS = [Column(ALONE.name, "ms"), Column(OURS.name, "ms"), Column("added", "ms")]


def measure(effort: Effort) -> Table:
    """One row for each size."""

    async def measured() -> list[Row]:
        found: dict[int, list[list[float]]] = {size: [[], []] for size in SIZES}
        async with Upstream().listening() as upstream:
            upstream.prepare("anthropic", 1)
            for which, system in enumerate((ALONE, OURS)):
                async with running(system, upstream.url) as proxy:
                    for size in SIZES:
                        prompt = f"{Wish(1, 0).prompt}\n{prose(size)}"
                        asked = ask("anthropic", prompt)
                        await receive(proxy.port, asked)
                        for _ in range(effort.of(TIMES)):
                            start = time.perf_counter()
                            await receive(proxy.port, asked)
                            found[size][which].append(1e3 * (time.perf_counter() - start))
        rows = []
        for size, both in found.items():
            alone, ours = map(statistics.median, both)
            rows.append(Row(f"{size:,} bytes", [alone, ours, ours - alone]))
        return rows

    prose = TEXTS["English prose"]
    note = "Median time of a whole request whose answer is one delta."
    return Table("Requests", note, COLUMNS, asyncio.run(measured()))
