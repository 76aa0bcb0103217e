"""The official SDKs of OpenAI and Google read what the Responses and Gemini dialects write, from a
server on loopback that gives one answer to every request.

The SDKs want h11 0.16 and cannot stand beside mitmproxy 11, so these tests are collected only where
both are installed.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import pytest

from mitmproxy_windsurf.upstream.exchange import Request, Responder
from mitmproxy_windsurf.upstream.translate.dialects import dialect_of
from mitmproxy_windsurf.upstream.translate.model import (
    Arguments,
    Asked,
    ChatRequest,
    Event,
    Failure,
    Finished,
    Refusal,
    Refused,
    Text,
    Thinking,
    ToolCall,
    Usage,
)
from upstream.conftest import Serve
from upstream.translate.event_streams import STARTED

openai: Any = pytest.importorskip("openai")
genai: Any = pytest.importorskip("google.genai")

STOP, CALLED = Finished(0, "stop"), Finished(0, "tool_calls")
USAGE = Usage(9, 4, 6, 1)
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}}
both_ways = pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])


class Translating:
    """A handler whose backend always answers with these events; remembers what it was asked."""

    def __init__(self, events: Sequence[Event]) -> None:
        self.events = events
        self.asked: list[ChatRequest] = []

    async def __call__(self, request: Request, responder: Responder) -> None:
        dialect = dialect_of(request.path, request.headers)
        assert dialect is not None
        body = json.loads(request.body)
        asked = Asked(body, request.path, request.query, [*request.headers.items()])
        try:
            chat = dialect.request(asked)
        except Refused as refused:
            failure = Failure(refused.status, str(refused), place=refused.place)
            await responder.respond_json(refused.status, dialect.error(failure))
            return
        self.asked.append(chat)
        if not chat.stream:
            await responder.respond_json(200, dialect.whole(asked, chat, self.events))
            return
        writer = dialect.writer(asked, chat)
        await responder.start(200, [("content-type", writer.content_type)])
        for event in self.events:
            await responder.send(writer.feed(event))
        if not isinstance(self.events[-1], Failure):
            await responder.send(writer.end())


class TestResponses:
    @pytest.fixture
    async def ask(self, serve: Serve) -> AsyncIterator[Callable[..., Any]]:
        clients = []

        async def ask(events: Sequence[Event], stream: bool, **more: Any) -> Any:
            handler = Translating(events)
            url = f"http://127.0.0.1:{serve(handler).port}/v1"
            client = openai.AsyncOpenAI(base_url=url, api_key="x", max_retries=0)
            clients.append(client)
            arguments = {"model": "gpt", "input": "hi", "store": False, **more}
            if not stream:
                return await client.responses.create(**arguments)
            async with client.responses.stream(**arguments) as answer:
                async for _ in answer:
                    pass
                return await answer.get_final_response()

        yield ask
        for client in clients:
            await client.close()

    @both_ways
    async def test_reasoning_and_text(self, ask: Any, stream: bool) -> None:
        events = [STARTED, Thinking(0, "hm"), Text(0, "a"), Text(0, "é"), STOP, USAGE]
        response = await ask(events, stream, reasoning={"effort": "low", "summary": "auto"})
        reasoning, message = response.output
        assert [part.text for part in reasoning.summary] == ["hm"]
        assert (message.role, response.output_text) == ("assistant", "aé")
        assert (response.id, response.model, response.status) == (
            *("resp_chatcmpl-1", "gpt", "completed"),
        )
        usage = response.usage
        assert (usage.input_tokens, usage.output_tokens, usage.total_tokens) == (9, 4, 13)
        assert usage.input_tokens_details.cached_tokens == 6
        assert usage.output_tokens_details.reasoning_tokens == 1

    @both_ways
    async def test_calls(self, ask: Any, stream: bool) -> None:
        tools = [
            {"type": "function", "name": "read", "parameters": SCHEMA, "strict": False},
            {"type": "custom", "name": "apply_patch"},
        ]
        events = [
            STARTED,
            ToolCall(0, 0, "c0", "read"),
            ToolCall(0, 1, "c1", "apply_patch"),
            Arguments(0, 1, '{"input":"x\\'),
            Arguments(0, 0, '{"path":'),
            Arguments(0, 1, 'n"}'),
            Arguments(0, 0, '"a"}'),
            CALLED,
        ]
        read, patch = (await ask(events, stream, tools=tools)).output
        assert (read.type, read.call_id, read.name) == ("function_call", "c0", "read")
        assert json.loads(read.arguments) == {"path": "a"}
        assert (patch.type, patch.call_id, patch.name) == (
            *("custom_tool_call", "c1", "apply_patch"),
        )
        assert patch.input == "x\n"

    @both_ways
    async def test_a_refusal(self, ask: Any, stream: bool) -> None:
        (message,) = (await ask([STARTED, Refusal(0, "no"), STOP], stream)).output
        assert [part.refusal for part in message.content] == ["no"]

    async def test_an_answer_that_is_cut_off(self, ask: Any) -> None:
        response = await ask([STARTED, Text(0, "a"), Finished(0, "length")], False)
        assert response.status == "incomplete"
        assert response.incomplete_details.reason == "max_output_tokens"

    async def test_an_error_in_mid_stream(self, ask: Any) -> None:
        with pytest.raises(openai.APIError, match="overloaded"):
            await ask([STARTED, Text(0, "a"), Failure(503, "overloaded")], True)

    @both_ways
    async def test_what_cannot_be_done(self, ask: Any, stream: bool) -> None:
        with pytest.raises(openai.BadRequestError, match="no responses are kept") as caught:
            await ask([], stream, previous_response_id="resp_1")
        assert caught.value.param == "previous_response_id"


class TestGemini:
    @pytest.fixture
    async def ask(self, serve: Serve) -> AsyncIterator[Callable[..., Any]]:
        clients = []

        async def ask(events: Sequence[Event], stream: bool, **config: Any) -> list[Any]:
            handler = Translating(events)
            options = {"base_url": f"http://127.0.0.1:{serve(handler).port}"}
            client = genai.Client(api_key="x", http_options=options, vertexai=False)
            clients.append(client)
            arguments = {"model": "gemini", "contents": "hi", "config": config}
            if not stream:
                return [await client.aio.models.generate_content(**arguments)]
            pieces = await client.aio.models.generate_content_stream(**arguments)
            return [piece async for piece in pieces]

        yield ask
        for client in clients:
            await client.aio.aclose()

    def parts(self, responses: Sequence[Any]) -> list[Any]:
        """All that is in the first candidates; text alone may be split."""
        return [part for response in responses for part in response.candidates[0].content.parts]

    @both_ways
    async def test_thoughts_and_text(self, ask: Any, stream: bool) -> None:
        events = [STARTED, Thinking(0, "hm"), Text(0, "a"), Text(0, "é"), STOP, USAGE]
        found = await ask(events, stream, thinking_config={"include_thoughts": True})
        parts = self.parts(found)
        assert "".join(part.text for part in parts if part.thought) == "hm"
        assert "".join(part.text for part in parts if not part.thought) == "aé"
        last = found[-1]
        assert (last.model_version, last.response_id) == ("gemini", "chatcmpl-1")
        assert last.candidates[0].finish_reason.name == "STOP"
        usage = last.usage_metadata
        assert (usage.prompt_token_count, usage.candidates_token_count) == (9, 3)
        assert (usage.cached_content_token_count, usage.thoughts_token_count) == (6, 1)

    @both_ways
    async def test_calls(self, ask: Any, stream: bool) -> None:
        events = [
            STARTED,
            ToolCall(0, 0, "c0", "read"),
            ToolCall(0, 1, "c1", "read"),
            Arguments(0, 1, '{"path":"é"}'),
            Arguments(0, 0, '{"path":"a"}'),
            CALLED,
        ]
        declared = {"name": "read", "parameters_json_schema": SCHEMA}
        found = await ask(events, stream, tools=[{"function_declarations": [declared]}])
        calls = [part.function_call for part in self.parts(found) if part.function_call]
        assert [(call.id, call.name, call.args) for call in calls] == [
            ("c0", "read", {"path": "a"}),
            ("c1", "read", {"path": "é"}),
        ]

    @both_ways
    async def test_a_prompt_that_a_filter_holds_back(self, ask: Any, stream: bool) -> None:
        (response,) = await ask([STARTED, Finished(0, "content_filter")], stream)
        assert response.prompt_feedback.block_reason.name == "SAFETY"

    async def test_an_error_in_mid_stream(self, ask: Any) -> None:
        with pytest.raises(genai.errors.ServerError, match="overloaded") as caught:
            await ask([STARTED, Text(0, "a"), Failure(503, "overloaded")], True)
        assert caught.value.status == "UNAVAILABLE"

    @both_ways
    async def test_what_cannot_be_done(self, ask: Any, stream: bool) -> None:
        with pytest.raises(genai.errors.ClientError, match="codeExecution") as caught:
            await ask([], stream, tools=[{"code_execution": {}}])
        assert (caught.value.code, caught.value.status) == (400, "INVALID_ARGUMENT")
