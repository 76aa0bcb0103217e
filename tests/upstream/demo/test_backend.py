"""The demo over a socket, behind the translation: routes, refusals, streams and their ends."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.upstream.demo import DemoBackend, openai_chat
from mitmproxy_windsurf.upstream.demo.ask import Rejected
from mitmproxy_windsurf.upstream.demo.backend import MODELS
from mitmproxy_windsurf.upstream.demo.parts import Answer
from mitmproxy_windsurf.upstream.demo.scenarios import choose_scenario
from mitmproxy_windsurf.upstream.handler import TranslatingHandler
from mitmproxy_windsurf.upstream.tokens import strings
from upstream.asks import STREAMED, WHOLE
from upstream.conftest import Connect, Serve
from upstream.demo.streams import anthropic_message, chat_completion, events
from upstream.raw_http import RawClient, Response, request_bytes

MESSAGES = "/v1/messages?beta=true"
CHAT = "/v1/chat/completions"
PATHS = [MESSAGES, CHAT]
ANTHROPIC_HEADER = "anthropic-version: 2023-06-01\r\n"
FINGERPRINT = "You are Claude Code, Anthropic's official CLI for Claude."
CLINE = "You are Ada, a highly skilled software engineer with extensive knowledge."
QUARTZ = "The quartz clock is wound on Thursdays."


@pytest.fixture
async def client(serve: Serve, connect: Connect) -> RawClient:
    return await connect(serve(TranslatingHandler(DemoBackend())))


def ask(prompt: str, *, stream: bool = False, system: str = "") -> bytes:
    messages = [{"role": "system", "content": system}, {"role": "user", "content": prompt}]
    return json.dumps({"model": "some-model", "messages": messages, "stream": stream}).encode()


def error(response: Response) -> Any:
    return json.loads(response.body)["error"]


class TestRoutes:
    @pytest.mark.parametrize("target", ["/", "/api/hello", "/v1/models", "/v1/models/x"])
    async def test_probes_are_answered(self, client: RawClient, target: str) -> None:
        assert (await client.request("HEAD", target)).status == 200
        assert (await client.request("GET", target)).status == 200

    async def test_models_are_listed_in_the_words_of_the_protocol(self, client: RawClient) -> None:
        openai = json.loads((await client.request("GET", "/v1/models")).body)
        anthropic = json.loads(
            (await client.request("GET", "/v1/models", None, ANTHROPIC_HEADER)).body
        )
        for models in (openai, anthropic):
            assert tuple(model["id"] for model in models["data"]) == MODELS
        assert openai["object"] == "list"
        assert anthropic["has_more"] is False

    async def test_any_model_is_known(self, client: RawClient) -> None:
        for headers in ("", ANTHROPIC_HEADER):
            response = await client.request("GET", "/v1/models/some%2Fmodel", None, headers)
            assert json.loads(response.body)["id"] == "some/model"

    async def test_tokens_are_counted_roughly_and_say_so(self, client: RawClient) -> None:
        response = await client.request("POST", "/v1/messages/count_tokens", ask("x" * 4000))
        assert response.headers["x-windsurf-token-count"] == "estimate"
        assert 1000 < json.loads(response.body)["input_tokens"] < 1100

    @pytest.mark.parametrize(
        ("method", "target"),
        [("GET", "/v1/messages"), ("POST", "/v1/batches"), ("PUT", "/"), ("HEAD", "/nowhere")],
    )
    async def test_other_paths_are_a_404(self, client: RawClient, method: str, target: str) -> None:
        assert (await client.request(method, target)).status == 404

    async def test_a_404_is_in_the_words_of_the_protocol(self, client: RawClient) -> None:
        openai = json.loads((await client.request("POST", "/v1/nothing", b"{}")).body)
        anthropic = json.loads((await client.request("POST", "/v1/messages/nothing", b"{}")).body)
        assert openai["error"]["code"] is None
        assert anthropic["type"] == "error"
        assert anthropic["error"]["type"] == openai["error"]["type"] == "not_found_error"

    async def test_the_version_may_be_left_out(self, client: RawClient) -> None:
        assert (await client.request("POST", "/chat/completions", ask("hi"))).status == 200


class TestRequests:
    @pytest.mark.parametrize("path", PATHS)
    @pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"\xff", b"[" * 100_000, b"{}"])
    async def test_a_broken_body_is_a_400(self, client: RawClient, path: str, body: bytes) -> None:
        response = await client.request("POST", path, body)
        assert response.status == 400
        assert error(response)["type"] == "invalid_request_error"

    async def test_the_same_request_gets_the_same_bytes(self, client: RawClient) -> None:
        for path in PATHS:
            one, two = [await client.request("POST", path, ask("hi", stream=True)) for _ in "12"]
            assert one == two

    @pytest.mark.parametrize("stream", [True, False])
    async def test_it_answers_in_the_name_of_the_model(
        self, client: RawClient, stream: bool
    ) -> None:
        message = await client.request("POST", MESSAGES, ask("hi", stream=stream))
        completion = await client.request("POST", CHAT, ask("hi", stream=stream))
        read = (anthropic_message, chat_completion) if stream else (json.loads, json.loads)
        assert read[0](message.body)["model"] == read[1](completion.body)["model"] == "some-model"
        kind = "text/event-stream; charset=utf-8" if stream else "application/json"
        assert message.headers["content-type"] == completion.headers["content-type"] == kind
        assert message.headers["request-id"].startswith("req_")
        assert completion.headers["x-request-id"].startswith("req_")


class TestGates:
    @pytest.mark.parametrize("path", PATHS)
    @pytest.mark.parametrize("stream", [True, False])
    async def test_a_fingerprint_is_an_overload(
        self, client: RawClient, path: str, stream: bool
    ) -> None:
        response = await client.request("POST", path, ask("hi", stream=stream, system=FINGERPRINT))
        assert response.status == 529
        assert error(response)["type"] == "overloaded_error"

    @pytest.mark.parametrize("path", PATHS)
    async def test_one_refusal_hides_behind_a_200(self, client: RawClient, path: str) -> None:
        response = await client.request("POST", path, ask("hi", stream=True, system=CLINE))
        assert response.status == 200
        first = events(response.body)[0][1]
        assert first["error"]["type"] == "permission_error"
        response = await client.request("POST", path, ask("hi", system=CLINE))
        assert (response.status, error(response)["type"]) == (403, "permission_error")

    async def test_one_refuses_three_requests_of_five(self, client: RawClient) -> None:
        asks = [ask("hi", system=QUARTZ)] * 10
        statuses = [(await client.request("POST", CHAT, body)).status for body in asks]
        assert statuses == [529, 200, 529, 200, 529] * 2

    async def test_tokens_are_counted_all_the_same(self, client: RawClient) -> None:
        body = ask("hi", system=FINGERPRINT)
        assert (await client.request("POST", "/v1/messages/count_tokens", body)).status == 200

    async def test_gates_can_be_left_out(self, serve: Serve, connect: Connect) -> None:
        client = await connect(serve(TranslatingHandler(DemoBackend(gates=()))))
        assert (await client.request("POST", CHAT, ask("hi", system=FINGERPRINT))).status == 200


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("protocol", STREAMED)
class TestProtocols:
    """What the demo does for one protocol it does for all."""

    def request(self, protocol: str, stream: bool, prompt: str, system: str = "") -> bytes:
        it = (STREAMED if stream else WHOLE)[protocol]
        body = json.dumps(it.body).replace('"hi"', json.dumps(prompt))
        prompts: dict[str, dict[str, Any]] = {
            "anthropic": {"system": system},
            "openai_responses": {"instructions": system},
            "gemini": {"systemInstruction": {"parts": [{"text": system}]}},
        }
        members = {**json.loads(body), **prompts.get(protocol, {})}
        if protocol == "openai_chat":
            members["messages"].insert(0, {"role": "system", "content": system})
        return request_bytes("POST", it.path, json.dumps(members).encode())

    async def test_it_answers_and_leaks(
        self, client: RawClient, protocol: str, stream: bool
    ) -> None:
        await client.send(self.request(protocol, stream, "who are you"))
        response = await client.response()
        assert response.status == 200
        documents = [response.body]
        if stream:
            lines = response.body.split(b"\n")
            documents = [line[6:] for line in lines if line.startswith(b"data: {")]
        members = (member for it in documents for member in strings(json.loads(it)))
        said = "".join(text for name, text in members if name in ("text", "delta", "content"))
        assert "I am **Cascade**, made by Codeium." in said

    async def test_it_refuses_fingerprints(
        self, client: RawClient, protocol: str, stream: bool
    ) -> None:
        await client.send(self.request(protocol, stream, "hi", FINGERPRINT))
        response = await client.response()
        assert (response.status, error(response)["message"]) == (529, "Overloaded")
        await client.send(self.request(protocol, stream, "hi", CLINE))
        response = await client.response()
        assert response.status == (200 if stream else 403)
        assert b"This client is not supported" in response.body

    async def test_it_breaks_off(self, client: RawClient, protocol: str, stream: bool) -> None:
        await client.send(self.request(protocol, stream, "abort"))
        with pytest.raises(ConnectionResetError):
            await client.rest()

    async def test_the_same_request_gets_the_same_answer(
        self, client: RawClient, protocol: str, stream: bool
    ) -> None:
        answers = []
        for _ in range(2):
            await client.send(self.request(protocol, stream, "double"))
            answers.append((await client.response()).body)
        assert answers[0] == answers[1]


class TestEnds:
    @pytest.mark.parametrize("path", PATHS)
    async def test_an_error_in_mid_stream(self, client: RawClient, path: str) -> None:
        response = await client.request("POST", path, ask("error", stream=True))
        assert response.status == 200
        [failure] = [data for _, data in events(response.body) if "error" in data]
        assert "/opt/windsurf" in failure["error"]["message"]
        response = await client.request("POST", path, ask("error"))
        assert response.status == 500
        assert error(response) == failure["error"]

    @pytest.mark.parametrize("path", PATHS)
    @pytest.mark.parametrize("stream", [True, False])
    async def test_an_http_error(self, client: RawClient, path: str, stream: bool) -> None:
        response = await client.request("POST", path, ask("http error", stream=stream))
        assert response.status == 502
        assert "/opt/windsurf" in error(response)["message"]

    @pytest.mark.parametrize("path", PATHS)
    async def test_a_cut_in_mid_stream(self, client: RawClient, path: str) -> None:
        await client.send(request_bytes("POST", path, ask("abort", stream=True)))
        begin = await client.chunk_after_head()
        assert begin.startswith((b"event: message_start", b"data: {"))
        with pytest.raises(ConnectionResetError):
            await client.rest()

    @pytest.mark.parametrize("path", PATHS)
    async def test_a_cut_within_a_whole_answer(self, client: RawClient, path: str) -> None:
        await client.send(request_bytes("POST", path, ask("abort")))
        with pytest.raises(ConnectionResetError):
            await client.head()

    @pytest.mark.parametrize("path", PATHS)
    async def test_a_long_answer_arrives(self, client: RawClient, path: str) -> None:
        response = await client.request("POST", path, ask("long", stream=True))
        assert len(events(response.body)) > 1000


class TestPace:
    async def test_deltas_arrive_one_by_one(self, serve: Serve, connect: Connect) -> None:
        client = await connect(serve(TranslatingHandler(DemoBackend(pace=0.0001))))
        await client.send(request_bytes("POST", CHAT, ask("hi", stream=True)))
        await client.head()
        chunks = [chunk async for chunk in client.chunks()]
        assert len(chunks) > 20
        assert all(chunk.endswith(b"\n\n") for chunk in chunks)

    async def test_a_client_may_leave_in_between(self, serve: Serve, connect: Connect) -> None:
        server = serve(TranslatingHandler(DemoBackend(pace=0.0001)))
        client = await connect(server)
        await client.send(request_bytes("POST", CHAT, ask("slow", stream=True)))
        await client.chunk_after_head()
        client.reset()
        await asyncio.sleep(0)


NAMES = st.sampled_from(
    [
        *("model", "messages", "role", "content", "type", "text", "system", "n", "thinking"),
        *("tools", "function", "name", "description", "input_schema", "parameters", "tool_choice"),
        *("properties", "required", "path", "stream", "stream_options", "reasoning"),
    ]
)
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.text(max_size=5),
    st.sampled_from(["user", "assistant", "system", "tool", "tool_result", "text", "read", "tool"]),
)
JSON = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner), max_leaves=20
)


@given(st.dictionaries(NAMES, JSON), st.lists(st.dictionaries(NAMES, JSON), max_size=3))
def test_any_json_is_answered_or_rejected(body: dict[str, Any], messages: list[Any]) -> None:
    try:
        ask = openai_chat.read(
            {**body, "messages": [*messages, {"role": "user", "content": "tool"}]}
        )
    except Rejected:
        return
    answer = Answer(ask.model, choose_scenario(ask).play(ask), "", ask.tokens)
    assert json.dumps(openai_chat.whole(answer))
    assert events(b"".join(openai_chat.frames(answer)))
