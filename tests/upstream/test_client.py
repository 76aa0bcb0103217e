"""Requests and answers over real sockets, and what becomes of the connections."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from encoders import ENCODERS, encode
from mitmproxy_windsurf.upstream.client import HTTPClient
from mitmproxy_windsurf.upstream.client_errors import AnswerBroken
from mitmproxy_windsurf.upstream.connection_pool import MAX_IDLE
from proxy.http1 import Out, Request, Upstream, running_upstream
from upstream.conftest import Serve
from upstream.handlers import echo

LIMIT = 10**6


@pytest.fixture
async def client() -> AsyncIterator[HTTPClient]:
    client = HTTPClient(environment={})
    yield client
    client.close()
    assert client.idle == 0


async def fetch(client: HTTPClient, up: Upstream, target: str = "/") -> bytes:
    async with asyncio.timeout(20), client.send("GET", up.url + target) as response:
        return await response.read(LIMIT)


async def hello(request: Request, out: Out) -> None:
    await out.body(b"hello")


class TestRequests:
    async def test_all_of_a_request_arrives(self, client: HTTPClient, serve: Serve) -> None:
        url = f"http://127.0.0.1:{serve(echo).port}/a%20b?c=d&e=%2F"
        async with client.send("POST", url, body=b"x" * 300_000) as response:
            assert response.status == 200
            assert await response.read(LIMIT) == b"POST /a%20b c=d&e=%2F " + b"x" * 300_000

    async def test_headers_that_the_caller_does_not_give_are_filled_in(
        self, client: HTTPClient
    ) -> None:
        async with running_upstream(hello) as up:
            await fetch(client, up)
            headers = [("User-Agent", "mine"), ("x-mine", "é")]
            async with client.send("POST", up.url, headers=headers):
                pass
        first, second = (request.headers for request in up.requests)
        assert first["host"] == f"127.0.0.1:{up.port}"
        assert first["accept-encoding"] == "identity"
        assert first["user-agent"] == "mitmproxy-windsurf"
        assert "content-length" not in first
        assert (second["user-agent"], second["content-length"]) == ("mine", "0")
        assert second["x-mine"] == "é"

    @pytest.mark.parametrize(
        "url",
        ["", "ftp://a", "a.b/c", "http://", "http://a:b", "http://127.0.0.1/a b", "http://a/é"],
    )
    async def test_what_is_no_url_is_a_value_error(self, client: HTTPClient, url: str) -> None:
        with pytest.raises(ValueError, match=r"URL|sent|ascii"):
            async with client.send("GET", url):
                pass

    async def test_a_header_cannot_break_its_line(self, client: HTTPClient) -> None:
        with pytest.raises(ValueError, match="cannot be sent"):
            async with client.send("GET", "http://127.0.0.1:1", headers=[("a", "b\r\nc: d")]):
                pass


class TestAnswers:
    async def test_every_way_to_tell_the_length_of_a_body(self, client: HTTPClient) -> None:
        async def script(request: Request, out: Out) -> None:
            match request.target:
                case "/sized":
                    await out.body(b"hello")
                case "/chunked":
                    await out.head(transfer_encoding="chunked")
                    await out.chunk(b"hel")
                    await out.chunk(b"lo")
                    await out.end()
                case "/closed":
                    await out.head()
                    await out.raw(b"hello")
                    out.close()

        async with running_upstream(script) as up:
            for target in ("/sized", "/chunked", "/closed"):
                assert await fetch(client, up, target) == b"hello"

    async def test_an_answer_without_a_body(self, client: HTTPClient) -> None:
        async def script(request: Request, out: Out) -> None:
            length = {"content_length": "5"} if request.method == "HEAD" else {}
            await out.head(200 if request.method == "HEAD" else 204, **length)

        async with running_upstream(script) as up:
            for method in ("HEAD", "GET"):
                async with client.send(method, up.url) as response:
                    assert await response.read(LIMIT) == b""
        assert up.connections == 1

    async def test_pieces_arrive_as_they_are_sent(self, client: HTTPClient) -> None:
        async def script(request: Request, out: Out) -> None:
            await out.events("one")
            await out.go_on.wait()
            await out.chunk(b"two")
            await out.end()

        async with running_upstream(script) as up, client.send("GET", up.url) as response:
            pieces = aiter(response)
            assert b"one" in await anext(pieces)
            up.go_on()
            assert await anext(pieces) == b"two"
            assert [piece async for piece in pieces] == []

    async def test_status_and_headers(self, client: HTTPClient) -> None:
        async def script(request: Request, out: Out) -> None:
            await out.raw(b"HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n")
            await out.raw(b"HTTP/1.1 302 Found\r\nX-A: 1\r\nx-a: 2\r\nLocation: /other\r\n")
            await out.raw(b"Content-Length: 0\r\n\r\n")

        async with running_upstream(script) as up, client.send("GET", up.url) as response:
            assert response.status == 302
            assert response.headers["x-a"] == "1, 2"
            assert response.headers["location"] == "/other"
        assert [request.target for request in up.requests] == ["/"], "redirects are not followed"

    @pytest.mark.parametrize("name", ENCODERS)
    async def test_compression_that_nobody_asked_for_is_undone(
        self, client: HTTPClient, name: str
    ) -> None:
        encoding = ENCODERS[name][0]

        async def script(request: Request, out: Out) -> None:
            await out.body(encode(name, b"hello" * 100), content_encoding=encoding)

        async with running_upstream(script) as up:
            assert await fetch(client, up) == b"hello" * 100

    @pytest.mark.parametrize(
        ("encoding", "reason"), [("gzip", "decompressed"), ("rot13", "not understood: rot13")]
    )
    async def test_compression_that_cannot_be_undone(
        self, client: HTTPClient, encoding: str, reason: str
    ) -> None:
        async def script(request: Request, out: Out) -> None:
            await out.body(b"hello", content_encoding=encoding)

        async with running_upstream(script) as up:
            with pytest.raises(AnswerBroken, match=reason):
                await fetch(client, up)

    async def test_a_body_over_the_limit_is_not_read(self, client: HTTPClient) -> None:
        async with running_upstream(hello) as up:
            async with client.send("GET", up.url) as response:
                assert await response.read(5) == b"hello"
            with pytest.raises(AnswerBroken, match="larger than 4 bytes"):
                async with client.send("GET", up.url) as response:
                    await response.read(4)


class TestConnections:
    async def test_one_after_another_share_one(self, client: HTTPClient) -> None:
        async with running_upstream(hello) as up:
            for _ in range(3):
                await fetch(client, up)
                assert client.idle == 1
            assert up.connections == 1

    async def test_an_end_that_was_not_waited_for_is_found(self, client: HTTPClient) -> None:
        async with running_upstream(hello) as up:
            async with client.send("GET", up.url) as response:
                assert await anext(aiter(response)) == b"hello"
            await fetch(client, up)
        assert up.connections == 1

    async def test_two_at_once_have_one_each(self, client: HTTPClient) -> None:
        async with running_upstream(hello) as up:
            async with client.send("GET", up.url) as one, client.send("GET", up.url) as two:
                assert await two.read(LIMIT) == await one.read(LIMIT) == b"hello"
            assert (up.connections, client.idle) == (2, 2)

    async def test_only_so_many_are_kept(self, client: HTTPClient) -> None:
        async with running_upstream(hello) as up:
            await asyncio.gather(*(fetch(client, up) for _ in range(MAX_IDLE + 9)))
            assert client.idle == MAX_IDLE

    async def test_none_is_kept_that_the_server_wants_closed(self, client: HTTPClient) -> None:
        async def script(request: Request, out: Out) -> None:
            headers = {"/close": {"connection": "close"}, "/soon": {"keep_alive": "timeout=1"}}
            await out.body(b"", **headers[request.target])

        async with running_upstream(script) as up:
            for target in ("/close", "/soon"):
                await fetch(client, up, target)
                assert client.idle == 0
            assert up.connections == 2

    async def test_one_that_the_server_has_closed_is_not_used(self, client: HTTPClient) -> None:
        async def script(request: Request, out: Out) -> None:
            await out.body(b"hello")
            out.close()

        async with running_upstream(script) as up:
            for _ in range(5):
                assert await fetch(client, up) == b"hello"
            assert up.connections == 5

    async def test_one_on_which_the_server_speaks_unasked_is_not_used(
        self, client: HTTPClient
    ) -> None:
        async def script(request: Request, out: Out) -> None:
            await out.body(b"hello")
            await out.raw(b"HTTP/1.1 408 Too slow\r\ncontent-length: 4\r\n\r\nlate")

        async with running_upstream(script) as up:
            for _ in range(3):
                assert await fetch(client, up) == b"hello"
            assert up.connections == 3

    async def test_a_request_that_was_sent_is_not_repeated(self, client: HTTPClient) -> None:
        async def script(request: Request, out: Out) -> None:
            if request.target == "/":
                await out.body(b"hello")
            else:
                out.reset()

        async with running_upstream(script) as up:
            await fetch(client, up)
            with pytest.raises(AnswerBroken, match="closed before"):
                await fetch(client, up, "/second")
            assert [request.target for request in up.requests] == ["/", "/second"]

    async def test_closed_clients_keep_none(self, client: HTTPClient) -> None:
        async with running_upstream(hello) as up:
            async with client.send("GET", up.url) as response:
                client.close()
                assert await response.read(LIMIT) == b"hello"
            assert client.idle == 0
