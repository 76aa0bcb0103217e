"""What a system adds to the streams that pass it: processor time per event, delay per delta, and
how long a delta waits while a burst passes on another stream.

Upstream and clients are in this process, so that a delay is a difference of one clock. A proxy gets
a burst in pieces of many events, and paced events one by one: the two cost it differently.
"""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Awaitable, Callable

from benchmarks.answers import PROTOCOLS, Ask, Wish, ask
from benchmarks.effort import Effort, percentile
from benchmarks.load import Upstream, delays, receive
from benchmarks.report import Column, Figure, Row, Table
from benchmarks.systems import ALONE, EMBEDDED, HANDLER, IDENTITY, OURS, Running, System, running

PAUSE = 0.005
"""Seconds between two events of a paced stream."""
PACED = 400
BURST = 2_000
CLIENTS = 20
COST = [
    Column("burst", "µs/event", 1),
    Column("paced", "µs/event", 1),
    Column("delay p50", "ms"),
    Column("p99", "ms"),
]
STALL = [
    Column("alone, p50", "ms"),
    Column("max", "ms"),
    Column("in bursts, p99", "ms"),
    Column("max ", "ms"),
]


def measure_cost(effort: Effort) -> Table:
    """One row for each protocol and system."""

    async def cost(upstream: Upstream, proxy: Running, protocol: str) -> list[Figure]:
        burst, paced = ask(protocol, bursting.prompt), ask(protocol, pacing.prompt)
        await receive(proxy.port, burst)
        figures = []
        for asked, words, clients in ((burst, bursting.words, 1), (paced, pacing.words, CLIENTS)):
            before = proxy.cpu()
            async with asyncio.TaskGroup() as group:
                for _ in range(clients):
                    group.create_task(receive(proxy.port, asked))
            figures.append(1e6 * (proxy.cpu() - before) / (clients * words))
        late = await paced_delays(upstream, proxy.port, paced)
        return [*figures, 1e3 * statistics.median(late), 1e3 * percentile(late, 0.99)]

    bursting, pacing = Wish(effort.of(10 * BURST), 0), Wish(effort.of(PACED), PAUSE)
    note = (
        f"Processor time: of a burst of {bursting.words:,} events, and of {CLIENTS} streams with"
        f" {pacing.words:,} events each, one every {1e3 * PAUSE:.0f} ms. Delay: of one such stream."
    )
    systems = (ALONE, IDENTITY, OURS, EMBEDDED, HANDLER)
    rows = asyncio.run(rows_of(systems, (bursting, pacing), cost, effort))
    return Table("Streams", note, COST, rows)


def measure_stalls(effort: Effort) -> Table:
    """One row for each protocol and system."""

    async def stall(upstream: Upstream, proxy: Running, protocol: str) -> list[Figure]:
        burst, paced = ask(protocol, bursting.prompt), ask(protocol, pacing.prompt)
        alone = await paced_delays(upstream, proxy.port, paced)
        async with asyncio.TaskGroup() as group:
            paced_stream = group.create_task(paced_delays(upstream, proxy.port, paced))
            while not paced_stream.done():
                await receive(proxy.port, burst)
                await asyncio.sleep(10 * PAUSE)
        late = paced_stream.result()
        seconds = [statistics.median(alone), max(alone), percentile(late, 0.99), max(late)]
        return [1e3 * figure for figure in seconds]

    bursting, pacing = Wish(BURST, 0), Wish(effort.of(PACED), PAUSE)
    note = (
        f"Delay of {pacing.words:,} deltas, one every {1e3 * PAUSE:.0f} ms, alone and while bursts"
        f" of {BURST:,} events pass on another stream."
    )
    systems = (ALONE, OURS, EMBEDDED, HANDLER)
    rows = asyncio.run(rows_of(systems, (bursting, pacing), stall, effort))
    return Table("Bursts beside a stream", note, STALL, rows)


async def rows_of(
    systems: tuple[System, ...],
    wishes: tuple[Wish, ...],
    measured: Callable[[Upstream, Running, str], Awaitable[list[Figure]]],
    effort: Effort,
) -> list[Row]:
    """The median of every figure, of every protocol through every system; the systems take turns,
    so that what else the machine does falls upon all of them."""
    rows = []
    async with Upstream().listening() as upstream:
        for protocol in PROTOCOLS:
            upstream.prepare(protocol, *{wish.words for wish in wishes})
            found: dict[System, list[list[Figure]]] = {system: [] for system in systems}
            for _ in range(effort.rounds):
                for system, figures in found.items():
                    async with running(system, upstream.url) as proxy:
                        figures.append(await measured(upstream, proxy, protocol))
            rows += [
                Row(f"{protocol}: {system.name}", medians(found[system])) for system in systems
            ]
    return rows


async def paced_delays(upstream: Upstream, port: int, asked: Ask) -> list[float]:
    """Seconds that each delta of one stream was on its way."""
    upstream.written.clear()
    received = await receive(port, asked)
    return delays(upstream.written, received)


def medians(rounds: list[list[Figure]]) -> list[Figure]:
    return [statistics.median(figures) for figures in zip(*rounds, strict=True)]
