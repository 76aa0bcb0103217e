"""An upstream for real clients: the fake one from beside their driver, with a script of our own.

It speaks Messages, Chat Completions, Responses (on a WebSocket too) and Gemini, with every member
that real clients insist on. The operations of a turn are told in its docstring.
"""

import asyncio
import contextlib
import importlib.util
import json
import os
from argparse import Namespace
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wsproto import ConnectionType
from wsproto.events import AcceptConnection
from wsproto.events import Request as Upgrade

from proxy.websocket_ends import End, gone

Json = dict[str, Any]
Turn = list[tuple[Any, ...]]
Script = Callable[[Json], Turn | None]
"""From a request's body to the turn that answers it; None for small talk."""


@dataclass
class ScriptedUpstream:
    url: str = ""
    bodies: list[Json] = field(default_factory=list)
    """Of the requests, WebSocket messages too."""

    @property
    def main(self) -> list[Json]:
        """The requests of the conversation: titles and the like have no tools."""
        return [body for body in self.bodies if tools_of(body)]


def tools_of(body: Json) -> list[Json]:
    """What a request declares, in the shape of its protocol."""
    inside = [item for item in body.get("input") or () if isinstance(item, dict)]
    more = [item["tools"] for item in inside if item.get("type") == "additional_tools"]
    return [*(body.get("tools") or ()), *(tool for tools in more for tool in tools)]


@contextlib.asynccontextmanager
async def scripted_upstream(script: Script, place: Path) -> AsyncIterator[ScriptedUpstream]:
    """A running one; what it saw and said is left in `place` for whoever looks for a fault."""
    fake = _fake_upstream()
    options = Namespace(scenario="basic", out=place, client="upstream", all_main=False)
    options.__dict__ |= {"reject_sysrole": False, "no_ping": False, "sse_mode": "", "ws_status": 0}
    server, found = fake.Server(options), ScriptedUpstream()
    route, turn = server.route, None
    connections: dict[asyncio.Task[Any], asyncio.StreamWriter] = {}

    def note(body: Json) -> None:
        nonlocal turn
        if body:
            found.bodies.append(body)
            turn = script(body)

    async def routed(out: Any, method: str, path: str, query: str, headers: Any, body: Any) -> None:
        if headers.get("upgrade", "").lower() == "websocket":
            await _socket(out, path, headers, server, note)
            raise fake.Abort("the socket is closed")
        note(body)
        await route(out, method, path, query, headers, body)

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        connections[task] = writer
        with contextlib.suppress(asyncio.CancelledError):
            await server.conn(reader, writer)
        await gone(writer)
        del connections[task]

    server.route = routed
    server.turn = lambda tools: turn
    listening = await asyncio.start_server(connected, "127.0.0.1", 0, limit=1 << 20)
    found.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    try:
        yield found
    finally:
        listening.close()
        for task in list(connections):
            task.cancel()
        if connections:
            await asyncio.wait(list(connections))


async def _socket(
    out: Any, path: str, headers: dict[str, str], server: Any, note: Callable[[Json], None]
) -> None:
    """Answer every request on a socket, as messages."""
    end = End(out.r, out.w, ConnectionType.SERVER)
    encoded = [(name.encode(), value.encode()) for name, value in headers.items()]
    end.wire.initiate_upgrade_connection(encoded, path)
    await end.expect(Upgrade)
    await end.event(AcceptConnection())
    while (text := await end.receive()) is not None:
        body = json.loads(text)
        note(body)
        await server.responses(_Messages(end), body | {"stream": True})


class _Messages:
    """Takes what would be an event stream and sends its data as messages."""

    def __init__(self, end: End) -> None:
        self._end = end

    async def head(self, *arguments: Any) -> None:
        pass

    async def chunk(self, event: str) -> None:
        await self._end.send(event.partition("data: ")[2].strip())

    async def end(self) -> None:
        pass


def _fake_upstream() -> Any:
    path = Path(os.environ["WINDSURF_CLIENTS"], "fake_upstream.py")
    spec = importlib.util.spec_from_file_location("fake_upstream", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
