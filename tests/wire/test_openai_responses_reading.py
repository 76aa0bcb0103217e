"""The Responses API: what every event says, and a whole response."""

from typing import Any

import pytest

from mitmproxy_windsurf.wire import openai_responses
from mitmproxy_windsurf.wire.openai_responses_items import Place
from mitmproxy_windsurf.wire.parts import ALL, Channel, Citation, Json, Key, Part, Reading

AT: Json = {"output_index": 1, "item_id": "i", "sequence_number": 9}


def read(kind: str, **members: Any) -> Reading:
    return openai_responses.read({"type": kind, **members})


def key(channel: Channel, *place: Any) -> Key:
    return Key("response", channel, Place(*place))


TEXT = key("text", 1, 2, "output_text")

STREAMS: list[tuple[str, Channel, str, str]] = [
    ("output_text", "text", "text", "content_index"),
    ("refusal", "refusal", "refusal", "content_index"),
    ("reasoning_text", "thinking", "text", "content_index"),
    ("reasoning_summary_text", "thinking", "text", "summary_index"),
    ("function_call_arguments", "tool_input", "arguments", ""),
    ("mcp_call_arguments", "tool_input", "arguments", ""),
    ("custom_tool_call_input", "tool_text", "input", ""),
    ("code_interpreter_call_code", "tool_text", "code", ""),
    ("shell_call_command", "tool_text", "command", "command_index"),
    ("apply_patch_call_operation_diff", "tool_text", "diff", ""),
]


@pytest.mark.parametrize(("name", "channel", "whole", "index"), STREAMS)
def test_deltas_and_what_they_come_to(name: str, channel: Channel, whole: str, index: str) -> None:
    at = {**AT, index: 2} if index else AT
    wanted = key(channel, 1, 2 if index else 0, name)
    assert read(f"response.{name}.delta", delta="a", **at).parts == [
        Part(channel, "a", (("delta",),), wanted)
    ]
    assert read(f"response.{name}.done", **{whole: "ab"}, **at).parts == [
        Part(channel, "ab", ((whole,),), wanted, again=True)
    ]
    assert read(f"response.{name}.delta", delta=None, **at).parts == []
    assert read(f"response.{name}.done", **at).ended == [("response", wanted.item)]


def test_a_command_may_begin_before_its_first_delta() -> None:
    reading = read("response.shell_call_command.added", command="ls", command_index=2, **AT)
    wanted = key("tool_text", 1, 2, "shell_call_command")
    assert reading.parts == [Part("tool_text", "ls", (("command",),), wanted)]
    assert not read("response.shell_call_command.added", command="", **AT).parts


def test_the_transcript_of_speech() -> None:
    [part] = read("response.audio.transcript.delta", delta="a").parts
    assert part.key == key("refusal", 0, 0, "audio.transcript")
    assert part.key
    assert read("response.audio.transcript.done").ended == [("response", part.key.item)]


def test_output_of_a_command() -> None:
    name = "response.shell_call_output_content"
    out, err = (key("result", 1, 2, name[9:], member) for member in ("stdout", "stderr"))
    delta = read(f"{name}.delta", delta={"stdout": "a", "stderr": ""}, command_index=2, **AT)
    assert delta.parts == [Part("result", "a", (("delta", "stdout"),), out)]
    printed = {"stdout": "ab", "stderr": "c", "outcome": {"type": "exit", "exit_code": 0}}
    assert read(f"{name}.done", output=[printed], command_index=2, **AT).parts == [
        Part("result", "ab", (("output", 0, "stdout"),), out, again=True),
        Part("result", "c", (("output", 0, "stderr"),), err, again=True),
    ]


def test_the_item_is_known_by_its_index_and_not_by_its_id() -> None:
    """Copilot gives it another one in every event."""
    readings = [
        read("response.output_text.delta", delta="a", output_index=1, content_index=2, item_id=name)
        for name in ("one", "two")
    ]
    assert {reading.parts[0].key for reading in readings} == {TEXT}


def test_without_an_index_the_id_says_which_item_it_is() -> None:
    """llama.cpp, whose calls have no `id` as items."""
    wanted = key("tool_input", "fc_1", 0, "function_call_arguments")
    call = {"type": "function_call", "call_id": "fc_1", "arguments": "{}"}
    delta = read("response.function_call_arguments.delta", delta="{", item_id="fc_1")
    done = read("response.output_item.done", item=call)
    assert [part.key for part in (*delta.parts, *done.parts)] == [wanted, wanted]
    [part] = read("response.output_text.delta", delta="a").parts
    assert part.key == key("text", 0, 0, "output_text")


