"""OpenAI's SDK, asking for chat completions."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

import pytest

from e2e.conversation import KEY, MODEL, Answer, Client, End, Question

openai: Any = pytest.importorskip("openai")
httpx: Any = pytest.importorskip("httpx2")

ENDS: dict[str, End] = {"stop": "stop", "length": "length", "tool_calls": "calls"}


class ChatClient(Client):
    failed = openai.APIError
    broken = (openai.APIConnectionError, httpx.TransportError)

    def __init__(self, url: str) -> None:
        self._client = openai.AsyncOpenAI(base_url=f"{url}/v1", api_key=KEY, max_retries=0)

    async def close(self) -> None:
        await self._client.close()

    @staticmethod
    def status(error: Any) -> int:
        return int(error.status_code)

    async def ask(self, question: Question, *, stream: bool) -> Answer:
        arguments = {"model": MODEL, "max_tokens": question.limit, **_arguments(question)}
        create = self._client.chat.completions.create
        if not stream:
            completion = await create(**arguments)
            [choice] = completion.choices
            answer = Answer(end=ENDS[choice.finish_reason], tokens=_tokens(completion.usage))
            _add(answer, choice.message)
            answer.calls = [
                (call.function.name, json.loads(call.function.arguments))
                for call in choice.message.tool_calls or ()
            ]
            return answer
        answer = Answer()
        calls: dict[int, list[str]] = {}
        pieces = await create(**arguments, stream=True, stream_options={"include_usage": True})
        async with pieces:
            async for chunk in pieces:
                if chunk.usage:
                    answer.tokens = _tokens(chunk.usage)
                for choice in chunk.choices:
                    _add(answer, choice.delta)
                    if choice.finish_reason:
                        answer.end = ENDS[choice.finish_reason]
                    for call in choice.delta.tool_calls or ():
                        parts = calls.setdefault(call.index, ["", ""])
                        parts[0] += call.function.name or ""
                        parts[1] += call.function.arguments or ""
        answer.calls = [(name, json.loads(text)) for name, text in calls.values()]
        return answer


def _add(answer: Answer, said: Any) -> None:
    answer.text += said.content or ""
    answer.thinking += getattr(said, "reasoning_content", None) or ""


def _tokens(usage: Any) -> tuple[int, int]:
    return usage.prompt_tokens, usage.completion_tokens


def _arguments(question: Question) -> dict[str, Any]:
    arguments: dict[str, Any] = {"messages": _messages(question)}
    if question.tools:
        arguments["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.schema,
                },
            }
            for tool in question.tools
        ]
    if question.thinking:
        arguments["reasoning_effort"] = "low"
    if question.schema:
        form = {"name": "answer", "schema": question.schema, "strict": True}
        arguments["response_format"] = {"type": "json_schema", "json_schema": form}
    if question.stop:
        arguments["stop"] = [*question.stop]
    return arguments


def _messages(question: Question) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    if question.system:
        messages.append({"role": "system", "content": question.system})
    said: list[dict[str, Any]] = [{"type": "text", "text": question.prompt}]
    if question.image:
        url = f"data:image/png;base64,{b64encode(question.image).decode()}"
        said.append({"type": "image_url", "image_url": {"url": url}})
    messages.append({"role": "user", "content": said})
    for turn in question.turns:
        calls = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(call.arguments)},
            }
            for call in turn.calls
        ]
        messages.append({"role": "assistant", "content": turn.text, "tool_calls": calls})
        messages += [
            {"role": "tool", "tool_call_id": call.id, "content": result}
            for call, result in zip(turn.calls, turn.results, strict=True)
        ]
    return messages
