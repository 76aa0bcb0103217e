"""Anthropic's SDK."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest

from e2e.conversation import KEY, MODEL, Answer, Client, End, Question

anthropic: Any = pytest.importorskip("anthropic")
httpx: Any = pytest.importorskip("httpx2")

ENDS: dict[str, End] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "tool_use": "calls",
}


class AnthropicClient(Client):
    failed = anthropic.APIStatusError
    broken = (anthropic.APIConnectionError, httpx.TransportError)

    def __init__(self, url: str) -> None:
        self._client = anthropic.AsyncAnthropic(base_url=url, api_key=KEY, max_retries=0)

    async def close(self) -> None:
        await self._client.close()

    @staticmethod
    def status(error: Any) -> int:
        return int(error.status_code)

    async def ask(self, question: Question, *, stream: bool) -> Answer:
        arguments = {"model": MODEL, "max_tokens": question.limit, **_arguments(question)}
        if stream:
            async with self._client.messages.stream(**arguments) as pieces:
                message = await pieces.get_final_message()
        else:
            message = await self._client.messages.create(**arguments)
        usage = message.usage
        prompt = usage.input_tokens + (usage.cache_read_input_tokens or 0)
        answer = Answer(end=ENDS[message.stop_reason], tokens=(prompt, usage.output_tokens))
        for block in message.content:
            if block.type == "text":
                answer.text += block.text
            elif block.type == "thinking":
                answer.thinking += block.thinking
            else:
                answer.calls.append((block.name, block.input))
        return answer


def _arguments(question: Question) -> dict[str, Any]:
    arguments: dict[str, Any] = {"messages": _messages(question)}
    if question.system:
        arguments["system"] = question.system
    if question.tools:
        arguments["tools"] = [
            {"name": tool.name, "description": tool.description, "input_schema": tool.schema}
            for tool in question.tools
        ]
    if question.thinking:
        arguments["thinking"] = {"type": "enabled", "budget_tokens": 2048}
    if question.schema:
        form = {"type": "json_schema", "schema": question.schema}
        arguments["output_config"] = {"format": form}
    if question.stop:
        arguments["stop_sequences"] = [*question.stop]
    return arguments


def _messages(question: Question) -> list[dict[str, Any]]:
    said: list[dict[str, Any]] = [{"type": "text", "text": question.prompt}]
    if question.image:
        data = b64encode(question.image).decode()
        source = {"type": "base64", "media_type": "image/png", "data": data}
        said.append({"type": "image", "source": source})
    messages: list[dict[str, Any]] = [{"role": "user", "content": said}]
    for turn in question.turns:
        calls = [
            {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments}
            for call in turn.calls
        ]
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": result}
            for call, result in zip(turn.calls, turn.results, strict=True)
        ]
        content = [{"type": "text", "text": turn.text}, *calls]
        messages.append({"role": "assistant", "content": content})
        messages.append({"role": "user", "content": results})
    return messages
