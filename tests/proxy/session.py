"""A proxy with the list of flows that mitmweb and the console have, and its commands."""

from pathlib import Path
from typing import Any

from mitmproxy import http, io
from mitmproxy.addons.view import View

from proxy.harness import Proxy, load_flows
from proxy.http1 import Upstream, ask
from proxy.messages import CHAT

untyped: Any = io


class Session:
    """A proxy with the list of flows that mitmweb and the console have."""

    def __init__(self, proxy: Proxy, upstream: Upstream) -> None:
        self.proxy = proxy
        self.upstream = upstream
        self.view = View()
        proxy.master.addons.add(self.view)

    def call(self, name: str, *arguments: str) -> str:
        """A command as its users call it: everything is text."""
        result = self.proxy.master.commands.call_strings(f"windsurf.{name}", list(arguments))
        assert isinstance(result, str)
        return result

    async def ask(self, body: bytes, path: str = CHAT, **headers: str) -> http.HTTPFlow:
        """Send a request through the proxy; the flow when it has ended."""
        number = len(self.proxy.flows.ended)
        await ask(self.proxy.port, "POST", path, body, **headers)
        return (await self.proxy.flows.count(number + 1))[-1]

    def load(self, path: Path) -> list[http.HTTPFlow]:
        """Flows from a file, as in another session."""
        flows = load_flows(path)
        self.view.add(flows)
        return flows

    def save(self, path: Path) -> None:
        with path.open("wb") as file:
            writer = untyped.FlowWriter(file)
            for flow in self.view:
                writer.add(flow)
