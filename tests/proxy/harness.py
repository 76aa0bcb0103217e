"""A real mitmproxy in the test's event loop.

Every wait is bounded, and none of them asserts how long anything took.
"""

import asyncio
import contextlib
import warnings
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from mitmproxy import http, io, options

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # ldap3 asks pyasn1 for names that are going away
    from mitmproxy.tools.dump import DumpMaster

from mitmproxy_windsurf.proxy.addon import Windsurf
from proxy.http1 import PATIENCE


class Flows:
    """Remembers the flows that have ended; stands behind the addon, so it sees what is saved."""

    def __init__(self) -> None:
        self.ended: list[http.HTTPFlow] = []
        self._changed = asyncio.Event()

    def response(self, flow: http.HTTPFlow) -> None:
        self.ended.append(flow)
        self._changed.set()

    error = response

    async def count(self, number: int = 1) -> list[http.HTTPFlow]:
        """Wait for this many flows to have ended."""
        async with asyncio.timeout(PATIENCE):
            while len(self.ended) < number:
                self._changed.clear()
                await self._changed.wait()
        return self.ended


@dataclass
class Proxy:
    """A running mitmproxy with our addon."""

    master: Any
    addon: Windsurf
    flows: Flows
    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def flow(self) -> http.HTTPFlow:
        """The flow that ended last, once there is one."""
        return (await self.flows.count())[-1]


@contextlib.asynccontextmanager
async def running_proxy(
    confdir: Path,
    addon: Windsurf | None = None,
    scripts: Sequence[str] = (),
    late: bool = False,
    **settings: Any,
) -> AsyncIterator[Proxy]:
    """mitmproxy on a free port of 127.0.0.1; with `scripts` the addon comes from there.

    With `late` the addon stands behind those of mitmproxy.
    """
    addon = addon or Windsurf()
    flows = Flows()
    core = {"listen_host": "127.0.0.1", "listen_port": 0, "confdir": str(confdir)}
    core |= {name: settings.pop(name) for name in list(settings) if name in ("mode", "listen_host")}
    master: Any = DumpMaster(
        options.Options(**core),
        loop=asyncio.get_running_loop(),
        with_termlog=False,
        with_dumper=False,
    )
    checker = master.addons.get("errorcheck")
    master.addons.remove(checker)  # it would exit, and pytest with it
    checker.finish()
    if scripts:
        master.options.update_defer(**settings)
        master.options.update(scripts=list(scripts))
    else:
        master.addons.add(addon)
        if not late:
            # Where a script would stand: before the addon that saves the flows, for example.
            chain = master.addons.chain
            chain.insert(chain.index(master.addons.get("scriptloader")), chain.pop())
        master.options.update(**settings)
    master.addons.add(flows)
    task = asyncio.create_task(master.run())
    server = master.addons.get("proxyserver")
    loader = master.addons.get("scriptloader")

    def is_up() -> bool:
        loaded = all(script.ns for script in loader.addons)
        return bool(server.is_running and server.listen_addrs() and loaded)

    try:
        await until(lambda: is_up() or task.done())
        if task.done():
            task.result()
        yield Proxy(master, addon, flows, server.listen_addrs()[0][1])
    finally:
        async with asyncio.timeout(PATIENCE):
            await server.servers.update([])  # mitmproxy itself leaves its sockets to the exit
            master.shutdown()
            await task


async def until(condition: Callable[[], Any]) -> None:
    """Wait for a condition."""
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0.005)


def load_flows(path: Path) -> list[http.HTTPFlow]:
    """What is in a .mitm file."""
    with path.open("rb") as file:
        flows = list(io.FlowReader(file).stream())
    assert all(isinstance(flow, http.HTTPFlow) for flow in flows)
    return cast(list[http.HTTPFlow], flows)
