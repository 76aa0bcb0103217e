"""The embedded upstream by itself, without mitmproxy and its layers, until somebody stops it."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable

from mitmproxy_windsurf.upstream.embedded import Backing, EmbeddedUpstream
from mitmproxy_windsurf.upstream.target import Target

STOPPING = (signal.SIGINT, signal.SIGTERM)


async def serve(backing: Backing, host: str, port: int, say: Callable[[str], None]) -> None:
    """Serve until SIGINT or SIGTERM comes; what is being answered then is cut off.

    Raises:
        OSError: it cannot listen there.
    """
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in STOPPING:
        with contextlib.suppress(NotImplementedError):  # Windows interrupts instead
            loop.add_signal_handler(number, stopped.set)
    upstream = EmbeddedUpstream(backing, host=host, port=port)
    say(announcement(Target("http", host, upstream.start()), backing))
    try:
        await stopped.wait()
    finally:
        upstream.stop()


def announcement(here: Target, backing: Backing) -> str:
    """Where to point clients, and what answers them."""
    words = [f"point clients at {here}", f"backend: {backing.target or 'the built-in demo'}"]
    if backing.names.pairs:
        pairs = ", ".join(f"{pattern}={name}" for pattern, name in backing.names.pairs)
        words.append(f"models: {pairs}")
    if backing.key_env:
        words.append(f"key: of {backing.key_env}")
    return "; ".join(words)
