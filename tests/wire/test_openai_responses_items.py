"""The Responses API: every type of output item."""

from typing import Any

import pytest

from mitmproxy_windsurf.wire import openai_responses
from mitmproxy_windsurf.wire.openai_responses_items import Place
from mitmproxy_windsurf.wire.parts import Key, Reading

Texts = list[tuple[Any, str, tuple[Any, ...]]]


def item(kind: str, stage: str = "done", **members: Any) -> Reading:
    event = {"type": f"response.output_item.{stage}", "output_index": 1}
    return openai_responses.read({**event, "item": {"type": kind, "id": "i", **members}})


def texts(reading: Reading) -> Texts:
    """(place of a text, or channel of one that is complete in itself; text; path in the item)."""
    return [
        (part.key.item if part.key else part.channel, part.text, part.paths[0][1:])
        for part in reading.parts
    ]


def place(events: str, position: int = 0, member: str = "") -> Place:
    return Place(1, position, events, member)


@pytest.mark.parametrize(
    ("kind", "members", "found"),
    [
        (
            "message",
            {
                "role": "assistant",
                "phase": "final_answer",
                "content": [
                    {"type": "output_text", "text": "a"},
                    {"type": "refusal", "refusal": "b"},
                ],
            },
            [
                (place("output_text"), "a", ("content", 0, "text")),
                (place("refusal", 1), "b", ("content", 1, "refusal")),
            ],
        ),
        (
            "reasoning",
            {
                "summary": [{"type": "summary_text", "text": "a"}],
                "content": [{"type": "reasoning_text", "text": "b"}],
                "encrypted_content": "b",
            },
            [
                (place("reasoning_summary_text"), "a", ("summary", 0, "text")),
                (place("reasoning_text"), "b", ("content", 0, "text")),
            ],
        ),
        (
            "function_call",
            {"name": "f", "call_id": "c", "arguments": "{}"},
            [(place("function_call_arguments"), "{}", ("arguments",))],
        ),
        (
            "mcp_call",
            {"arguments": "{}", "output": "a", "error": {"content": [{"text": "b"}]}},
            [
                (place("mcp_call_arguments"), "{}", ("arguments",)),
                ("result", "a", ("output",)),
                ("error", "b", ("error", "content", 0, "text")),
            ],
        ),
        (
            "mcp_approval_request",
            {"arguments": "{}", "server_label": "s"},
            [(place("mcp_approval_request_arguments"), "{}", ("arguments",))],
        ),
        ("custom_tool_call", {"input": "a"}, [(place("custom_tool_call_input"), "a", ("input",))]),
        (
            "code_interpreter_call",
            {"code": "a", "outputs": [{"type": "logs", "logs": "b"}]},
            [
                (place("code_interpreter_call_code"), "a", ("code",)),
                ("result", "logs", ("outputs", 0, "type")),
                ("result", "b", ("outputs", 0, "logs")),
            ],
        ),
        (
            "program",
            {"code": "a", "fingerprint": "sealed"},
            [(place("program_code"), "a", ("code",))],
        ),
        ("program_output", {"result": "a"}, [("result", "a", ("result",))]),
        (
            "shell_call",
            {"action": {"commands": ["a", "b"], "timeout_ms": 1}},
            [
                (place("shell_call_command"), "a", ("action", "commands", 0)),
                (place("shell_call_command", 1), "b", ("action", "commands", 1)),
            ],
        ),
        (
            "shell_call_output",
            {"output": [{"stdout": "a", "stderr": "b", "outcome": {"exit_code": 1}}]},
            [
                (place("shell_call_output_content", 0, "stdout"), "a", ("output", 0, "stdout")),
                (place("shell_call_output_content", 0, "stderr"), "b", ("output", 0, "stderr")),
            ],
        ),
        (
            "local_shell_call",
            {"action": {"command": ["a"], "env": {"B": "b"}, "working_directory": "c"}},
            [
                ("tool_input", "a", ("action", "command", 0)),
                ("tool_input", "b", ("action", "env", "B")),
                ("tool_input", "c", ("action", "working_directory")),
            ],
        ),
        (
            "apply_patch_call",
            {"operation": {"path": "a", "diff": "b"}},
            [
                (place("apply_patch_call_operation_diff"), "b", ("operation", "diff")),
                ("tool_input", "a", ("operation", "path")),
            ],
        ),
        ("apply_patch_call_output", {"output": "a"}, [("result", "a", ("output",))]),
        ("function_call_output", {"output": "a"}, [("result", "a", ("output",))]),
        (
            "web_search_call",
            {"action": {"query": "a", "sources": [{"url": "b"}]}},
            [
                ("tool_input", "a", ("action", "query")),
                ("tool_input", "b", ("action", "sources", 0, "url")),
            ],
        ),
        (
            "file_search_call",
            {"queries": ["a"], "results": [{"file_id": "f", "text": "b", "score": 0.5}]},
            [("tool_input", "a", ("queries", 0)), ("result", "b", ("results", 0, "text"))],
        ),
        (
            "tool_search_call",
            {"arguments": {"paths": ["a"]}, "execution": "client"},
            [("tool_input", "a", ("arguments", "paths", 0))],
        ),
        (
            "mcp_list_tools",
            {"tools": [{"description": "a"}], "server_label": "s", "error": None},
            [("result", "a", ("tools", 0, "description"))],
        ),
        ("made_up_call", {"action": "a", "note": "b"}, [("tool_input", "a", ("action",))]),
        ("image_generation_call", {"result": "iVBO", "error": "e"}, []),
        ("compaction", {"encrypted_content": "sealed"}, []),
        ("message", {"role": "user", "content": [{"type": "input_text", "text": "a"}]}, []),
        ("message", {"content": "x"}, []),
        ("shell_call", {"action": {"commands": None}}, []),
        (7, {"action": "a"}, []),
    ],
)
def test_items(kind: Any, members: Any, found: Texts) -> None:
    assert texts(item(kind, **members)) == found


