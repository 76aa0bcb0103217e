"""Asks through the official SDKs and prints what they made of the answers, as JSON.

    python ask_sdks.py BASE_URL

Runs in an interpreter that has the SDKs, which is not always the one that runs the tests.
"""

import json
import sys
from typing import Any

import anthropic
import openai

PROMPTS = ("hello", "think", "double", "tool", "json", "chinese", "code", "paths", "who are you")
READ = {
    "type": "object",
    "properties": {"file_path": {"type": "string", "description": "The file to read."}},
    "required": ["file_path"],
}


def ask_anthropic(url: str, prompt: str, *, stream: bool) -> dict[str, Any]:
    client = anthropic.Anthropic(base_url=url, api_key="sk-none", max_retries=0)
    request: dict[str, Any] = {
        "model": "claude-opus-4-6",
        "max_tokens": 4096,
        "messages": [{"role": "user", "content": prompt}],
    }
    if prompt in ("think", "double"):
        request["thinking"] = {"type": "enabled", "budget_tokens": 1024}
    if prompt == "tool":
        request["tools"] = [{"name": "Read", "description": "Read a file.", "input_schema": READ}]
    if stream:
        with client.messages.stream(**request) as events:
            message = events.get_final_message()
    else:
        message = client.messages.create(**request)
    answer: dict[str, Any] = {"text": "", "thinking": "", "tools": [], "stop": message.stop_reason}
    for block in message.content:
        if block.type == "text":
            answer["text"] += block.text
        elif block.type == "thinking":
            answer["thinking"] += block.thinking
        elif block.type == "tool_use":
            answer["tools"].append([block.name, block.input])
    return answer


def ask_openai(url: str, prompt: str, *, stream: bool) -> dict[str, Any]:
    client = openai.OpenAI(base_url=f"{url}/v1", api_key="sk-none", max_retries=0)
    request: dict[str, Any] = {"model": "gpt-5", "messages": [{"role": "user", "content": prompt}]}
    if prompt in ("think", "double"):
        request["reasoning_effort"] = "high"
    if prompt == "tool":
        function = {"name": "Read", "description": "Read a file.", "parameters": READ}
        request["tools"] = [{"type": "function", "function": function}]
    if stream:
        return _gathered(client.chat.completions.create(**request, stream=True))
    choice = client.chat.completions.create(**request).choices[0]
    return {
        "text": choice.message.content or "",
        "thinking": getattr(choice.message, "reasoning_content", None) or "",
        "tools": [
            [call.function.name, json.loads(call.function.arguments)]
            for call in choice.message.tool_calls or ()
        ],
        "stop": choice.finish_reason,
    }


def _gathered(chunks: Any) -> dict[str, Any]:
    answer: dict[str, Any] = {"text": "", "thinking": "", "tools": [], "stop": None}
    calls: dict[int, list[str]] = {}
    for chunk in chunks:
        for choice in chunk.choices:
            answer["text"] += choice.delta.content or ""
            answer["thinking"] += getattr(choice.delta, "reasoning_content", None) or ""
            answer["stop"] = choice.finish_reason or answer["stop"]
            for call in choice.delta.tool_calls or ():
                name, arguments = calls.setdefault(call.index, ["", ""])
                name += call.function.name or ""
                arguments += call.function.arguments or ""
                calls[call.index] = [name, arguments]
    answer["tools"] = [[name, json.loads(arguments)] for name, arguments in calls.values()]
    return answer


def main() -> None:
    url = sys.argv[1]
    answers = {
        f"{name}, {'streamed' if stream else 'whole'}, {prompt}": ask(url, prompt, stream=stream)
        for name, ask in (("anthropic", ask_anthropic), ("openai", ask_openai))
        for prompt in PROMPTS
        for stream in (True, False)
    }
    json.dump(answers, sys.stdout)


main()