@pytest.mark.parametrize(
    ("event", "kind", "member", "index", "channel", "name"),
    [
        ("content_part", "output_text", "text", "content_index", "text", "output_text"),
        ("content_part", "refusal", "refusal", "content_index", "refusal", "refusal"),
        ("content_part", "reasoning_text", "text", "content_index", "thinking", "reasoning_text"),
        ("reasoning_part", "reasoning_text", "text", "content_index", "thinking", "reasoning_text"),
        (
            *("reasoning_summary_part", "summary_text", "text", "summary_index", "thinking"),
            "reasoning_summary_text",
        ),
    ],
)
def test_parts_as_they_begin_and_as_they_are_done(
    event: str, kind: str, member: str, index: str, channel: Channel, name: str
) -> None:
    at = {**AT, index: 2}
    for stage in ("added", "done"):
        part = {"type": kind, member: "a"}
        wanted = key(channel, 1, 2, name)
        assert read(f"response.{event}.{stage}", part=part, **at).parts == [
            Part(channel, "a", (("part", member),), wanted, again=stage == "done")
        ]
    assert not read(f"response.{event}.added", part={"type": kind, member: ""}, **at).parts
    assert not read(f"response.{event}.done", part={"type": "output_audio"}, **at).parts


def test_tokens_of_a_text() -> None:
    tokens = [{"token": "a"}]
    for kind, path in (
        ("response.output_text.delta", ("logprobs",)),
        ("response.output_text.done", ("logprobs",)),
        ("response.content_part.done", ("part", "logprobs")),
    ):
        part = {"type": "output_text", "text": "a", "logprobs": tokens}
        reading = read(kind, delta="a", text="a", part=part, logprobs=tokens)
        assert reading.tokens == [("response", "text", path)]
        part["logprobs"] = []
        assert not read(kind, delta="a", text="a", part=part, logprobs=[]).tokens


@pytest.mark.parametrize(
    ("annotation", "start", "end"),
    [
        ({"type": "url_citation", "start_index": 1, "end_index": 2}, "start_index", "end_index"),
        (
            {"type": "container_file_citation", "start_index": 1, "end_index": 2},
            "start_index",
            "end_index",
        ),
        ({"type": "file_citation", "index": 1}, "index", None),
    ],
)
def test_annotations_count_in_the_text(annotation: Json, start: str, end: str | None) -> None:
    at = {"output_index": 1, "content_index": 2}
    reading = read("response.output_text.annotation.added", annotation=annotation, **at)
    where = ("annotation",)
    assert reading.citations == [Citation(TEXT, (*where, start), (*where, end) if end else None)]
    part = {"type": "output_text", "text": "a", "annotations": [annotation]}
    [citation] = read("response.content_part.done", part=part, **at).citations
    assert citation.start == ("part", "annotations", 0, start)


def test_an_annotation_says_something_itself() -> None:
    note = {"type": "file_path", "file_id": "f", "index": 0, "filename": "a"}
    reading = read("response.output_text.annotation.added", annotation=note)
    assert ("result", "a", (("annotation", "filename"),)) in [part[:3] for part in reading.parts]
    assert not reading.citations


MESSAGE = {"type": "message", "content": [{"type": "output_text", "text": "a"}]}
THOUGHT = {
    "type": "reasoning",
    "summary": [{"type": "summary_text", "text": "s"}],
    "encrypted_content": "sealed",
}


@pytest.mark.parametrize(
    ("stage", "ended"), [("created", []), ("queued", []), ("in_progress", []),
                         ("completed", [(ALL, ALL)]), ("incomplete", [(ALL, ALL)])],
)  # fmt: skip
def test_the_response_repeats_its_items(stage: str, ended: list[Any]) -> None:
    reading = read(f"response.{stage}", response={"output": [THOUGHT, MESSAGE]})
    assert reading.parts == [
        Part(
            "thinking",
            "s",
            (("response", "output", 0, "summary", 0, "text"),),
            key("thinking", 0, 0, "reasoning_summary_text"),
            again=True,
        ),
        Part(
            "text",
            "a",
            (("response", "output", 1, "content", 0, "text"),),
            key("text", 1, 0, "output_text"),
            again=True,
        ),
    ]
    assert reading.ended == ended
    assert not reading.broken


