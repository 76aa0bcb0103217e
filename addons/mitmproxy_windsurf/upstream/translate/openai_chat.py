"""OpenAI Chat Completions on both sides: the client gets what the backend says, byte for byte.

Where the backend's answer has to be read all the same, as for `<think>` tags, it is written anew
out of its events. Reasoning goes as `reasoning_content` then, the name that most clients know.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from mitmproxy_windsurf.upstream.sse import CONTENT_TYPE, sse
from mitmproxy_windsurf.upstream.translate.answer import (
    CallPart,
    Choice,
    RefusalPart,
    TextPart,
    ThinkingPart,
    put_together,
)
from mitmproxy_windsurf.upstream.translate.model import (
    Arguments,
    Asked,
    ChatRequest,
    Event,
    Failure,
    Finished,
    Json,
    Refusal,
    Started,
    Text,
    Thinking,
    ToolCall,
    Usage,
    Writer,
)

DONE = b"data: [DONE]\n\n"

ERRORS = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
}


class OpenAIChatDialect:
    """A model.Dialect."""

    relays = True

    def request(self, asked: Asked) -> ChatRequest:
        """The request as it is, but for the role `developer`: OpenAI takes `system` for it, and
        the chat templates of local models leave out roles that they do not know."""
        body = dict(asked.body)
        if isinstance(messages := body.get("messages"), list):
            body["messages"] = [_known_role(message) for message in messages]
        return ChatRequest(body, stream=body.get("stream") is True)

    def writer(self, asked: Asked, chat: ChatRequest) -> Writer:
        options = asked.body.get("stream_options")
        wants_usage = isinstance(options, dict) and options.get("include_usage") is True
        return OpenAIChatStream(chat.model, include_usage=wants_usage)

    def whole(self, asked: Asked, chat: ChatRequest, events: Iterable[Event]) -> Json:
        answer = put_together(events)
        completion = {
            **_head(answer.started, chat.model),
            "object": "chat.completion",
            "choices": [_choice(index, choice) for index, choice in sorted(answer.choices.items())],
        }
        return completion | ({"usage": _usage(answer.usage)} if answer.usage else {})

    def error(self, failure: Failure) -> Json:
        return _error(failure)

    def models(self, models: Sequence[Json]) -> Json:
        return {"object": "list", "data": list(models)}

    def model(self, model: Json) -> Json:
        return model

    def count(self, tokens: int) -> Json:
        """Chat has no such route; the member is named as in the protocols that have one."""
        return {"input_tokens": tokens}


class OpenAIChatStream:
    """A model.Writer."""

    content_type = CONTENT_TYPE

    def __init__(self, model: str, *, include_usage: bool) -> None:
        self._model = model
        self._include_usage = include_usage
        self._head: Json = {}
        self._begun: set[int] = set()

    def feed(self, event: Event) -> bytes:
        match event:
            case Started():
                self._head = _head(event, self._model)
                return b""
            case Finished(choice, reason, stop):
                return self._chunk(choice, {}, finish_reason=reason, **_stop(stop))
            case Usage():
                return self._usage(event)
            case Failure():
                return sse(_error(event))
        return self._chunk(event.choice, _delta(event), finish_reason=None)

    def end(self) -> bytes:
        return DONE

    def _chunk(self, choice: int, delta: Json, **members: Any) -> bytes:
        if choice not in self._begun:
            self._begun.add(choice)
            delta = {"role": "assistant", **delta}
        return sse({**self._head, "choices": [{"index": choice, "delta": delta, **members}]})

    def _usage(self, usage: Usage) -> bytes:
        return (
            sse({**self._head, "choices": [], "usage": _usage(usage)})
            if self._include_usage
            else b""
        )


def _known_role(message: Any) -> Any:
    if isinstance(message, dict) and message.get("role") == "developer":
        return {**message, "role": "system"}
    return message


def _head(started: Started, model: str) -> Json:
    return {
        "id": started.id,
        "object": "chat.completion.chunk",
        "created": started.created,
        "model": started.model or model,
    }


def _delta(event: Text | Thinking | Refusal | ToolCall | Arguments) -> Json:
    match event:
        case Text(_, text):
            return {"content": text}
        case Thinking(_, text):
            return {"reasoning_content": text}
        case Refusal(_, text):
            return {"refusal": text}
        case ToolCall(_, index, id, name):
            return {"tool_calls": [{"index": index, **_call(CallPart(index, id, name))}]}
        case Arguments(_, index, text):
            return {"tool_calls": [{"index": index, "function": {"arguments": text}}]}


def _choice(index: int, choice: Choice) -> Json:
    finished = choice.finished
    message: Json = {
        "role": "assistant",
        "content": choice.joined(TextPart) or None,
        "refusal": choice.joined(RefusalPart) or None,
    }
    if thought := choice.joined(ThinkingPart):
        message["reasoning_content"] = thought
    if choice.calls:
        message["tool_calls"] = [_call(call) for call in choice.calls]
    reason = finished.reason if finished else "stop"
    return {
        "index": index,
        "message": message,
        "finish_reason": reason,
        **_stop(finished.stop if finished else None),
    }


def _call(call: CallPart) -> Json:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id, "type": "function", "function": function}


def _stop(stop: str | None) -> Json:
    """vLLM's name for the stop sequence that was met."""
    return {} if stop is None else {"stop_reason": stop}


def _usage(usage: Usage) -> Json:
    return {
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.completion,
        "total_tokens": usage.prompt + usage.completion,
        "prompt_tokens_details": {"cached_tokens": usage.cached},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
    }


def _error(failure: Failure) -> Json:
    kind = "server_error" if failure.status >= 500 else "invalid_request_error"
    members = {
        "message": failure.message,
        "type": failure.kind or ERRORS.get(failure.status, kind),
        "param": failure.place,
        "code": failure.code,
    }
    return {"error": members}
