"""The upstream that comes along: a server on loopback, the translation, and a backend behind it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from mitmproxy_windsurf.upstream.admission import Limits
from mitmproxy_windsurf.upstream.backend import Backend, HTTPBackend
from mitmproxy_windsurf.upstream.demo import DemoBackend
from mitmproxy_windsurf.upstream.handler import TranslatingHandler
from mitmproxy_windsurf.upstream.model_names import ModelNames
from mitmproxy_windsurf.upstream.server import UpstreamServer
from mitmproxy_windsurf.upstream.target import Target, is_loopback


@dataclass(frozen=True, slots=True)
class Backing:
    """What stands behind: the demo, with so many seconds between two of its deltas, or the server
    at a base URL. `key_env` names the environment variable that holds the backend's key; without it
    the client's key is passed on."""

    target: Target | None = None
    names: ModelNames = field(default_factory=ModelNames)
    key_env: str = ""
    pace: float = 0.0


class EmbeddedUpstream:
    """Started and stopped within a running event loop, both without waiting."""

    def __init__(
        self,
        backing: Backing,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        target = backing.target
        self._backend: Backend = HTTPBackend(target) if target else DemoBackend(pace=backing.pace)
        key = environment.get(backing.key_env, "") if backing.key_env else ""
        handler = TranslatingHandler(self._backend, names=backing.names, key=key)
        limits = Limits(any_host=not is_loopback(host))
        self._server = UpstreamServer(handler, host=host, port=port, limits=limits)

    def start(self) -> int:
        """Listen, and return the port.

        Raises:
            OSError: it cannot listen.
        """
        return self._server.start()

    def stop(self) -> None:
        """Stop listening; what is being answered ends in its own time."""
        self._server.stop()
        self._backend.close()

    async def wait_closed(self) -> None:
        """Wait until the last answer has been given."""
        await self._server.wait_closed()
