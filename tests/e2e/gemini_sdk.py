"""Google's SDK for Gemini."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest

from e2e.conversation import KEY, MODEL, Answer, Client, End, Question

genai: Any = pytest.importorskip("google.genai")
httpx: Any = pytest.importorskip("httpx2")

ENDS: dict[str, End] = {"STOP": "stop", "MAX_TOKENS": "length"}


class GeminiClient(Client):
    failed = genai.errors.APIError
    broken = (httpx.TransportError,)

    def __init__(self, url: str) -> None:
        options = {"base_url": url, "api_version": "v1beta", "retry_options": {"attempts": 1}}
        self._client = genai.Client(api_key=KEY, http_options=options, vertexai=False)

    async def close(self) -> None:
        await self._client.aio.aclose()

    @staticmethod
    def status(error: Any) -> int:
        return int(error.code)

    async def ask(self, question: Question, *, stream: bool) -> Answer:
        arguments = {"model": MODEL, "contents": _contents(question), "config": _config(question)}
        models = self._client.aio.models
        answer = Answer()
        if stream:
            async for piece in await models.generate_content_stream(**arguments):
                _add(answer, piece)
        else:
            _add(answer, await models.generate_content(**arguments))
        if answer.calls and answer.end == "stop":
            answer.end = "calls"
        return answer


def _add(answer: Answer, response: Any) -> None:
    for candidate in response.candidates or ():
        for part in (candidate.content.parts if candidate.content else None) or ():
            if part.function_call:
                answer.calls.append((part.function_call.name, part.function_call.args))
            elif part.thought:
                answer.thinking += part.text
            else:
                answer.text += part.text or ""
        if candidate.finish_reason:
            answer.end = ENDS[candidate.finish_reason.name]
    if usage := response.usage_metadata:
        completion = (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0)
        answer.tokens = (usage.prompt_token_count, completion)


def _config(question: Question) -> dict[str, Any]:
    config: dict[str, Any] = {
        "max_output_tokens": question.limit,
        "automatic_function_calling": {"disable": True},
    }
    if question.system:
        config["system_instruction"] = question.system
    if question.tools:
        declared = [
            {
                "name": tool.name,
                "description": tool.description,
                "parameters_json_schema": tool.schema,
            }
            for tool in question.tools
        ]
        config["tools"] = [{"function_declarations": declared}]
    if question.thinking:
        config["thinking_config"] = {"include_thoughts": True, "thinking_budget": 2048}
    if question.schema:
        config["response_mime_type"] = "application/json"
        config["response_json_schema"] = question.schema
    if question.stop:
        config["stop_sequences"] = [*question.stop]
    return config


def _contents(question: Question) -> list[dict[str, Any]]:
    said: list[dict[str, Any]] = [{"text": question.prompt}]
    if question.image:
        data = b64encode(question.image).decode()
        said.append({"inline_data": {"mime_type": "image/png", "data": data}})
    contents: list[dict[str, Any]] = [{"role": "user", "parts": said}]
    for turn in question.turns:
        calls = [
            {"function_call": {"id": call.id, "name": call.name, "args": call.arguments}}
            for call in turn.calls
        ]
        results = [
            {
                "function_response": {
                    "id": call.id,
                    "name": call.name,
                    "response": {"output": result},
                }
            }
            for call, result in zip(turn.calls, turn.results, strict=True)
        ]
        contents.append({"role": "model", "parts": [{"text": turn.text}, *calls]})
        contents.append({"role": "user", "parts": results})
    return contents
