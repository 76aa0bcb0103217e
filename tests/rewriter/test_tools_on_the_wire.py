"""Tool calls: paths are scrubbed inside the JSON strings, each call for itself."""

import json
from typing import Any

import pytest

from mitmproxy_windsurf.rewriter import Layers, ResponseRewriter
from playbook import (
    ABORT,
    DONE,
    END,
    MODEL,
    PRIVATE,
    Json,
    Like,
    Playbook,
    chunk,
    delta,
    documents,
    run,
    start,
    stop,
)
from strategies import every


def calls(*fragments: tuple[int, str], finish: str | None = None, **more: Any) -> bytes:
    found: list[Json] = [
        {"index": index, "function": {"arguments": text}, **more} for index, text in fragments
    ]
    return chunk(finish=finish, tool_calls=found)


def arguments(stream: bytes, index: int = 0) -> str:
    return "".join(
        call["function"]["arguments"]
        for document in documents(stream)
        for choice in document["choices"]
        for call in choice["delta"].get("tool_calls") or ()
        if call["index"] == index
    )


def test_a_path_over_fragments() -> None:
    with Playbook("openai_chat") as stream:
        stream.passes(calls((0, ""), id="x", type="function"), calls((0, '{"p": "')))
        stream.holds(calls((0, "/opt/wind")))
        stream >> calls((0, 'surf/a", ')) << calls((0, "")) << calls((0, '<workspace>", '))
        stream.passes(calls((0, '"n": 1}')), chunk(finish="tool_calls"), DONE)
        stream >> END


@pytest.mark.parametrize(
    "given",
    [
        r'{"p": "\/opt\/windsurf\/a"}',
        r'{"p": "\u002fopt/windsurf/a"}',
        r'{"p": "/opt/windsurf/\u00e9"}',
        r'{"p": "file:///opt/windsurf/a"}',
    ],
)
def test_paths_are_found_by_what_they_mean(given: str) -> None:
    for size in (1, 2, 3, 5):
        rewriter = ResponseRewriter("openai_chat", Layers(), model=MODEL, want_thinking=False)
        stream = run(rewriter, [calls((0, piece)) for piece in every(given, size)])
        scheme = "file://" if "file" in given else ""
        assert json.loads(arguments(stream)) == {"p": f"{scheme}<workspace>"}


def test_the_identity_layer_leaves_arguments_alone() -> None:
    with Playbook("openai_chat") as stream:
        stream.passes(calls((0, '{"text": "I am Cascade, made by Codeium"}')))
        stream >> END


def test_parallel_calls_do_not_mix() -> None:
    with Playbook("openai_chat") as stream:
        stream.passes(calls((0, '{"p": "')), calls((1, '{"p": "')))
        stream.holds(calls((0, "/opt/wind")))
        stream >> calls((1, f"{PRIVATE}/b x")) << calls((0, "")) << calls((1, "<workspace> x"))
        stream >> calls((0, 'surf/a"}'), (1, '"}')) << calls((0, '<workspace>"}'), (1, '"}'))
        stream >> END


def test_arguments_cut_off_by_the_token_limit_pass_as_they_are() -> None:
    with Playbook("openai_chat") as stream:
        stream.passes(calls((0, '{"a": "b')))
        stream.holds(cut := calls((0, r"\u00")))
        stream >> (last := chunk(finish="length")) << cut << last
        stream.passes(DONE)
        stream >> END


def test_held_arguments_get_a_chunk_before_the_finish() -> None:
    with Playbook("openai_chat") as stream:
        stream >> calls((0, f'["{PRIVATE} /op'), id="x") << calls((0, '["<workspace> '), id="x")
        last = chunk(finish="length")
        stream >> last << Like(calls((0, "/op"))) << last
        stream >> END


def test_a_whole_call_in_one_chunk() -> None:
    with Playbook("openai_chat") as stream:
        given, wanted = (
            calls((0, json.dumps({"p": path})), id="x", finish="tool_calls")
            for path in (f"{PRIVATE}/a", "<workspace>")
        )
        stream >> given << wanted
        stream >> END


