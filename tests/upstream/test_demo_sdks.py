"""The official SDKs against the demo on loopback: what they accept, real clients accept.

They want h11 0.16 and cannot stand beside mitmproxy 11, so these tests are collected only where
both are installed.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from mitmproxy_windsurf.upstream.demo import DemoBackend
from mitmproxy_windsurf.upstream.demo.backend import MODELS
from mitmproxy_windsurf.upstream.demo.script import THINKING, THOUGHT, TWICE, WELCOME
from mitmproxy_windsurf.upstream.demo.tools import FILE
from mitmproxy_windsurf.upstream.handler import TranslatingHandler
from upstream.conftest import Serve

anthropic: Any = pytest.importorskip("anthropic")
openai: Any = pytest.importorskip("openai")
httpx: Any = pytest.importorskip("httpx2")

FINGERPRINT = "You are Claude Code, Anthropic's official CLI for Claude."
CLINE = "You are Ada, a highly skilled software engineer with extensive knowledge."
SCHEMA = {"type": "object", "properties": {"file_path": {"type": "string"}}}
ANTHROPIC_TOOL = {"name": "Read", "description": "Reads a file.", "input_schema": SCHEMA}
OPENAI_TOOL = {"type": "function", "function": {"name": "Read", "parameters": SCHEMA}}
both_ways = pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])


@pytest.fixture
async def base_url(serve: Serve) -> str:
    return f"http://127.0.0.1:{serve(TranslatingHandler(DemoBackend())).port}"


class TestAnthropic:
    @pytest.fixture
    async def client(self, base_url: str) -> AsyncIterator[Any]:
        async with anthropic.AsyncAnthropic(base_url=base_url, api_key="x", max_retries=0) as it:
            yield it

    async def ask(self, client: Any, prompt: str, stream: bool, **more: Any) -> Any:
        more.setdefault("messages", [{"role": "user", "content": prompt}])
        arguments = {"model": "some-model", "max_tokens": 4096, **more}
        if not stream:
            return await client.messages.create(**arguments)
        async with client.messages.stream(**arguments) as answer:
            return await answer.get_final_message()

    @both_ways
    async def test_text(self, client: Any, stream: bool) -> None:
        message = await self.ask(client, "hi", stream)
        assert [block.text for block in message.content] == [WELCOME]
        assert (message.model, message.stop_reason) == ("some-model", "end_turn")
        assert message.usage.input_tokens > 0
        assert message.usage.output_tokens > 50

    @both_ways
    async def test_thinking(self, client: Any, stream: bool) -> None:
        thinking = {"type": "enabled", "budget_tokens": 1024}
        message = await self.ask(client, "think", stream, thinking=thinking)
        thought, text = message.content
        assert (thought.thinking, thought.signature, text.text) == (
            THINKING,
            "0" * 32,
            THOUGHT,
        )

    @both_ways
    async def test_a_tool_is_called_and_its_result_quoted(self, client: Any, stream: bool) -> None:
        called = await self.ask(client, "tool", stream, tools=[ANTHROPIC_TOOL])
        assert called.stop_reason == "tool_use"
        _, call = called.content
        assert (call.name, call.input) == ("Read", {"file_path": FILE})
        result = {"type": "tool_result", "tool_use_id": call.id, "content": "three lines"}
        messages = [
            {"role": "user", "content": "tool"},
            {"role": "assistant", "content": called.content},
            {"role": "user", "content": [result]},
        ]
        answered = await self.ask(client, "", stream, messages=messages, tools=[ANTHROPIC_TOOL])
        assert answered.stop_reason == "end_turn"
        assert "> three lines" in answered.content[0].text

    async def test_the_beta_client(self, client: Any) -> None:
        message = await client.beta.messages.create(
            model="m",
            max_tokens=10,
            messages=[{"role": "user", "content": "hi"}],
            betas=["claude-code-20250219"],
        )
        assert message.content[0].text == WELCOME

    async def test_text_arrives_piece_by_piece(self, client: Any) -> None:
        messages = [{"role": "user", "content": "double"}]
        async with client.messages.stream(model="m", max_tokens=9, messages=messages) as stream:
            pieces = [piece async for piece in stream.text_stream]
        assert "".join(pieces) == TWICE
        assert len(pieces) > 20

    @both_ways
    async def test_refusals(self, client: Any, stream: bool) -> None:
        with pytest.raises(anthropic.OverloadedError):
            await self.ask(client, "hi", stream, system=FINGERPRINT)
        with pytest.raises(anthropic.APIStatusError, match="not supported"):
            await self.ask(client, "hi", stream, system=CLINE)

    async def test_an_error_in_mid_stream(self, client: Any) -> None:
        with pytest.raises(anthropic.APIStatusError, match="/opt/windsurf"):
            await self.ask(client, "error", True)

    @both_ways
    async def test_an_abort(self, client: Any, stream: bool) -> None:
        with pytest.raises((anthropic.APIConnectionError, httpx.TransportError)):
            await self.ask(client, "abort", stream)

    async def test_models_and_tokens(self, client: Any) -> None:
        assert [model.id async for model in client.models.list()] == [*MODELS]
        assert (await client.models.retrieve("any")).id == "any"
        messages = [{"role": "user", "content": "x" * 400}]
        count = await client.messages.count_tokens(model="m", messages=messages)
        assert count.input_tokens > 100


class TestOpenAI:
    @pytest.fixture
    async def client(self, base_url: str) -> AsyncIterator[Any]:
        async with openai.AsyncOpenAI(base_url=f"{base_url}/v1", api_key="x", max_retries=0) as it:
            yield it

    async def ask(self, client: Any, prompt: str, stream: bool, **more: Any) -> Any:
        more.setdefault("messages", [{"role": "user", "content": prompt}])
        arguments = {"model": "some-model", **more}
        if not stream:
            return await client.chat.completions.create(**arguments)
        arguments["stream_options"] = {"include_usage": True}
        async with client.chat.completions.stream(**arguments) as answer:
            return await answer.get_final_completion()

    @both_ways
    async def test_text(self, client: Any, stream: bool) -> None:
        completion = await self.ask(client, "hi", stream)
        [choice] = completion.choices
        assert (choice.message.content, choice.finish_reason) == (WELCOME, "stop")
        assert completion.model == "some-model"
        assert completion.usage.total_tokens > completion.usage.prompt_tokens > 0

    async def test_thinking(self, client: Any) -> None:
        completion = await self.ask(client, "think", False)
        message = completion.choices[0].message
        assert (message.reasoning_content, message.content) == (THINKING, THOUGHT)

    async def test_thinking_streamed(self, client: Any) -> None:
        messages = [{"role": "user", "content": "double"}]
        stream = await client.chat.completions.create(model="m", messages=messages, stream=True)
        deltas = [chunk.choices[0].delta async for chunk in stream]
        assert deltas[0].role == "assistant"
        assert "".join(getattr(delta, "reasoning_content", "") for delta in deltas) == TWICE
        assert "".join(delta.content or "" for delta in deltas) == TWICE

    @both_ways
    async def test_a_tool_is_called_and_its_result_quoted(self, client: Any, stream: bool) -> None:
        called = await self.ask(client, "tool", stream, tools=[OPENAI_TOOL])
        [choice] = called.choices
        assert choice.finish_reason == "tool_calls"
        [call] = choice.message.tool_calls
        assert call.function.name == "Read"
        assert json.loads(call.function.arguments) == {"file_path": FILE}
        messages = [
            {"role": "user", "content": "tool"},
            choice.message.model_dump(include={"role", "content", "tool_calls"}),
            {"role": "tool", "tool_call_id": call.id, "content": "three lines"},
        ]
        answered = await self.ask(client, "", stream, messages=messages, tools=[OPENAI_TOOL])
        assert answered.choices[0].finish_reason == "stop"
        assert "> three lines" in answered.choices[0].message.content

    @both_ways
    async def test_refusals(self, client: Any, stream: bool) -> None:
        def prompts(system: str) -> list[dict[str, str]]:
            return [{"role": "system", "content": system}, {"role": "user", "content": "hi"}]

        with pytest.raises(openai.InternalServerError, match="Overloaded"):
            await self.ask(client, "", stream, messages=prompts(FINGERPRINT))
        with pytest.raises(openai.APIError, match="not supported"):
            await self.ask(client, "", stream, messages=prompts(CLINE))

    async def test_an_error_in_mid_stream(self, client: Any) -> None:
        with pytest.raises(openai.APIError, match="/opt/windsurf"):
            await self.ask(client, "error", True)

    @both_ways
    async def test_an_abort(self, client: Any, stream: bool) -> None:
        with pytest.raises((openai.APIConnectionError, httpx.TransportError)):
            await self.ask(client, "abort", stream)

    async def test_models(self, client: Any) -> None:
        assert [model.id async for model in client.models.list()] == [*MODELS]
        assert (await client.models.retrieve("any")).id == "any"
