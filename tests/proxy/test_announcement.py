"""What is said at the start, and an embedded upstream that cannot start."""

import logging

import pytest

from mitmproxy_windsurf.proxy.addon import CANNOT_START, Windsurf
from mitmproxy_windsurf.proxy.announcement import announce
from mitmproxy_windsurf.proxy.embedded import Server, Upstream
from mitmproxy_windsurf.proxy.routing import Listening
from mitmproxy_windsurf.proxy.settings import Settings
from mitmproxy_windsurf.rewriter import Layers
from mitmproxy_windsurf.upstream.backend import parse_backend
from mitmproxy_windsurf.upstream.embedded import Backing
from mitmproxy_windsurf.upstream.target import parse_target
from proxy.conftest import StartProxy, StartUpstream
from proxy.http1 import Out, Request, ask


class FakeServer:
    """Counts how often it is started and stopped."""

    def __init__(self, backing: Backing) -> None:
        self.backing = backing
        self.running = False

    def start(self) -> int:
        self.running = True
        return 4321

    def stop(self) -> None:
        self.running = False


def settings(
    upstream: str = "", pace: float = 0.0, layers: Layers | None = None, backend: str = "demo"
) -> Settings:
    return Settings(
        upstream=parse_target(upstream),
        backend=parse_backend(backend),
        demo_pace=pace,
        layers=layers or Layers(shadow=True),
    )


def said(
    caplog: pytest.LogCaptureFixture, listening: Listening, made: Settings
) -> list[tuple[str, str]]:
    caplog.set_level(logging.INFO)
    upstream = Upstream(FakeServer)
    upstream.use(made)
    announce(listening, made, upstream)
    return [(record.levelname, record.getMessage()) for record in caplog.records]


LOCAL = Listening([("127.0.0.1", 8080)])


def test_the_demo(caplog: pytest.LogCaptureFixture) -> None:
    assert said(caplog, LOCAL, settings()) == [
        (
            "INFO",
            "windsurf: point clients at http://127.0.0.1:8080; "
            "upstream: the built-in demo at http://127.0.0.1:4321; "
            "layers: neutralize, paths, identity, dedup (shadow: nothing is changed)",
        )
    ]


def test_a_handler_of_the_users(caplog: pytest.LogCaptureFixture) -> None:
    off = Layers(neutralize=False, paths=False, identity=False, dedup=False)
    lines = said(caplog, LOCAL, settings("http://127.0.0.1:3003", layers=off))
    assert lines[0][1].endswith("; upstream: http://127.0.0.1:3003; layers: none")


@pytest.mark.parametrize(
    ("listening", "url", "level", "part"),
    [
        (Listening(), "", "WARNING", "does not listen"),
        (LOCAL, "http://localhost:8080", "ERROR", "this proxy itself"),
        (LOCAL, "http://a.b/v1", "WARNING", "ends in /v1"),
        (Listening([("", 8080)]), "", "WARNING", "--listen-host 127.0.0.1"),
    ],
)
def test_what_is_wrong(
    caplog: pytest.LogCaptureFixture, listening: Listening, url: str, level: str, part: str
) -> None:
    found, line = said(caplog, listening, settings(url))[-1]
    assert found == level
    assert part in line


def test_a_backend_behind_the_embedded_one(caplog: pytest.LogCaptureFixture) -> None:
    lines = said(caplog, LOCAL, settings(backend="https://a.b/v1"))
    built_in = "the built-in one at http://127.0.0.1:4321 with the backend https://a.b/v1"
    assert f"upstream: {built_in}; layers" in lines[0][1]
    assert len(lines) == 1


@pytest.mark.parametrize(
    ("backend", "url", "level", "part"),
    [
        ("http://a.b", "", "WARNING", "most servers want /v1"),
        ("http://localhost:8080/v1", "", "ERROR", "windsurf_backend is this proxy itself"),
        ("http://a.b/v1", "http://c.d", "WARNING", "windsurf_backend is not used"),
    ],
)
def test_what_is_wrong_with_a_backend(
    caplog: pytest.LogCaptureFixture, backend: str, url: str, level: str, part: str
) -> None:
    found, line = said(caplog, LOCAL, settings(url, backend=backend))[-1]
    assert found == level
    assert part in line


def test_the_embedded_server_is_there_only_when_it_is_needed() -> None:
    servers: list[FakeServer] = []

    def new(backing: Backing) -> Server:
        servers.append(FakeServer(backing))
        return servers[-1]

    upstream = Upstream(new)
    for made, running in (
        (settings("http://a.b"), []),
        (settings(), [True]),
        (settings(), [True]),
        (settings(pace=0.5), [False, True]),
        (settings("http://a.b"), [False, False]),
        (settings(pace=0.5), [False, False, True]),
        (settings(pace=0.5, backend="http://c.d"), [False, False, False, True]),
    ):
        upstream.use(made)
        assert [server.running for server in servers] == running
    upstream.stop()
    upstream.stop()
    assert not servers[-1].running
    assert upstream.target is None


async def test_an_embedded_upstream_that_cannot_start(
    start_proxy: StartProxy, start_upstream: StartUpstream, caplog: pytest.LogCaptureFixture
) -> None:
    async def script(request: Request, out: Out) -> None:
        await out.body(b"{}")

    def fail(backing: Backing) -> Server:
        raise OSError("no port")

    upstream = await start_upstream(script)
    proxy = await start_proxy(Windsurf(embedded=fail))
    assert f"{CANNOT_START}: no port" in caplog.text
    proxy.master.options.update(windsurf_upstream=upstream.url)
    assert (await ask(proxy.port, "GET", "/")).status == 200
    with pytest.raises(Exception, match=CANNOT_START):
        proxy.master.options.update(windsurf_upstream="")
    assert (await ask(proxy.port, "GET", "/")).status == 200