def test_an_item_that_begins_says_what_it_has_already() -> None:
    reading = item("function_call", "added", arguments='{"a')
    assert [(part.text, part.again) for part in reading.parts] == [('{"a', False)]
    assert not item("function_call", "added", arguments="").parts


@pytest.mark.parametrize("kind", ["function_call", "web_search_call", "made_up_call"])
def test_a_call_begins_with_its_item(kind: str) -> None:
    [started] = item(kind, "added").started
    assert started[:2] == Key("response", "tool_input")[:2]
    assert not item("message", "added").started
    assert not item("reasoning", "added").started


@pytest.mark.parametrize("kind", ["additional_tools", "tool_search_output"])
def test_tools_that_come_back_are_the_clients_own(kind: str) -> None:
    namespace = {"type": "namespace", "description": "a", "tools": [{"description": "b"}]}
    reading = item(kind, tools=[namespace])
    assert not reading.parts
    assert reading.echoes == [
        (("item", "tools", 0, "description"), "a"),
        (("item", "tools", 0, "tools", 0, "description"), "b"),
    ]


def test_tokens_and_citations_of_a_message() -> None:
    note = {"type": "file_citation", "index": 3, "filename": "f"}
    part = {"type": "output_text", "text": "a", "logprobs": [{}], "annotations": [note]}
    reading = item("message", content=[part])
    assert reading.tokens == [("response", "text", ("item", "content", 0, "logprobs"))]
    [citation] = reading.citations
    assert citation.key.item == place("output_text")
    assert citation.start == ("item", "content", 0, "annotations", 0, "index")


def test_places_are_written_as_numbers() -> None:
    assert f"{place('output_text', 2)}" == "1.2"
    assert f"{Place('msg_a', 0, 'output_text')}" == "msg_a.0"
