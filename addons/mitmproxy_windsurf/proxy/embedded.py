"""Where base-URL requests go: the handler in windsurf_upstream, or the embedded one.

The embedded handler is started when it is first needed and stopped when it no longer is; streams
that are under way end in their own time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from mitmproxy_windsurf.proxy.settings import Settings
from mitmproxy_windsurf.upstream.embedded import Backing
from mitmproxy_windsurf.upstream.target import Target


class Server(Protocol):
    """What is needed of an UpstreamServer."""

    def start(self) -> int: ...

    def stop(self) -> None: ...


class Upstream:
    """The present destination. `use` must be called in a running event loop."""

    def __init__(self, embedded: Callable[[Backing], Server]) -> None:
        self._embedded = embedded
        self._server: Server | None = None
        self._backing = Backing()
        self.target: Target | None = None

    def use(self, settings: Settings) -> None:
        """Follow the settings.

        Raises:
            OSError: the embedded handler cannot listen.
        """
        if settings.upstream is not None:
            self.stop()
            self.target = settings.upstream
        elif self._server is None or self._backing != settings.backing:
            self.stop()
            server = self._embedded(settings.backing)
            self.target = Target("http", "127.0.0.1", server.start())
            self._server, self._backing = server, settings.backing

    def stop(self) -> None:
        """Let go of the embedded handler."""
        server, self._server, self.target = self._server, None, None
        if server is not None:
            server.stop()

    @property
    def is_embedded(self) -> bool:
        return self._server is not None

    def __str__(self) -> str:
        backend = self._backing.target
        if not self.is_embedded:
            return str(self.target)
        if backend is None:
            return f"the built-in demo at {self.target}"
        return f"the built-in one at {self.target} with the backend {backend}"
