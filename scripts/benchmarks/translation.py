"""What it costs to translate a backend's stream for a client: time per event of the backend's.

An answer in Chat Completions goes in event by event and comes out in the client's protocol, next
to the least that anything has to do which looks into a stream: find its frames, read their JSON.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial

from benchmarks.answers import PROTOCOLS, chat_events, events
from benchmarks.effort import Effort, Work
from benchmarks.report import Column, Row, Table
from mitmproxy_windsurf.wire.sse import SSEFramer

EVENTS = 20_000
COLUMNS = [
    Column("frames+JSON", "µs/event"),
    Column("translated", "µs/event"),
    Column("times", digits=1),
    Column("2n / n"),
]


def measure(effort: Effort) -> Table:
    """One row for each protocol that a stream is translated into; Chat Completions is relayed."""
    count = effort.of(EVENTS)
    once, twice = chat_events(count), chat_events(2 * count)
    rows = []
    for protocol in PROTOCOLS:
        if protocol == "openai_chat":
            continue
        bare, plain, double = effort.seconds(
            reading(once), translating(protocol, once), translating(protocol, twice)
        )
        per = 1e6 / len(once)
        rows.append(Row(protocol, [bare * per, plain * per, plain / bare, double / plain]))
    note = (
        f"From Chat Completions, {len(once):,} events: a quarter reasoning, half text, a quarter"
        " the arguments of a call; 2n / n is the time for twice the answer: 2 is linear."
    )
    return Table("Translation", note, COLUMNS, rows)


def reading(chat: list[bytes]) -> Callable[[], Work]:
    def read() -> None:
        framer = SSEFramer()
        for event in chat:
            for frame in framer.feed(event):
                if frame.data != b"[DONE]":
                    json.loads(frame.data)

    return lambda: read


def translating(protocol: str, chat: list[bytes]) -> Callable[[], Work]:
    return lambda: partial(events, protocol, chat)
