"""Connections with TLS and through proxies, against a real authority and real tunnels."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from mitmproxy_windsurf.upstream import trust
from mitmproxy_windsurf.upstream.client import HTTPClient
from mitmproxy_windsurf.upstream.client_errors import AnswerBroken, ConnectFailed
from proxy.http1 import Out, Request, running_upstream
from upstream.certificates import HOST, Authority, make_authority
from upstream.connect_proxy import running_proxy

LIMIT = 10**6


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return make_authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def trusted(authority: Authority, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))


async def hello(request: Request, out: Out) -> None:
    if request.target == "/cut":
        await out.head(transfer_encoding="chunked")
        await out.chunk(b"hel")
        out.close()
    else:
        await out.body(b"hello")


async def fetch(client: HTTPClient, url: str) -> bytes:
    async with asyncio.timeout(20), client.send("POST", url, body=b"x") as response:
        return await response.read(LIMIT)


class TestTLS:
    @pytest.mark.usefixtures("trusted")
    async def test_a_server_is_reached_whose_authority_is_trusted(
        self, authority: Authority
    ) -> None:
        client = HTTPClient(environment={})
        async with running_upstream(hello, tls=authority.server) as up:
            url = f"https://127.0.0.1:{up.port}"
            for _ in range(2):
                assert await fetch(client, url) == b"hello"
            assert up.connections == 1
            with pytest.raises(AnswerBroken):
                await fetch(client, f"{url}/cut")
            client.close()

    async def test_another_authority_is_not_trusted(self, authority: Authority) -> None:
        async with running_upstream(hello, tls=authority.server) as up:
            with pytest.raises(ConnectFailed, match="its certificate is not trusted"):
                await fetch(HTTPClient(environment={}), f"https://127.0.0.1:{up.port}")
        assert up.requests == []

    @pytest.mark.usefixtures("trusted")
    async def test_another_name_is_not_trusted(self, authority: Authority) -> None:
        async with running_upstream(hello, tls=authority.server) as up:
            with pytest.raises(ConnectFailed, match="its certificate is not trusted"):
                await fetch(HTTPClient(environment={}), f"https://localhost:{up.port}")

    async def test_a_file_of_authorities_that_is_not_there(
        self, authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
        async with running_upstream(hello, tls=authority.server) as up:
            with pytest.raises(ConnectFailed):
                await fetch(HTTPClient(environment={}), f"https://127.0.0.1:{up.port}")

    async def test_a_server_without_tls(self) -> None:
        async with silent_server(b"HTTP/1.1 400 Bad Request\r\n\r\n") as server:
            with pytest.raises(ConnectFailed, match=f"127.0.0.1:{server.port}: "):
                await fetch(HTTPClient(environment={}), f"https://127.0.0.1:{server.port}")


@pytest.mark.usefixtures("trusted")
class TestProxies:
    @pytest.mark.parametrize("over_tls", [False, True])
    async def test_a_tunnel_leads_to_a_server_with_tls(
        self, authority: Authority, over_tls: bool
    ) -> None:
        tls = authority.server if over_tls else None
        async with (
            running_upstream(hello, tls=authority.server) as up,
            running_proxy(up.port, tls=tls) as proxy,
        ):
            scheme = "https" if over_tls else "http"
            url = f"{scheme}://user:pass@127.0.0.1:{proxy.port}"
            client = HTTPClient(environment={"HTTPS_PROXY": url})
            for _ in range(2):
                assert await fetch(client, f"https://{HOST}/path") == b"hello"
            [head] = proxy.heads
            with pytest.raises(AnswerBroken):
                await fetch(client, f"https://{HOST}/cut")
            client.close()
        assert head.startswith(f"CONNECT {HOST}:443 HTTP/1.1\r\n")
        assert "\r\nproxy-authorization: Basic dXNlcjpwYXNz\r\n" in head
        assert up.requests[0].target == "/path"
        assert up.requests[0].headers["host"] == HOST
        assert "proxy-authorization" not in up.requests[0].headers

    async def test_a_proxy_that_refuses(self, authority: Authority) -> None:
        async with running_proxy(1, status=407) as proxy:
            url = f"http://127.0.0.1:{proxy.port}"
            client = HTTPClient(environment={"https_proxy": url})
            refused = f"{HOST}:443: the proxy at 127.0.0.1:{proxy.port} answered 407"
            with pytest.raises(ConnectFailed, match=refused):
                await fetch(client, f"https://{HOST}")

    async def test_a_proxy_that_is_down(self) -> None:
        async with running_proxy(1) as proxy:
            pass
        url = f"http://127.0.0.1:{proxy.port}"
        for scheme in ("http", "https"):
            client = HTTPClient(environment={"all_proxy": url})
            with pytest.raises(ConnectFailed, match=f"127.0.0.1:{proxy.port}: nothing listens"):
                await fetch(client, f"{scheme}://{HOST}")

    async def test_a_proxy_that_cannot_be_used(self) -> None:
        client = HTTPClient(environment={"all_proxy": "socks5://a:b@c"})
        with pytest.raises(ConnectFailed, match="ALL_PROXY is not the URL of an http"):
            await fetch(client, f"http://{HOST}")

    async def test_a_server_without_tls_is_asked_for_by_its_whole_url(self) -> None:
        async with running_upstream(hello) as up:
            proxy = f"http://user:pass@127.0.0.1:{up.port}"
            client = HTTPClient(environment={"http_proxy": proxy})
            assert await fetch(client, f"http://{HOST}:8000/a?b=c") == b"hello"
            client.close()
        [request] = up.requests
        assert request.target == f"http://{HOST}:8000/a?b=c"
        assert request.headers["host"] == f"{HOST}:8000"
        assert request.headers["proxy-authorization"] == "Basic dXNlcjpwYXNz"

    async def test_this_machine_is_reached_without_the_proxy(self) -> None:
        async with running_upstream(hello) as up, running_proxy(up.port) as proxy:
            client = HTTPClient(environment={"all_proxy": f"http://127.0.0.1:{proxy.port}"})
            assert await fetch(client, up.url) == b"hello"
            client.close()
            assert proxy.heads == []


@dataclass
class Silent:
    """A server that takes connections and says no more than it is told to."""

    port: int = 0
    connected: asyncio.Event = field(default_factory=asyncio.Event)
    left: asyncio.Event = field(default_factory=asyncio.Event)


@asynccontextmanager
async def silent_server(greeting: bytes = b"") -> AsyncIterator[Silent]:
    silent = Silent()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        silent.connected.set()
        writer.write(greeting)
        with suppress(ConnectionError):
            await reader.read()
        writer.close()
        silent.left.set()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    silent.port = server.sockets[0].getsockname()[1]
    yield silent
    server.close()
    await asyncio.sleep(0.01)  # asyncio closes sockets in its own time


async def test_connecting_is_given_up_after_a_time() -> None:
    client = HTTPClient(connect_patience=0.05, environment={})
    async with silent_server() as silent:
        with pytest.raises(ConnectFailed, match="did not answer in time"):
            await fetch(client, f"https://127.0.0.1:{silent.port}")
        async with asyncio.timeout(20):
            await silent.left.wait()


@pytest.mark.parametrize("through_a_proxy", [False, True])
async def test_cancelling_while_it_connects_leaves_no_socket(through_a_proxy: bool) -> None:
    async with silent_server() as silent:
        url, environment = f"https://127.0.0.1:{silent.port}", {}
        if through_a_proxy:
            url, environment = f"https://{HOST}", {"https_proxy": f"127.0.0.1:{silent.port}"}
        task = asyncio.create_task(fetch(HTTPClient(environment=environment), url))
        async with asyncio.timeout(20):
            await silent.connected.wait()
            task.cancel()
            await asyncio.wait([task])
            await silent.left.wait()


def test_old_versions_of_tls_are_refused() -> None:
    context = trust.trusted()
    assert context.minimum_version >= ssl.TLSVersion.TLSv1_2
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname
