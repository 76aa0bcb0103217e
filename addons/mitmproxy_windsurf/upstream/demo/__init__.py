"""The built-in backend: an upstream that refuses and leaks like a real one, without any model.

Deterministic, without key or network: the same request gets the same bytes (only the gate that is
flaky on purpose counts). It knows nothing of the layers; it is what they are for. A request is read
into an `Ask`, the gates may refuse it, a scenario plays a list of neutral parts, and the dialect of
the client's protocol renders them. Send `help` as the prompt to see the scenarios.
"""

from __future__ import annotations

from mitmproxy_windsurf.upstream.demo.backend import DemoBackend
from mitmproxy_windsurf.upstream.server import UpstreamServer

__all__ = ["DemoBackend", "embedded"]


def embedded(*, pace: float = 0.0) -> UpstreamServer:
    """A server for the demo on a free loopback port; `pace` is seconds between two deltas."""
    return UpstreamServer(DemoBackend(pace=pace))
