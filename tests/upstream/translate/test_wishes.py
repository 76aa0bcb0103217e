from __future__ import annotations

import pytest

from mitmproxy_windsurf.upstream.translate.model import ChatRequest, Failure
from mitmproxy_windsurf.upstream.translate.wishes import granted

CHAT = ChatRequest(
    {
        "model": "m",
        "messages": [{"role": "assistant", "content": "a", "reasoning_content": "hm"}, "odd"],
        "reasoning_effort": "high",
        "user": "u",
    },
    ignored=("speed",),
    wishes=("reasoning_effort", "reasoning_content", "user"),
)


@pytest.mark.parametrize(
    ("failure", "name"),
    [
        (
            Failure(400, "Unrecognized request argument supplied: reasoning_effort"),
            "reasoning_effort",
        ),
        (Failure(400, '"qwen2.5" does not support thinking'), "reasoning_effort"),
        (Failure(400, "no", place="reasoning_effort"), "reasoning_effort"),
        (Failure(422, "Invalid 'user': string too long"), "user"),
        (Failure(400, "no", place="user"), "user"),
    ],
)
def test_a_member_that_a_backend_refuses_is_left_out(failure: Failure, name: str) -> None:
    again = granted(CHAT, failure)
    assert again is not None
    assert again.body == {key: value for key, value in CHAT.body.items() if key != name}
    assert again.ignored == ("speed", name)
    assert name not in again.wishes
    assert granted(again, failure) is None


def test_reasoning_is_left_out_of_the_messages() -> None:
    failure = Failure(400, "property 'messages.1.reasoning_content' is unsupported")
    again = granted(CHAT, failure)
    assert again is not None
    assert again.body["messages"] == [{"role": "assistant", "content": "a"}, "odd"]
    assert CHAT.body["messages"][0]["reasoning_content"] == "hm"


@pytest.mark.parametrize(
    "failure",
    [
        Failure(400, "conversation roles must alternate user and assistant"),
        Failure(400, "max_tokens is too large"),
        Failure(500, "reasoning_effort"),
    ],
)
def test_other_failures_stand(failure: Failure) -> None:
    assert granted(CHAT, failure) is None
