"""Anthropic Messages, as a local server speaks it: thinking blocks come without a signature."""

from __future__ import annotations

import json
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
    tokens_of,
)
from mitmproxy_windsurf.upstream.demo.dialect import CREATED_TEXT, sse
from mitmproxy_windsurf.upstream.demo.parts import (
    JSON_CUTS,
    Answer,
    Call,
    Content,
    Failure,
    Text,
    Thinking,
    pieces,
)
from mitmproxy_windsurf.wire.thinking import wants_thinking

TURN_ROLES = ("user", "assistant")


class Anthropic:
    request_id = "request-id"

    def read(self, body: Json) -> Ask:
        messages = objects(body.get("messages"))
        turns = [turn for turn in messages if turn.get("role") in TURN_ROLES]
        if not turns:
            raise Rejected(400, "invalid_request_error", "messages: at least one is required")
        system = [turn.get("content") for turn in messages if turn.get("role") not in TURN_ROLES]
        prompts = [body.get("system"), *system]
        choice = body.get("tool_choice")
        no_tools = isinstance(choice, dict) and choice.get("type") == "none"
        return Ask(
            model=model_of(body),
            prompt=asked([texts(turn.get("content")) for turn in turns if is_user(turn)]),
            system="\n".join("".join(texts(prompt)) for prompt in prompts),
            tool_text=descriptions(body.get("tools")),
            tools=() if no_tools else tuple(tools(body)),
            results=results(turns[-1]),
            stream=body.get("stream") is True,
            want_thinking=wants_thinking("anthropic", body),
            tokens=tokens_of(body),
        )

    def frames(self, answer: Answer) -> Iterator[bytes]:
        content, break_off = answer.content, answer.break_off
        if content:
            yield event("message_start", message=message(answer, started=True))
        for index, part in enumerate(content):
            if index:
                yield event("content_block_stop", index=index - 1)
            block_start = opening(answer, index, part)
            yield event("content_block_start", index=index, content_block=block_start)
            if index == 0:
                yield event("ping")
            for delta in deltas(part):
                yield event("content_block_delta", index=index, delta=delta)
        if isinstance(break_off, Failure):
            yield event("error", error={"type": break_off.kind, "message": break_off.message})
        if break_off is not None:
            return
        yield event("content_block_stop", index=len(content) - 1)
        yield event(
            "message_delta",
            delta={"stop_reason": stop_reason(answer), "stop_sequence": None},
            usage={"output_tokens": answer.output_tokens},
        )
        yield event("message_stop")

    def whole(self, answer: Answer) -> Json:
        return message(answer, started=False)

    def error(self, failure: Failure) -> Json:
        return {"type": "error", "error": {"type": failure.kind, "message": failure.message}}

    def models(self, names: Sequence[str]) -> Json:
        data = [self.model(name) for name in names]
        return {"data": data, "has_more": False, "first_id": names[0], "last_id": names[-1]}

    def model(self, name: str) -> Json:
        return {
            "type": "model",
            "id": name,
            "display_name": name,
            "created_at": CREATED_TEXT,
            "lifecycle": "active",
        }


def is_user(turn: Json) -> bool:
    return turn.get("role") == "user"


def tools(body: Json) -> Iterator[Tool]:
    for tool in objects(body.get("tools")):
        schema = tool.get("input_schema")
        if isinstance(tool.get("name"), str):
            yield Tool(tool["name"], schema if isinstance(schema, dict) else {})


def results(turn: Json) -> tuple[str, ...]:
    """The tool results of a turn in which the user adds nothing."""
    blocks = objects(turn.get("content"))
    found = [block for block in blocks if block.get("type") == "tool_result"]
    if not found or asked([texts(blocks)]):
        return ()
    return tuple("\n".join(texts(block.get("content"))) or "(nothing)" for block in found)


def event(name: str, **members: object) -> bytes:
    return sse({"type": name, **members}, name)


def message(answer: Answer, *, started: bool) -> Json:
    """The message as it begins, or as it is in the end."""
    parts = [] if started else answer.content
    content = [block(answer, index, part) for index, part in enumerate(parts)]
    return {
        "id": answer.identifier("msg_"),
        "type": "message",
        "role": "assistant",
        "model": answer.model,
        "content": content,
        "stop_reason": None if started else stop_reason(answer),
        "stop_sequence": None,
        "usage": {
            "input_tokens": answer.prompt_tokens,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": 1 if started else answer.output_tokens,
        },
    }


def stop_reason(answer: Answer) -> str:
    return "tool_use" if answer.calls_tools else "end_turn"


def opening(answer: Answer, index: int, part: Content) -> Json:
    """A content block without its content."""
    match part:
        case Thinking():
            return {"type": "thinking", "thinking": "", "signature": ""}
        case Call(name=name):
            identifier = answer.identifier("toolu_", index)
            return {"type": "tool_use", "id": identifier, "name": name, "input": {}}
        case Text():
            return {"type": "text", "text": ""}


def block(answer: Answer, index: int, part: Content) -> Json:
    content: Json
    match part:
        case Thinking(text):
            content = {"thinking": text}
        case Text(text):
            content = {"text": text}
        case Call(arguments=arguments):
            content = {"input": json.loads(arguments)}
    return {**opening(answer, index, part), **content}


def deltas(part: Content) -> Iterator[Json]:
    match part:
        case Thinking(text):
            for piece in pieces(text):
                yield {"type": "thinking_delta", "thinking": piece}
        case Text(text):
            for piece in pieces(text):
                yield {"type": "text_delta", "text": piece}
        case Call(arguments=arguments):
            for piece in ("", *pieces(arguments, JSON_CUTS)):
                yield {"type": "input_json_delta", "partial_json": piece}