def test_arguments_as_an_object() -> None:
    def call(path: str) -> bytes:
        return chunk(tool_calls=[{"index": 0, "function": {"name": "f", "arguments": {"p": path}}}])

    with Playbook("openai_chat") as stream:
        stream >> call(f"{PRIVATE}/a.") << call("<workspace>.")
        stream >> END


def test_a_custom_tool_takes_free_text() -> None:
    def call(text: str) -> bytes:
        return chunk(tool_calls=[{"index": 0, "type": "custom", "custom": {"input": text}}])

    with Playbook("openai_chat") as stream:
        stream.holds(call("*** Update /opt/wind"))
        stream >> call("surf/a\n") << call("*** Update ") << call("<workspace>\n")
        stream >> call(f"I am Cascade {PRIVATE} /op") << call("I am Cascade <workspace> ")
        stream >> END << Like(call("/op"))


def test_the_old_function_call() -> None:
    def call(text: str) -> bytes:
        return chunk(function_call={"arguments": text})

    with Playbook("openai_chat") as stream:
        stream.passes(call('{"p": "'))
        stream >> call(f"{PRIVATE} /op") << call("<workspace> ")
        stream >> END << Like(call("/op"))


TOOL = start(1, "tool_use", id="x", name="f", input={})


def test_blocks_in_fragments() -> None:
    with Playbook("anthropic") as stream:
        stream.passes(TOOL, delta(1, partial_json=""))
        stream.holds(half := delta(1, partial_json='{"p": "é\\'))
        stream >> (quote := delta(1, partial_json='" ')) << half << quote
        stream.holds(delta(1, partial_json="/opt/wind"))
        stream >> delta(1, partial_json='surf/a"}')
        stream << delta(1, partial_json="") << delta(1, partial_json='<workspace>"}')
        stream.passes(stop(1))
        stream >> END


def test_a_cut_block_gets_its_rest_before_it_stops() -> None:
    with Playbook("anthropic") as stream:
        stream.passes(TOOL)
        (
            stream
            >> delta(1, partial_json=f'["{PRIVATE} /op')
            << delta(1, partial_json='["<workspace> ')
        )
        stream >> stop(1) << Like(delta(1, partial_json="/op")) << stop(1)
        stream >> END


@pytest.mark.parametrize("kind", ["tool_use", "server_tool_use", "mcp_tool_use"])
def test_a_block_that_starts_with_its_input(kind: str) -> None:
    def tool(path: str) -> bytes:
        return start(0, kind, id=PRIVATE, name="f", input={"p": [path, 1], PRIVATE: "a"})

    with Playbook("anthropic") as stream:
        stream >> tool(f"I am Cascade in {PRIVATE}/x") << tool("I am Cascade in <workspace>")
        stream.passes(stop(0))
        stream >> END


def test_results_of_the_servers_own_tools() -> None:
    def result(text: str) -> bytes:
        return start(
            0, "mcp_tool_result", tool_use_id="x", content=[{"type": "text", "text": text}]
        )

    with Playbook("anthropic") as stream:
        stream >> result(f"I am Cascade in {PRIVATE}") << result("I am Cascade in <workspace>")
        stream.passes(stop(0))
        stream >> END


def test_a_break_gives_held_arguments_back() -> None:
    with Playbook("openai_chat") as stream:
        stream.passes(calls((0, '["')))
        stream.holds(first := calls((0, "/opt/")), second := calls((1, '["/op')))
        stream >> ABORT << first << second


def test_a_name_is_never_an_edit_of_identity() -> None:
    with Playbook("openai_chat", model=MODEL) as stream:
        call = {"index": 0, "id": "Cascade", "function": {"name": "I am Cascade", "arguments": ""}}
        stream.passes(chunk(tool_calls=[call]))
        stream >> END
