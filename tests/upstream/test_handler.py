"""What the backend is asked and what the client is answered, for clients of every protocol."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator
from typing import Any

import pytest

from encoders import ENCODERS, encode
from mitmproxy_windsurf.upstream import inquiry
from mitmproxy_windsurf.upstream.backend import HTTPBackend
from mitmproxy_windsurf.upstream.client import HTTPClient
from mitmproxy_windsurf.upstream.handler import TranslatingHandler
from mitmproxy_windsurf.upstream.model_names import parse_model_names
from mitmproxy_windsurf.upstream.target import parse_target
from proxy.http1 import Out, Request, Script, Upstream, running_upstream
from upstream.asks import STREAMED, WHOLE, Ask, is_error_of, message_of
from upstream.conftest import Connect, Serve
from upstream.raw_http import RawClient, Response
from upstream.translate.answers import DONE, chunk, whole

each_protocol = pytest.mark.parametrize("protocol", STREAMED)
both_ways = pytest.mark.parametrize("asks", [STREAMED, WHOLE], ids=["streamed", "whole"])
USAGE = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}


class Stage:
    """A client, the handler, and a backend that plays a script."""

    def __init__(self, serve: Serve, connect: Connect) -> None:
        self._serve, self._connect = serve, connect
        self.client: RawClient
        self.backend: Upstream

    async def play(self, up: Upstream, names: str = "", key: str = "") -> None:
        target = parse_target(f"{up.url}/v1")
        assert target
        self.http = HTTPClient(environment={})
        handler = TranslatingHandler(
            HTTPBackend(target, self.http), names=parse_model_names([names]), key=key
        )
        self.backend = up
        self.client = await self._connect(self._serve(handler))

    async def ask(self, ask: Ask, headers: str = "") -> Response:
        return await self.client.request("POST", ask.path, ask.data, headers)

    @property
    def asked(self) -> Any:
        """The body of the last request to the backend."""
        return json.loads(self.backend.requests[-1].body)


@pytest.fixture
async def stage(serve: Serve, connect: Connect) -> AsyncIterator[Stage]:
    made = Stage(serve, connect)
    yield made
    made.http.close()


def says(text: str, **headers: str) -> Script:
    """A backend that answers as it is asked to: streamed or whole."""

    async def script(request: Request, out: Out) -> None:
        if json.loads(request.body).get("stream"):
            await out.head(content_type="text/event-stream", transfer_encoding="chunked", **headers)
            await out.chunk(chunk({"role": "assistant", "content": text}))
            await out.chunk(chunk({}, "stop", usage=USAGE) + DONE)
            await out.end()
        else:
            answer = whole({"content": text}, usage=USAGE)
            await out.body(json.dumps(answer).encode(), **headers)

    return script


def fails(status: int, body: bytes, **headers: str) -> Script:
    async def script(request: Request, out: Out) -> None:
        await out.body(body, status, **headers)

    return script


class TestRequests:
    @both_ways
    @each_protocol
    async def test_the_backend_is_asked_in_chat(
        self, stage: Stage, asks: dict[str, Ask], protocol: str
    ) -> None:
        async with running_upstream(says("hello")) as up:
            await stage.play(up)
            response = await stage.ask(asks[protocol])
            assert response.status == 200
            assert b"hello" in response.body
        [request] = up.requests
        assert (request.method, request.target) == ("POST", "/v1/chat/completions")
        assert stage.asked["messages"][-1] == {"role": "user", "content": "hi"}
        assert stage.asked["model"].endswith("-a")
        assert bool(stage.asked.get("stream")) is (asks is STREAMED)
        kind = "text/event-stream" if asks is STREAMED else "application/json"
        assert response.headers["content-type"].partition(";")[0] == kind

    @each_protocol
    async def test_models_go_by_the_backends_names(self, stage: Stage, protocol: str) -> None:
        async with running_upstream(says("hello")) as up:
            await stage.play(up, names="claude-*=large, *-a=small")
            response = await stage.ask(WHOLE[protocol])
        assert stage.asked["model"] == ("large" if protocol == "anthropic" else "small")
        if protocol == "anthropic":
            assert json.loads(response.body)["model"] == "claude-a"

    @each_protocol
    async def test_the_clients_key_is_passed_on(self, stage: Stage, protocol: str) -> None:
        ask = WHOLE[protocol]
        async with running_upstream(says("hello")) as up:
            await stage.play(up)
            await stage.ask(ask, ask.key.format("secret"))
        [request] = up.requests
        assert request.headers["authorization"] == "Bearer secret"
        assert "x-api-key" not in request.headers
        assert "x-goog-api-key" not in request.headers

    @each_protocol
    async def test_the_backend_may_have_a_key_of_its_own(self, stage: Stage, protocol: str) -> None:
        ask = WHOLE[protocol]
        async with running_upstream(says("hello")) as up:
            await stage.play(up, key="own")
            await stage.ask(ask, ask.key.format("secret"))
        assert up.requests[0].headers["authorization"] == "Bearer own"
        assert "secret" not in str(up.requests)

    @pytest.mark.parametrize("name", ENCODERS)
    async def test_compressed_requests_are_read(self, stage: Stage, name: str) -> None:
        ask = WHOLE["openai_responses"]
        async with running_upstream(says("hello")) as up:
            await stage.play(up)
            response = await stage.client.request(
                "POST",
                ask.path,
                encode(name, ask.data),
                f"content-encoding: {ENCODERS[name][0]}\r\n",
            )
        assert response.status == 200
        assert stage.asked["messages"][-1]["content"] == "hi"

    @pytest.mark.parametrize(
        ("encoding", "status", "words"),
        [("snappy", 415, "snappy"), ("zstd", 400, "not JSON"), ("gzip", 413, "larger than 9")],
    )
    async def test_requests_that_cannot_be_decompressed(
        self,
        stage: Stage,
        monkeypatch: pytest.MonkeyPatch,
        encoding: str,
        status: int,
        words: str,
    ) -> None:
        monkeypatch.setattr(inquiry, "MAX_BODY", 9)
        body = encode("gzip", bytes(999))
        async with running_upstream(says("hello")) as up:
            await stage.play(up)
            response = await stage.client.request(
                "POST", "/v1/messages", body, f"content-encoding: {encoding}\r\n"
            )
        assert response.status == status
        assert words in message_of(response.body)
        assert up.requests == []

    async def test_a_responses_body_on_the_path_of_chat_is_answered_as_one(
        self, stage: Stage
    ) -> None:
        """Cursor does that."""
        ask = WHOLE["openai_responses"]
        async with running_upstream(says("hello")) as up:
            await stage.play(up)
            response = await stage.client.request("POST", "/v1/chat/completions", ask.data)
        assert json.loads(response.body)["object"] == "response"

    async def test_what_the_backend_cannot_do_is_a_400_that_names_the_field(
        self, stage: Stage
    ) -> None:
        ask = WHOLE["anthropic"]
        tools = [{"name": "a", "input_schema": {}}, {"type": "bash_20250124", "name": "bash"}]
        async with running_upstream(says("hello")) as up:
            await stage.play(up)
            body = json.dumps({**ask.body, "tools": tools}).encode()
            response = await stage.client.request("POST", ask.path, body)
        assert response.status == 400
        assert "tools[1]" in message_of(response.body)
        assert up.requests == []

    async def test_what_is_left_out_is_said_once_and_escaped(
        self, stage: Stage, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.INFO)
        ask = WHOLE["anthropic"]
        body = json.dumps({**ask.body, "new\nfield": 1, "inference_geo": "x"}).encode()
        async with running_upstream(says("hello")) as up:
            await stage.play(up)
            for _ in range(3):
                await stage.client.request("POST", ask.path, body)
        lines = [line for line in caplog.messages if "is not told of" in line]
        expected = r"anthropic: the backend is not told of 'new\nfield', 'inference_geo'"
        assert lines == [expected]

    async def test_a_request_is_sent_again_without_what_the_backend_refuses(
        self, stage: Stage
    ) -> None:
        async def script(request: Request, out: Out) -> None:
            if "reasoning_effort" in json.loads(request.body):
                await out.body(b'{"error": "unknown field reasoning_effort"}', 400)
            else:
                await says("hello")(request, out)

        ask = WHOLE["anthropic"]
        body = {**ask.body, "thinking": {"type": "enabled", "budget_tokens": 1024}}
        async with running_upstream(script) as up:
            await stage.play(up)
            response = await stage.client.request("POST", ask.path, json.dumps(body).encode())
        assert response.status == 200
        first, second = (json.loads(request.body) for request in up.requests)
        assert {**second, "reasoning_effort": first["reasoning_effort"]} == first


class TestAnswers:
    @each_protocol
    async def test_a_backend_may_answer_whole_though_it_was_to_stream(
        self, stage: Stage, protocol: str
    ) -> None:
        async def script(request: Request, out: Out) -> None:
            await out.body(json.dumps(whole({"content": "hello"}, usage=USAGE)).encode())

        async with running_upstream(script) as up:
            await stage.play(up)
            response = await stage.ask(STREAMED[protocol])
        assert response.status == 200
        assert b"hello" in response.body

    @pytest.mark.parametrize("protocol", sorted(set(WHOLE) - {"openai_chat"}))
    async def test_a_backend_may_stream_though_it_was_not_to(
        self, stage: Stage, protocol: str
    ) -> None:
        async def script(request: Request, out: Out) -> None:
            await out.head(content_type="text/event-stream", transfer_encoding="chunked")
            await out.chunk(chunk({"content": "hel"}) + chunk({"content": "lo"}, "stop") + DONE)
            await out.end()

        async with running_upstream(script) as up:
            await stage.play(up)
            response = await stage.ask(WHOLE[protocol])
        assert b"hello" in response.body
        json.loads(response.body)

    async def test_chat_is_passed_on_byte_for_byte(self, stage: Stage) -> None:
        answer = b': comment\r\ndata: {"own" : 1}\r\n\r\ndata:[DONE]\n\n'

        async def script(request: Request, out: Out) -> None:
            await out.head(content_type="text/event-stream", transfer_encoding="chunked")
            await out.chunk(answer[:20])
            await out.chunk(answer[20:])
            await out.end()

        async with running_upstream(script) as up:
            await stage.play(up)
            assert (await stage.ask(STREAMED["openai_chat"])).body == answer

    @both_ways
    async def test_limits_and_the_requests_id_are_passed_on(
        self, stage: Stage, asks: dict[str, Ask]
    ) -> None:
        headers = {"x_request_id": "r1", "x_ratelimit_remaining_tokens": "5", "x_other": "no"}
        async with running_upstream(says("hello", **headers)) as up:
            await stage.play(up)
            for protocol, ask in asks.items():
                response = await stage.ask(ask)
                assert response.headers["x-ratelimit-remaining-tokens"] == "5"
                name = "request-id" if protocol == "anthropic" else "x-request-id"
                assert response.headers[name] == "r1"
                assert "x-other" not in response.headers

    async def test_think_tags_are_thinking_for_those_who_ask_for_it(self, stage: Stage) -> None:
        ask = WHOLE["anthropic"]
        thinking = {"thinking": {"type": "enabled", "budget_tokens": 1024}}
        async with running_upstream(says("<think>hm</think>yes")) as up:
            await stage.play(up)
            plain = json.loads((await stage.ask(ask)).body)
            body = json.dumps({**ask.body, **thinking}).encode()
            asked = json.loads((await stage.client.request("POST", ask.path, body)).body)
        assert [block["type"] for block in plain["content"]] == ["text"]
        assert [block["type"] for block in asked["content"]] == ["thinking", "text"]

    async def test_halves_of_a_character_stay_halves(self, stage: Stage) -> None:
        async def script(request: Request, out: Out) -> None:
            await out.head(content_type="text/event-stream", transfer_encoding="chunked")
            for half in (rb"\ud83d", rb"\ude00"):
                await out.chunk(b'data: {"choices": [{"delta": {"content": "%s"}}]}\n\n' % half)
            await out.chunk(chunk({}, "stop") + DONE)
            await out.end()

        async with running_upstream(script) as up:
            await stage.play(up)
            response = await stage.ask(STREAMED["anthropic"])
        assert rb"\ud83d" in response.body
        assert rb"\ude00" in response.body


class TestFailures:
    @both_ways
    @each_protocol
    async def test_the_backends_errors_keep_their_status_and_reason(
        self, stage: Stage, asks: dict[str, Ask], protocol: str
    ) -> None:
        body = b'{"error": {"message": "slow down", "type": "rate", "code": "429"}}'
        async with running_upstream(fails(429, body, retry_after="7", x_request_id="r")) as up:
            await stage.play(up)
            response = await stage.ask(asks[protocol])
        assert response.status == 429
        assert response.headers["retry-after"] == "7"
        assert is_error_of(protocol, 429, response.body)
        assert message_of(response.body) == "slow down"
        assert len(up.requests) == 1

    @each_protocol
    async def test_a_redirect_is_no_answer(self, stage: Stage, protocol: str) -> None:
        async with running_upstream(fails(302, b"moved", location="http://a.test/")) as up:
            await stage.play(up)
            response = await stage.ask(STREAMED[protocol])
        assert (response.status, message_of(response.body)) == (502, "moved")

    @both_ways
    @each_protocol
    async def test_a_backend_that_is_down_is_named_with_a_cure(
        self, stage: Stage, asks: dict[str, Ask], protocol: str
    ) -> None:
        async with running_upstream(says("hello")) as up:
            await stage.play(up)
        response = await stage.ask(asks[protocol])
        assert response.status == 502
        assert is_error_of(protocol, 502, response.body)
        message = message_of(response.body)
        assert f"The backend {up.url}/v1 gave no answer" in message
        assert "nothing listens there" in message
        assert "windsurf_backend" in message

    async def test_a_backend_that_hangs_up_is_a_502_and_one_that_is_silent_a_504(
        self, serve: Serve, connect: Connect
    ) -> None:
        async def script(request: Request, out: Out) -> None:
            if json.loads(request.body)["model"] == "silent":
                await out.go_on.wait()
            out.close()

        async with running_upstream(script) as up:
            target = parse_target(up.url)
            assert target
            backend = HTTPBackend(target, HTTPClient(silence=0.05, environment={}))
            client = await connect(serve(TranslatingHandler(backend)))
            for model, status in (("hangs up", 502), ("silent", 504)):
                body = {**STREAMED["anthropic"].body, "model": model}
                response = await client.request("POST", "/v1/messages", json.dumps(body).encode())
                assert response.status == status

    @pytest.mark.parametrize("protocol", STREAMED)
    async def test_an_error_in_mid_stream_is_the_protocols_error_event(
        self, stage: Stage, protocol: str
    ) -> None:
        async def script(request: Request, out: Out) -> None:
            await out.head(content_type="text/event-stream", transfer_encoding="chunked")
            await out.chunk(chunk({"content": "so far"}))
            await out.chunk(b'data: {"error": {"message": "worker died", "code": 500}}\n\n')
            await out.end()

        async with running_upstream(script) as up:
            await stage.play(up)
            response = await stage.ask(STREAMED[protocol])
        assert response.status == 200
        before, _, after = response.body.partition(b"so far")
        assert before
        assert b"worker died" in after
        sign = {
            "anthropic": b"event: error\n",
            "openai_chat": b'"error": {',
            "openai_responses": b"event: response.failed\n",
            "gemini": b'"error":{',
        }
        assert sign[protocol] in after
        for end in (b"message_stop", b"response.completed", b'"finishReason":"STOP"'):
            assert end not in response.body

    @pytest.mark.parametrize("protocol", sorted(set(WHOLE) - {"openai_chat"}))
    async def test_an_answer_that_ends_too_early_is_an_error(
        self, stage: Stage, protocol: str
    ) -> None:
        async def script(request: Request, out: Out) -> None:
            await out.head(content_type="text/event-stream", transfer_encoding="chunked")
            await out.chunk(chunk({"content": "so far"}))
            await out.end()

        async with running_upstream(script) as up:
            await stage.play(up)
            streamed = await stage.ask(STREAMED[protocol])
            assert b"ended before it was complete" in streamed.body
            response = await stage.ask(WHOLE[protocol])
        assert response.status == 502
        assert is_error_of(protocol, 502, response.body)


class TestOtherRoutes:
    @pytest.mark.parametrize(
        ("protocol", "path", "member"),
        [
            ("anthropic", "/v1/messages/count_tokens", "input_tokens"),
            ("openai_responses", "/v1/responses/input_tokens", "input_tokens"),
            ("gemini", "/v1beta/models/m:countTokens", "totalTokens"),
        ],
    )
    async def test_tokens_are_estimated_and_said_to_be(
        self, stage: Stage, protocol: str, path: str, member: str
    ) -> None:
        body = json.dumps({**WHOLE[protocol].body, "more": "x" * 4000}).encode()
        async with running_upstream(says("hello")) as up:
            await stage.play(up)
            response = await stage.client.request("POST", path, body)
        assert response.headers["x-windsurf-token-count"] == "estimate"
        assert 1000 < json.loads(response.body)[member] < 1050
        assert up.requests == []

    @pytest.mark.parametrize(
        ("path", "headers", "names"),
        [
            ("/v1/models", "", lambda it: [model["id"] for model in it["data"]]),
            (
                "/v1/models",
                "anthropic-version: 2023-06-01\r\n",
                lambda it: [model["id"] for model in it["data"]],
            ),
            ("/v1beta/models", "", lambda it: [model["name"] for model in it["models"]]),
        ],
    )
    async def test_models_are_the_backends(
        self, stage: Stage, path: str, headers: str, names: Any
    ) -> None:
        listed = b'{"object": "list", "data": [{"id": "a"}, {"id": "b:8b"}, 7]}'
        async with running_upstream(fails(200, listed)) as up:
            await stage.play(up)
            key = "authorization: Bearer k\r\n"
            response = await stage.client.request("GET", path, None, headers + key)
        prefix = "models/" if "beta" in path else ""
        assert names(json.loads(response.body)) == [f"{prefix}a", f"{prefix}b:8b"]
        [request] = up.requests
        assert (request.target, request.headers["authorization"]) == ("/v1/models", "Bearer k")

    async def test_one_model_is_found_in_the_list_if_the_backend_has_no_other_way(
        self, stage: Stage
    ) -> None:
        async def script(request: Request, out: Out) -> None:
            if request.target == "/v1/models":
                await out.body(b'{"data": [{"id": "qwen3:8b", "created": 7}]}')
            else:
                await out.body(b'{"detail": "Not Found"}', 404)

        async with running_upstream(script) as up:
            await stage.play(up, names="claude-*=qwen3:8b")
            found = await stage.client.request("GET", "/v1/models/claude-x")
            lost = await stage.client.request("GET", "/v1/models/gpt-x")
        assert json.loads(found.body) == {"id": "claude-x", "created": 7}
        assert up.requests[0].target == "/v1/models/qwen3%3A8b"
        assert (lost.status, message_of(lost.body)) == (404, "Not Found")

    @pytest.mark.parametrize("answer", [b"no json", b"[]", b'{"data": 7}'])
    async def test_a_list_that_is_none(self, stage: Stage, answer: bytes) -> None:
        async with running_upstream(fails(200, answer)) as up:
            await stage.play(up)
            assert (await stage.client.request("GET", "/v1/models")).status == 502

    @pytest.mark.parametrize(
        ("method", "path"),
        [
            ("GET", "/v1/responses/resp_1"),
            ("GET", "/v1/messages"),
            ("POST", "/v1/messages/batches"),
            ("POST", "/v1beta/cachedContents"),
            ("POST", "/v1/embeddings"),
            ("POST", "/api/chat"),
            ("DELETE", "/v1/models/a"),
            ("OPTIONS", "/"),
        ],
    )
    async def test_what_is_not_there_is_a_404(self, stage: Stage, method: str, path: str) -> None:
        async with running_upstream(says("hello")) as up:
            await stage.play(up)
            response = await stage.client.request(method, path, b"{}")
        assert response.status == 404
        assert f"{method} {path}" in message_of(response.body)
        assert up.requests == []
