"""OpenAI Chat Completions, as most local servers speak it: reasoning in `reasoning_content`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mitmproxy_windsurf.upstream.demo.ask import (
    Ask,
    Json,
    Rejected,
    Tool,
    asked,
    descriptions,
    model_of,
    objects,
    texts,
)
from mitmproxy_windsurf.upstream.demo.parts import (
    JSON_CUTS,
    Answer,
    Call,
    Cut,
    Failure,
    Text,
    Thinking,
    pieces,
)
from mitmproxy_windsurf.upstream.sse import sse
from mitmproxy_windsurf.upstream.tokens import tokens_of
from mitmproxy_windsurf.wire.thinking import wants_thinking

PROMPT_ROLES = ("system", "developer")
DONE = b"data: [DONE]\n\n"

CREATED = 1_767_225_600
"""When every answer and model was made: the same request gets the same bytes."""


def read(body: Json) -> Ask:
    messages = objects(body.get("messages"))
    turns = [turn for turn in messages if turn.get("role") not in PROMPT_ROLES]
    if not turns:
        raise Rejected(400, "invalid_request_error", "messages: at least one is required")
    if body.get("n") not in (None, 1):
        raise Rejected(400, "invalid_request_error", "n: the demo backend gives one answer")
    prompts = [turn for turn in messages if turn.get("role") in PROMPT_ROLES]
    options = objects([body.get("stream_options")])
    return Ask(
        model=model_of(body),
        prompt=asked([texts(turn.get("content")) for turn in turns if is_user(turn)]),
        system="\n".join("".join(texts(prompt.get("content"))) for prompt in prompts),
        tool_text=descriptions([body.get("tools"), body.get("functions")]),
        tools=() if body.get("tool_choice") == "none" else tuple(tools(body)),
        results=results(turns),
        stream=body.get("stream") is True,
        want_thinking=wants_thinking("openai_chat", body),
        include_usage=any(option.get("include_usage") is True for option in options),
        tokens=tokens_of(body),
    )


def frames(answer: Answer) -> Iterator[bytes]:
    base, break_off, calls = frame(answer), answer.break_off, 0
    if answer.content:
        yield chunk(base, {"role": "assistant", "content": ""})
    for part in answer.content:
        match part:
            case Thinking(text):
                for piece in pieces(text):
                    yield chunk(base, {"reasoning_content": piece})
            case Text(text):
                for piece in pieces(text):
                    yield chunk(base, {"content": piece})
            case Call():
                for call in fragments(answer, part, calls):
                    yield chunk(base, {"tool_calls": [call]})
                calls += 1
    if isinstance(break_off, Cut):
        return
    if isinstance(break_off, Failure):
        yield sse(error(break_off))
    else:
        yield chunk(base, {}, finish_reason(answer))
        if answer.include_usage:
            yield sse({**base, "choices": [], "usage": usage(answer)})
    yield DONE


def whole(answer: Answer) -> Json:
    choice = {
        "index": 0,
        "message": message(answer),
        "logprobs": None,
        "finish_reason": finish_reason(answer),
    }
    head = {**frame(answer), "object": "chat.completion"}
    return {**head, "choices": [choice], "usage": usage(answer)}


def error(failure: Failure) -> Json:
    members = {"message": failure.message, "type": failure.kind, "param": None, "code": None}
    return {"error": members}


def models(names: Sequence[str]) -> Json:
    return {"object": "list", "data": [model(name) for name in names]}


def model(name: str) -> Json:
    return {"id": name, "object": "model", "created": CREATED, "owned_by": "demo"}


def is_user(turn: Json) -> bool:
    return turn.get("role") == "user"


def tools(body: Json) -> Iterator[Tool]:
    for tool in objects(body.get("tools")):
        for function in objects([tool.get("function")]):
            schema = function.get("parameters")
            if isinstance(function.get("name"), str):
                yield Tool(function["name"], schema if isinstance(schema, dict) else {})


def results(turns: Sequence[Json]) -> tuple[str, ...]:
    """The tool results at the end, in their order."""
    found: list[str] = []
    for turn in reversed(turns):
        if turn.get("role") != "tool":
            break
        found.append("\n".join(texts(turn.get("content"))) or "(nothing)")
    return tuple(reversed(found))


def frame(answer: Answer) -> Json:
    """What all chunks of a stream have in common."""
    common: Json = {
        "id": answer.identifier("chatcmpl-"),
        "object": "chat.completion.chunk",
        "created": CREATED,
        "model": answer.model,
    }
    return {**common, "usage": None} if answer.include_usage else common


def chunk(base: Json, delta: Json, reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
    return sse({**base, "choices": [choice]})


def fragments(answer: Answer, call: Call, index: int) -> Iterator[Json]:
    """Id and name come with the first fragment only."""
    yield {"index": index, **tool_call(answer, call, index, arguments="")}
    for piece in pieces(call.arguments, JSON_CUTS):
        yield {"index": index, "function": {"arguments": piece}}


def tool_call(answer: Answer, call: Call, index: int, *, arguments: str) -> Json:
    return {
        "id": answer.identifier("call_", index),
        "type": "function",
        "function": {"name": call.name, "arguments": arguments},
    }


def message(answer: Answer) -> Json:
    content = answer.content
    text = "".join(part.text for part in content if isinstance(part, Text))
    reasoning = "".join(part.text for part in content if isinstance(part, Thinking))
    calls = [part for part in content if isinstance(part, Call)]
    made: Json = {"role": "assistant", "content": text or None, "refusal": None}
    if reasoning:
        made["reasoning_content"] = reasoning
    if calls:
        made["tool_calls"] = [
            tool_call(answer, call, index, arguments=call.arguments)
            for index, call in enumerate(calls)
        ]
    return made


def finish_reason(answer: Answer) -> str:
    return "tool_calls" if answer.calls_tools else "stop"


def usage(answer: Answer) -> Json:
    return {
        "prompt_tokens": answer.prompt_tokens,
        "completion_tokens": answer.output_tokens,
        "total_tokens": answer.prompt_tokens + answer.output_tokens,
        "prompt_tokens_details": {"cached_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": answer.thinking_tokens},
    }
