"""Text completions: chunks, llama.cpp's own ones, and chunks of our own."""

import pytest

from mitmproxy_windsurf.wire import openai_completions
from mitmproxy_windsurf.wire.openai_completions import delta, read, read_whole, slot
from mitmproxy_windsurf.wire.parts import ALL, Extra, Json, Key, Part

KEY = Key(0, "text")


def test_a_prompt_is_nobody_s_system_prompt() -> None:
    body = {"model": "m", "prompt": "You are Claude Code.", "suffix": ""}
    assert not list(openai_completions.prompts(body))
    assert not list(openai_completions.signed_thoughts(body))


def test_choices_are_told_by_their_index() -> None:
    choices: list[Json] = [
        {"index": 1, "text": "a", "finish_reason": None},
        {"text": "b", "finish_reason": "stop"},
    ]
    reading = read({"choices": [*choices, None]})
    assert reading.parts == [
        Part("text", "a", (("choices", 0, "text"),), Key(1, "text")),
        Part("text", "b", (("choices", 1, "text"),), Key(1, "text")),
    ]
    assert reading.ended == [(1, ALL)]
    [whole] = read_whole({"choices": choices})
    assert whole.parts == reading.parts
    assert whole.ended == [(ALL, ALL)]


def test_all_arrays_beside_a_text_repeat_its_tokens() -> None:
    logprobs: Json = {
        "tokens": [],
        "token_logprobs": [],
        "text_offset": [],
        "content": [],
        "x": None,
    }
    assert read({"choices": [{"index": 2, "logprobs": logprobs}]}).tokens == [
        (2, "text", ("choices", 0, "logprobs", name))
        for name in ("tokens", "token_logprobs", "text_offset", "content")
    ]


def test_llamacpp_has_no_choices() -> None:
    document = {"index": 1, "content": "a", "stop": False, "completion_probabilities": [{}]}
    reading = read(document)
    key = Key(1, "text")
    assert reading.parts == [Part("text", "a", (("content",),), key)]
    assert reading.tokens == [(1, "text", ("completion_probabilities",))]
    assert reading.ended == []
    assert read({**document, "stop": True}).ended == [(1, ALL)]
    like = {**document, "prompt": "p", "id_slot": 3}
    more = {"index": 1, "id_slot": 3, "content": "x", "stop": False}
    assert delta(key, "x", like) == Extra(None, more)


def test_an_error_breaks_the_answer() -> None:
    reading = read({"error": {"message": "x", "code": 500}})
    assert reading.parts == [Part("error", "x", (("error", "message"),))]
    assert reading.broken


@pytest.mark.parametrize(
    ("choice", "path"),
    [
        ({"index": 0, "text": None}, ("choices", 0, "text")),
        ({"delta": {}, "finish_reason": "stop"}, ("choices", 0, "text")),
        ({"index": 0, "text": "a"}, None),
        ({"index": 1}, None),
    ],
)
def test_more_text_rides_where_none_is(choice: Json, path: object) -> None:
    assert slot({"choices": [choice]}, KEY) == path


def test_one_more_chunk() -> None:
    like = {"id": "c", "model": "m", "usage": {}, "choices": [{"index": 0, "text": "a"}]}
    choice = {"text": "x", "index": 0, "logprobs": None, "finish_reason": None}
    assert delta(KEY, "x", like) == Extra(None, {"id": "c", "model": "m", "choices": [choice]})


@pytest.mark.parametrize(
    "document", [{}, {"choices": None}, {"choices": [{"text": 7, "logprobs": []}]}, {"content": 7}]
)
def test_nothing_to_read(document: Json) -> None:
    assert read(document).parts == []