def test_the_response_repeats_the_request() -> None:
    tools = [{"type": "function", "name": "f", "description": "b"}]
    reading = read("response.created", response={"instructions": "a", "tools": tools})
    assert reading.echoes == [
        (("response", "instructions"), "a"),
        (("response", "tools", 0, "description"), "b"),
    ]
    turn = {
        "type": "message",
        "role": "developer",
        "content": [{"type": "input_text", "text": "a"}],
    }
    reading = read("response.created", response={"instructions": [turn], "output": []})
    path = ("response", "instructions", 0, "content", 0, "text")
    assert reading.echoes == [(path, "a")]


@pytest.mark.parametrize("stage", ["failed", "cancelled"])
def test_a_response_that_failed(stage: str) -> None:
    error = {"code": "c", "message": "m"}
    reading = read(f"response.{stage}", response={"output": [MESSAGE], "error": error})
    assert reading.broken
    assert not reading.ended
    assert ("error", "m") in [part[:2] for part in reading.parts]


@pytest.mark.parametrize(
    ("document", "path"),
    [
        ({"type": "error", "code": "c", "message": "m", "param": None}, ("message",)),
        ({"type": "error", "error": {"message": "m"}}, ("error", "message")),
        ({"error": {"message": "m"}}, ("error", "message")),
    ],
)
def test_errors(document: Json, path: Any) -> None:
    reading = openai_responses.read(document)
    assert reading.broken
    assert Part("error", "m", (path,)) in reading.parts


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"type": 7},
        {"type": "ping"},
        {"type": "response.made_up.delta", "delta": "a"},
        {"type": "response.output_text.made_up", "delta": "a"},
        {"type": "response.web_search_call.searching", "output_index": 0},
        {"type": "response.image_generation_call.partial_image", "partial_image_b64": "a"},
        {"type": "response.completed"},
        {"type": "response.output_item.added", "item": None},
        {"type": "response.content_part.added", "part": "x"},
        {"type": "codex.rate_limits", "rate_limits": {"allowed": True}},
    ],
)
def test_documents_that_say_nothing(document: Json) -> None:
    reading = openai_responses.read(document)
    assert not reading.parts
    assert not reading.broken


def whole(document: Json) -> list[list[tuple[Key | None, str, int]]]:
    """Of every step the texts, and in how many places they stand."""
    return [
        [(part.key, part.text, len(part.paths)) for part in reading.parts]
        for reading in openai_responses.read_whole(document)
    ]


def test_a_whole_response_item_by_item() -> None:
    call = {"type": "function_call", "arguments": "{}"}
    document = {"output": [THOUGHT, MESSAGE, call], "error": None, "status": "completed"}
    assert whole(document) == [
        [],
        [(key("thinking", 0, 0, "reasoning_summary_text"), "s", 1)],
        [(key("text", 1, 0, "output_text"), "a", 1)],
        [(key("tool_input", 2, 0, "function_call_arguments"), "{}", 1)],
        [],
    ]
    readings = list(openai_responses.read_whole(document))
    assert [bool(reading.started) for reading in readings] == [False, False, False, True, False]
    assert readings[-1].ended == [(ALL, ALL)]
    assert all(part.again for reading in readings for part in reading.parts)


def test_the_text_and_the_reasoning_beside_the_items() -> None:
    """mistral.rs has both, OpenRouter the text."""
    document: Json = {"output": [MESSAGE], "output_text": "a", "reasoning": "r"}
    [thinking, _, text, _] = whole(document)
    assert thinking == [(key("thinking", "reasoning", 0, "reasoning_text"), "r", 1)]
    assert text == [(key("text", 0, 0, "output_text"), "a", 2)]
    [_, thought, *_] = whole({"output": [THOUGHT], "reasoning": "s"})
    assert thought == [(key("thinking", 0, 0, "reasoning_summary_text"), "s", 2)]
    assert whole({"output": [], "reasoning": {"effort": "low", "summary": None}}) == [[], []]


def test_all_the_text_of_several_messages() -> None:
    other = {"type": "message", "content": [{"type": "output_text", "text": "b"}]}
    [*_, copy, end] = whole({"output": [MESSAGE, other], "output_text": "ab"})
    assert copy == [(key("text", "output_text", 0, "output_text")._replace(copy=True), "ab", 1)]
    assert end == []


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_a_whole_response_that_failed(status: str) -> None:
    document = {"output": [MESSAGE], "error": {"message": "m"}, "status": status}
    [reading] = openai_responses.read_whole(document)
    assert reading.broken
    assert [part.text for part in reading.parts] == ["m", "a"]


def test_what_is_no_response_says_nothing() -> None:
    assert whole({"object": "list", "data": []}) == [[], []]
