from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from mitmproxy_windsurf.upstream.translate.model import (
    Arguments,
    Asked,
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
)
from mitmproxy_windsurf.upstream.translate.openai_chat import OpenAIChatDialect
from upstream.demo.streams import chat_completion
from upstream.translate.answers import frames_of, read

CHAT = OpenAIChatDialect()
STARTED = Started("chatcmpl-1", "qwen3", 7)
ANSWER: list[Event] = [
    STARTED,
    Thinking(0, "hm"),
    Text(0, "a"),
    Text(0, "b"),
    ToolCall(0, 0, "t", "read"),
    Arguments(0, 0, '{"p"'),
    Arguments(0, 0, ":1}"),
    Finished(0, "tool_calls"),
    Usage(9, 4, 6, 1),
]


def written(events: Sequence[Event], **body: Any) -> bytes:
    asked = Asked({"model": "m", **body})
    writer = CHAT.writer(asked, CHAT.request(asked))
    return b"".join(map(writer.feed, events)) + writer.end()


def whole(events: Sequence[Event]) -> Json:
    asked = Asked({"model": "m"})
    return CHAT.whole(asked, CHAT.request(asked), events)


def test_a_request_passes_as_it_is() -> None:
    body = {
        "model": "m",
        "messages": [{"role": "user", "content": "hi", "x": 1}],
        "n": 2,
        "stream": True,
        "chat_template_kwargs": {"enable_thinking": True},
    }
    chat = CHAT.request(Asked(body))
    assert (chat.body, chat.stream) == (body, True)


def test_the_developer_is_the_system_to_every_backend() -> None:
    messages = [{"role": "developer", "content": "be brief"}, {"role": "user", "content": "hi"}]
    body = {"model": "m", "messages": messages}
    chat = CHAT.request(Asked(body))
    assert chat.body["messages"] == [{"role": "system", "content": "be brief"}, messages[1]]
    assert messages[0]["role"] == "developer"


@pytest.mark.parametrize("messages", [None, "hi", ["hi"]])
def test_what_is_wrong_with_a_request_is_for_the_backend_to_say(messages: Any) -> None:
    assert CHAT.request(Asked({"messages": messages})).body == {"messages": messages}


def test_answers_may_be_relayed() -> None:
    assert CHAT.relays


def test_a_streamed_answer_and_a_whole_one_are_the_same_completion() -> None:
    streamed = chat_completion(written(ANSWER, stream_options={"include_usage": True}))
    assert streamed == whole(ANSWER)
    message = streamed["choices"][0]["message"]
    assert (message["reasoning_content"], message["content"]) == ("hm", "ab")
    assert streamed["usage"]["total_tokens"] == 13


def test_what_is_written_is_read_as_the_same_events() -> None:
    refused: list[Event] = [STARTED, Refusal(0, "no"), Text(1, "yes")]
    refused += [Finished(0, "stop", "END"), Finished(1, "length")]
    assert read([written(refused)]) == refused
    assert read([written(ANSWER, stream_options={"include_usage": True})]) == ANSWER


def test_usage_comes_only_when_it_was_asked_for() -> None:
    assert read([written(ANSWER)]) == ANSWER[:-1]


def test_a_failure_is_an_error_and_no_done() -> None:
    writer = CHAT.writer(Asked({}), CHAT.request(Asked({})))
    [(_, document)] = frames_of(writer.feed(Failure(429, "slow down", code="c", place="n")))
    error = {"message": "slow down", "type": "rate_limit_error", "param": "n", "code": "c"}
    assert (
        document == {"error": error} == CHAT.error(Failure(429, "slow down", code="c", place="n"))
    )


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (Failure(400, "no"), "invalid_request_error"),
        (Failure(500, "no"), "server_error"),
        (Failure(500, "no", "api_error"), "api_error"),
    ],
)
def test_an_error_has_a_type(failure: Failure, kind: str) -> None:
    assert CHAT.error(failure)["error"]["type"] == kind


def test_models_are_as_the_backend_describes_them() -> None:
    model = {"id": "qwen3", "object": "model", "meta": {"n_ctx": 4096}}
    assert CHAT.models([model]) == {"object": "list", "data": [CHAT.model(model)]}
    assert CHAT.model(model) == model
    assert CHAT.count(3) == {"input_tokens": 3}
