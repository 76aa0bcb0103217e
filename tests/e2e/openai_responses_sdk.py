"""OpenAI's SDK, asking for responses."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

import pytest

from e2e.conversation import KEY, MODEL, Answer, Client, Question

openai: Any = pytest.importorskip("openai")
httpx: Any = pytest.importorskip("httpx2")


class ResponsesClient(Client):
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
        arguments = {"model": MODEL, "max_output_tokens": question.limit, **_arguments(question)}
        create = self._client.responses.create
        if not stream:
            return _answer(await create(**arguments))
        response, deltas = None, ""
        pieces = await create(**arguments, stream=True)
        async with pieces:
            async for event in pieces:
                if event.type == "response.output_text.delta":
                    deltas += event.delta
                elif event.type in ("response.completed", "response.incomplete"):
                    response = event.response
                elif event.type == "response.failed":
                    raise openai.APIError(event.response.error.message, None, body=None)
        assert response, "the stream has said how it ended"
        answer = _answer(response)
        assert answer.text == deltas
        return answer


def _answer(response: Any) -> Answer:
    usage = response.usage
    answer = Answer(end="stop", tokens=(usage.input_tokens, usage.output_tokens))
    for item in response.output:
        if item.type == "message":
            answer.text += "".join(part.text for part in item.content)
        elif item.type == "reasoning":
            answer.thinking += "".join(part.text for part in (*item.summary, *(item.content or ())))
        else:
            answer.calls.append((item.name, json.loads(item.arguments)))
    if answer.calls:
        answer.end = "calls"
    if response.status == "incomplete":
        assert response.incomplete_details.reason == "max_output_tokens"
        answer.end = "length"
    return answer


def _arguments(question: Question) -> dict[str, Any]:
    arguments: dict[str, Any] = {"input": _input(question), "store": False}
    if question.system:
        arguments["instructions"] = question.system
    if question.tools:
        arguments["tools"] = [
            {
                "type": "function",
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.schema,
                "strict": False,
            }
            for tool in question.tools
        ]
    if question.thinking:
        arguments["reasoning"] = {"effort": "low", "summary": "auto"}
    if question.schema:
        form = {"type": "json_schema", "name": "answer", "schema": question.schema, "strict": True}
        arguments["text"] = {"format": form}
    if question.stop:
        arguments["extra_body"] = {"stop": [*question.stop]}
    return arguments


def _input(question: Question) -> list[dict[str, Any]]:
    said: list[dict[str, Any]] = [{"type": "input_text", "text": question.prompt}]
    if question.image:
        url = f"data:image/png;base64,{b64encode(question.image).decode()}"
        said.append({"type": "input_image", "image_url": url, "detail": "auto"})
    items: list[dict[str, Any]] = [{"role": "user", "content": said}]
    for turn in question.turns:
        text = {"type": "output_text", "text": turn.text, "annotations": []}
        items.append({"type": "message", "role": "assistant", "content": [text]})
        items += [
            {
                "type": "function_call",
                "call_id": call.id,
                "name": call.name,
                "arguments": json.dumps(call.arguments),
            }
            for call in turn.calls
        ]
        items += [
            {"type": "function_call_output", "call_id": call.id, "output": result}
            for call, result in zip(turn.calls, turn.results, strict=True)
        ]
    return items
