from __future__ import annotations

from typing import Any

import pytest

from mitmproxy_windsurf.upstream.translate.model import Json, Refused
from mitmproxy_windsurf.upstream.translate.openai_responses_request import chat_request
from mitmproxy_windsurf.upstream.translate.sealed_thought import seal

PNG = "data:image/png;base64,AAAA"


def messages(given: Any, **body: Any) -> list[Json]:
    found: list[Json] = chat_request({"model": "m", "input": given, **body}).body["messages"]
    return found


def user(text: str) -> Json:
    return {"role": "user", "content": text}


def call(name: str = "f", id: str = "c", **members: Any) -> Json:
    return {"type": "function_call", "call_id": id, "name": name, "arguments": "{}", **members}


def output(said: Any, id: str = "c") -> Json:
    return {"type": "function_call_output", "call_id": id, "output": said}


def test_a_string_is_what_the_user_says() -> None:
    assert messages("hi", instructions="be kind") == [
        {"role": "system", "content": "be kind"},
        user("hi"),
    ]


@pytest.mark.parametrize(
    "item",
    [
        {"role": "user", "content": "hi"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]},
    ],
)
def test_messages_have_a_type_or_none(item: Json) -> None:
    assert messages([item]) == [user("hi")]


def test_system_prompts_side_by_side_are_one() -> None:
    given = [
        {"role": "developer", "content": "two"},
        {"role": "system", "content": [{"type": "input_text", "text": "three"}]},
        user("hi"),
        {"role": "developer", "content": "later"},
    ]
    assert messages(given, instructions="one") == [
        {"role": "system", "content": "one\n\ntwo\n\nthree"},
        user("hi"),
        {"role": "system", "content": "later"},
    ]


def test_reasoning_text_and_calls_are_one_message() -> None:
    given = [
        user("hi"),
        {"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "hm"}]},
        {"role": "assistant", "content": [{"type": "output_text", "text": "a"}]},
        call("f", "c1"),
        call("g", "c2"),
        output("one", "c1"),
        output([{"type": "input_text", "text": "two"}], "c2"),
        {"role": "assistant", "content": "done"},
    ]
    function = {"name": "f", "arguments": "{}"}
    assert messages(given) == [
        user("hi"),
        {
            "role": "assistant",
            "content": "a",
            "reasoning_content": "hm",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": function},
                {"id": "c2", "type": "function", "function": {**function, "name": "g"}},
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "one"},
        {"role": "tool", "tool_call_id": "c2", "content": "two"},
        {"role": "assistant", "content": "done"},
    ]


@pytest.mark.parametrize(
    ("item", "thought"),
    [
        ({"summary": [{"type": "summary_text", "text": "s"}], "encrypted_content": None}, "s"),
        ({"summary": [], "content": [{"type": "reasoning_text", "text": "raw"}]}, "raw"),
        ({"summary": [{"type": "summary_text", "text": "s"}], "encrypted_content": seal("t")}, "t"),
    ],
)
def test_the_model_gets_its_reasoning_back(item: Json, thought: str) -> None:
    given = [user("hi"), {"type": "reasoning", "id": "r", **item}, call()]
    assert messages(given)[1]["reasoning_content"] == thought


def test_reasoning_that_only_others_can_read_says_nothing() -> None:
    given = [{"type": "reasoning", "summary": [], "encrypted_content": "gAAAA"}, user("hi")]
    assert messages(given) == [user("hi")]


def test_images_of_results_follow_all_results() -> None:
    image = {"type": "input_image", "image_url": PNG, "detail": "high"}
    given = [user("hi"), call("f", "c1"), call("g", "c2")]
    given += [output([image], "c1"), output("two", "c2"), user("and?")]
    *_, one, two, files = messages(given)
    assert one == {
        "role": "tool",
        "tool_call_id": "c1",
        "content": "The result follows in the next message.",
    }
    assert two["content"] == "two"
    assert files == {
        "role": "user",
        "content": [
            {"type": "text", "text": "From the result of the tool call c1:"},
            {"type": "image_url", "image_url": {"url": PNG, "detail": "high"}},
            {"type": "text", "text": "and?"},
        ],
    }


def test_images_of_the_last_result_are_not_lost() -> None:
    given = [user("hi"), call(), output([{"type": "input_image", "image_url": PNG}])]
    assert messages(given)[-1]["role"] == "user"


def test_files_audio_and_refusals() -> None:
    audio = {"data": "AAAA", "format": "wav"}
    parts: list[Json] = [
        {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,AA"},
        {"type": "input_audio", "input_audio": audio},
    ]
    refusal = [{"type": "refusal", "refusal": "no"}]
    given = [{"role": "user", "content": parts}, {"role": "assistant", "content": refusal}]
    said, refused = messages(given)
    assert said["content"] == [
        {
            "type": "file",
            "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,AA"},
        },
        {"type": "input_audio", "input_audio": audio},
    ]
    assert refused == {"role": "assistant", "content": "no"}


def test_calls_of_custom_tools_and_searches() -> None:
    given = [
        user("hi"),
        {"type": "custom_tool_call", "call_id": "c", "name": "apply_patch", "input": "é\n"},
        {"type": "custom_tool_call_output", "call_id": "c", "output": "ok"},
        {"type": "tool_search_call", "call_id": "s", "arguments": {"query": "x"}},
        {
            "type": "tool_search_output",
            "call_id": "s",
            "tools": [{"type": "function", "name": "g"}],
        },
    ]
    _, patch, done, search, found = messages(given)
    assert patch["tool_calls"][0]["function"] == {
        "name": "apply_patch",
        "arguments": '{"input":"é\\n"}',
    }
    assert done == {"role": "tool", "tool_call_id": "c", "content": "ok"}
    function = {"name": "tool_search", "arguments": '{"query":"x"}'}
    assert search["tool_calls"] == [{"id": "s", "type": "function", "function": function}]
    assert (found["tool_call_id"], found["content"]) == ("s", "Tools that can be called now: g")


def test_what_openai_did_beside_the_conversation_is_left_out() -> None:
    given = [user("hi"), {"type": "web_search_call", "id": "w", "action": {}}]
    chat = chat_request({"model": "m", "input": given})
    assert chat.body["messages"] == [user("hi")]
    assert chat.ignored == ("input[1] (web_search_call)",)


@pytest.mark.parametrize(
    ("item", "place"),
    [
        ({"type": "item_reference", "id": "x"}, "input[0].type"),
        ({"type": "compaction", "encrypted_content": "x"}, "input[0].type"),
        ({"type": "computer_call"}, "input[0].type"),
        ({"role": "tool", "content": "x"}, "input[0].role"),
        ({"role": "user", "content": [{"type": "video"}]}, "input[0].content[0].type"),
        (
            {"role": "user", "content": [{"type": "input_image", "file_id": "f"}]},
            "input[0].content[0].file_id",
        ),
        (
            {"role": "user", "content": [{"type": "input_file", "file_url": "http://x"}]},
            "input[0].content[0].file_url",
        ),
        ({"type": "function_call", "name": "f", "arguments": "{}"}, "input[0].call_id"),
        ({"type": "function_call", "call_id": "c", "name": "f", "arguments": {}}, "input[0].arg"),
        ("hi", "input[0]"),
    ],
)
def test_what_cannot_be_said_is_refused_by_its_place(item: Any, place: str) -> None:
    with pytest.raises(Refused) as refused:
        messages([item])
    assert refused.value.place.startswith(place)


@pytest.mark.parametrize("given", [None, []])
def test_an_input_has_to_hold_something(given: Any) -> None:
    with pytest.raises(Refused, match="at least one item"):
        messages(given)
