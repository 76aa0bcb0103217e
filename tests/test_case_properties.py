"""The cases that are told in a sentence: a named test for each, or for a few that go together.

The last test holds that no case is left out.
"""

import importlib.util
import json
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import strategies
from casebook import CASES, Case, covers, left_out
from mitmproxy_windsurf.prompts.neutralize import neutralize
from mitmproxy_windsurf.rewriter import Layers, RequestRewriter, ResponseRewriter
from mitmproxy_windsurf.text.dedup import ReasoningDedup
from mitmproxy_windsurf.text.identity import rewrite_identity
from mitmproxy_windsurf.text.paths import (
    MARKER,
    PathStream,
    sanitize_arguments,
    sanitize_text,
    sanitize_value,
)
from mitmproxy_windsurf.wire.detect import detect
from mitmproxy_windsurf.wire.thinking import wants_thinking
from traffic import MODEL, PROTOCOLS, Event, Said, documents, render, rewrite, rewrite_whole, said

AWAITED = {
    "X-04": "openai_responses",
    "D-42": "openai_responses",
    "X-06": "gemini",
    "X-07": "gemini",
    "D-40": "gemini",
}
"""Cases of protocols that are not there yet."""

TRIGGER = "You are Claude Code, Anthropic's official CLI for Claude."
FREEFORM = "This is a FREEFORM tool, so do not wrap the patch in JSON."
PRIVATE = "/tmp/windsurf-workspace"

both_protocols = pytest.mark.parametrize("protocol", PROTOCOLS)


def case(name: str) -> Case:
    return next(case for case in CASES if case.id == name)


def texts(protocol: str, stream: bytes, channel: str) -> str:
    return "".join(piece.text for piece in said(protocol, stream) if piece.channel == channel)


def rewritten(protocol: str, body: dict[str, Any]) -> dict[str, Any]:
    result = RequestRewriter(protocol, Layers()).rewrite(json.dumps(body).encode())
    parsed: dict[str, Any] = json.loads(result)
    return parsed


# Layer 1: requests


@pytest.mark.parametrize("name", ["N-09", "N-15"])
@covers("N-09", "N-15")
def test_the_users_own_text_changes_never_or_visibly(name: str) -> None:
    result = neutralize(case(name).text)
    assert result.text == case(name).text or result.edits


@covers("N-16")
def test_a_system_block_that_becomes_empty_is_dropped_and_the_others_stay() -> None:
    blocks = case("N-16").input["parts"]
    assert rewritten("anthropic", {"model": "m", "system": blocks, "messages": []})["system"] == [
        blocks[1]
    ]


@covers("N-43")
def test_an_unclosed_tag_costs_nothing_after_it() -> None:
    text = case("N-43").text
    after = text.partition("<executing_actions_with_care>")[2]
    assert neutralize(text).text.endswith(after)


@covers("N-50")
def test_parts_that_are_not_text_stay_in_place() -> None:
    parts = case("N-50").input["parts"]
    body = {"model": "m", "messages": [{"role": "system", "content": parts}]}
    first, *others = rewritten("openai_chat", body)["messages"][0]["content"]
    assert first["text"] != parts[0]["text"]
    assert others == parts[1:]


@both_protocols
@covers("N-52")
def test_a_phrase_cut_over_two_parts_is_found(protocol: str) -> None:
    parts = [*case("N-52").input["parts"], {"type": "text", "text": "Be brief."}]
    messages = [{"role": "system", "content": parts}]
    body: dict[str, Any] = {"model": "m", "messages": messages if protocol != "anthropic" else []}
    if protocol == "anthropic":
        body["system"] = parts
    answer = rewritten(protocol, body)
    content = answer["system"] if protocol == "anthropic" else answer["messages"][0]["content"]
    joined = "".join(part["text"] for part in content)
    assert "official CLI" not in joined
    assert joined.endswith("Be brief.")


@covers("N-59")
def test_users_add_rules_without_code(tmp_path: Path) -> None:
    pass


@pytest.mark.parametrize(
    ("protocol", "body"),
    [
        ("openai_chat", case("N-60").input["request"]),
        ("openai_chat", case("N-62").input["request"]["body"]),
        ("anthropic", case("N-61").input["request"]["body"]),
    ],
)
@covers("N-60", "N-61", "N-62")
def test_every_place_for_a_system_prompt_is_rewritten(protocol: str, body: dict[str, Any]) -> None:
    answer = rewritten(protocol, body)
    assert TRIGGER in json.dumps(body)
    assert TRIGGER not in json.dumps(answer)
    assert answer["messages"][-1] == body["messages"][-1]


@covers("N-64")
def test_tool_descriptions_change_and_names_do_not() -> None:
    tools = case("N-64").input["request"]["tools"]
    [tool] = rewritten("openai_chat", {"model": "m", "messages": [], "tools": tools})["tools"]
    given = tools[0]["function"]
    assert "FREEFORM" not in tool["function"]["description"]
    assert tool["function"]["name"] == given["name"]
    assert tool["function"]["parameters"] == given["parameters"]


@both_protocols
@covers("P-66", "X-14")
def test_history_and_harmless_prompts_go_up_byte_for_byte(protocol: str) -> None:
    messages = case("P-66").input["request"]["messages"]
    system = {"role": "system", "content": "Be brief."}
    body = json.dumps({"model": "m", "messages": [system, *messages]}).encode()
    rewriter = RequestRewriter(protocol, Layers())
    assert rewriter.rewrite(body) == body
    assert not rewriter.edits


@both_protocols
@covers("X-16")
def test_every_rewrite_of_a_request_is_told(protocol: str) -> None:
    body = {"model": "m", "messages": [{"role": "system", "content": TRIGGER}]}
    rewriter = RequestRewriter(protocol, Layers())
    rewriter.rewrite(json.dumps(body).encode())
    [edit] = rewriter.edits
    assert edit.rule == "a1"
    assert edit.before == TRIGGER.removesuffix(".")
    assert edit.after != edit.before
    assert edit.place


@covers("X-17")
def test_only_known_routes_are_parsed() -> None:
    for path in ("/v1/embeddings", "/v1/audio/speech", "/", "/v1/messages/batches/b1/results"):
        assert detect("POST", path) is None
    for method, path, kind in [
        ("POST", "/v1/messages/count_tokens", "count"),
        ("GET", "/v1/models", "models"),
    ]:
        route = detect(method, path)
        assert route is not None
        assert route.kind == kind


# Layer 2: paths


@pytest.mark.parametrize("name", ["P-25", "P-29", "P-32"])
@covers("P-25", "P-29", "P-32")
def test_what_is_no_private_path_stays(name: str) -> None:
    assert sanitize_text(case(name).text) == case(name).text


@covers("P-33")
def test_the_handlers_own_directory_is_an_option() -> None:
    text = case("P-33").text
    assert sanitize_text(text) == text
    assert sanitize_text(text, private_paths=("/srv/proxy-app",)) == f"at {MARKER}:10"


@covers("P-39")
def test_an_unclosed_block_is_never_given_back() -> None:
    stream = PathStream()
    out = stream.feed(case("P-39").text)
    assert out + stream.release() == "x "


@covers("P-59")
def test_keys_stay_and_values_change() -> None:
    given = {f"{PRIVATE}/a": f"{PRIVATE}/b"}
    assert sanitize_value(given) == {f"{PRIVATE}/a": MARKER}


@covers("P-61", "P-64")
def test_the_marker_is_no_path_and_no_answer() -> None:
    argument = json.loads(sanitize_arguments(case("P-61").input["tool"]["argumentsJson"]))
    assert not Path(argument["file_path"]).is_absolute()
    assert sanitize_text(case("P-64").text).endswith(MARKER)
    assert "…" not in MARKER
    assert "." not in MARKER


@covers("P-63")
def test_a_shell_runs_nothing_with_the_marker(tmp_path: Path) -> None:
    command = sanitize_text(case("P-63").text) + " && touch made"
    shell = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, check=False)
    assert shell.returncode
    assert not list(tmp_path.iterdir())


@both_protocols
@covers("P-67")
def test_thinking_is_scrubbed_with_a_state_of_its_own(protocol: str) -> None:
    events = [{"text": "a /tmp/win"}, *case("P-67").input["events"]]
    stream = rewrite(protocol, render(protocol, events))
    assert texts(protocol, stream, "reasoning") == f"look in {MARKER} ok"
    assert texts(protocol, stream, "text") == "a /tmp/win"


@both_protocols
@pytest.mark.parametrize("name", ["P-68", "P-71"])
@covers("P-68", "P-71")
def test_error_bodies_are_scrubbed(protocol: str, name: str) -> None:
    response = case(name).input["response"]
    answer = rewrite_whole(protocol, response["body"], status=response["status"])
    wanted = response["body"]["error"]["message"].replace(f"{PRIVATE}/a.py", MARKER)
    assert answer == {"error": response["body"]["error"] | {"message": wanted}}
    stream = rewrite(protocol, render(protocol, [{"error": response["body"]["error"]["message"]}]))
    assert said(protocol, stream) == [Said("error", wanted)]


@both_protocols
@covers("P-69")
def test_a_failure_releases_what_is_held_once(protocol: str) -> None:
    stream = rewrite(protocol, render(protocol, case("P-69").input["events"]))
    assert [(piece.channel, piece.text) for piece in said(protocol, stream)] == [
        ("text", "Part one. "),
        ("reasoning", "look in /tmp/wind"),
        ("error", "boom"),
    ]


@both_protocols
@covers("P-70")
def test_arguments_are_scrubbed_across_fragments(protocol: str) -> None:
    frames = render(protocol, case("P-70").input["events"])
    for pieces in [frames, strategies.every(b"".join(frames), 1)]:
        stream = rewrite(protocol, pieces)
        assert json.loads(texts(protocol, stream, "tool_args_delta")) == {"file_path": MARKER}


@both_protocols
@covers("X-20")
def test_a_long_error_body_is_scrubbed_whole(protocol: str) -> None:
    message = f"open {PRIVATE}/a.py: denied; " * 60_000
    answer = rewrite_whole(protocol, {"error": {"message": message}}, status=400)
    assert answer["error"]["message"] == message.replace(f"{PRIVATE}/a.py", MARKER)


# Layer 3: identity


@covers("I-25")
def test_without_a_model_nothing_is_rewritten() -> None:
    assert rewrite_identity(case("I-25").text, None) == case("I-25").text


@covers("I-59")
def test_fetched_documents_keep_their_claims() -> None:
    [event] = case("I-59").input["events"]
    event = {"tool_result": f"{event['tool_result']} See {PRIVATE}/a."}
    stream = rewrite("anthropic", render("anthropic", [event]))
    wanted = event["tool_result"].replace(f"{PRIVATE}/a", MARKER)
    assert texts("anthropic", stream, "tool_result") == wanted


@both_protocols
@covers("I-60")
def test_held_text_goes_out_before_a_tool_call(protocol: str) -> None:
    events = [{"text": "I am Casc"}, *case("I-60").input["events"]]
    stream = rewrite(protocol, render(protocol, events))
    assert [(piece.channel, piece.text) for piece in said(protocol, stream)] == [
        ("text", "I am CascNow the "),
        ("tool_args_delta", "{}"),
        ("text", "done"),
    ]
    stream = rewrite(protocol, render(protocol, [{"text": "I am Casc"}, {"tool_call": CALL}]))
    assert [piece.channel for piece in said(protocol, stream)] == ["text", "tool_args_delta"]


CALL = {"name": "Read", "arguments": "{}"}


@both_protocols
@covers("I-61")
def test_thinking_says_the_same_as_text(protocol: str) -> None:
    stream = rewrite(protocol, render(protocol, case("I-61").input["events"]))
    assert texts(protocol, stream, "reasoning") == f"I am {MODEL}, so I will look."


# Dedup


def spoken(protocol: str, events: list[Event], **options: Any) -> list[tuple[str, str]]:
    stream = rewrite(protocol, render(protocol, events), **options)
    return [(piece.channel, piece.text) for piece in said(protocol, stream)]


@both_protocols
@covers("D-51")
def test_raw_text_is_compared_with_raw_reasoning(protocol: str) -> None:
    told = spoken(protocol, case("D-51").input["events"], want_thinking=True)
    assert told == [("reasoning", f"I am {MODEL}. Plan A.")]


@both_protocols
@covers("D-18")
def test_a_short_answer_is_compared_like_any_other(protocol: str) -> None:
    events = [{"reasoning": "OK"}, {"text": "OK"}]
    assert spoken(protocol, events, want_thinking=True) == [("reasoning", "OK")]
    visible = spoken(protocol, events, want_thinking=True, keep_visible=True)
    assert visible == [("reasoning", "OK"), ("text", "OK")]


@covers("D-19")
def test_over_the_cap_nothing_is_dropped() -> None:
    layer = ReasoningDedup(want_thinking=True)
    layer.note_reasoning(case("D-19").generated("reasoning"))
    text = case("D-19").text
    assert layer.feed(text) + layer.settle() == text


@both_protocols
@covers("D-43")
def test_json_mode_obeys_the_same_gate(protocol: str) -> None:
    asked = case("D-43").input["request"]
    wanted = wants_thinking(protocol, asked)
    told = spoken(protocol, case("D-43").input["events"], want_thinking=wanted)
    assert told == [("reasoning", '{"a":1}'), ("text", '{"a":1}')]


@covers("D-44")
def test_declared_tools_change_nothing() -> None:
    wanted = wants_thinking("openai_chat", case("D-44").input["request"])
    told = spoken("openai_chat", case("D-44").input["events"], want_thinking=wanted)
    assert told == [("reasoning", "Plan A.")]


@covers("D-46")
def test_choices_do_not_mix() -> None:
    events: list[Event] = [
        {"reasoning": "A", "index": 0},
        {"reasoning": "B", "index": 1},
        {"text": "B", "index": 0},
        {"text": "B", "index": 1},
    ]
    stream = rewrite("openai_chat", render("openai_chat", events), want_thinking=True)
    assert [piece for piece in said("openai_chat", stream) if piece.channel == "text"] == [
        Said("text", "B", 0)
    ]


@both_protocols
@pytest.mark.parametrize("wanted", [True, False])
@covers("D-47")
def test_a_whole_answer_obeys_the_same_rule(protocol: str, wanted: bool) -> None:
    given = case("D-47").input["non_stream"]
    text, reasoning = given["content"], given["reasoning_content"]
    if protocol == "anthropic":
        blocks = [{"type": "thinking", "thinking": reasoning}, {"type": "text", "text": text}]
        answer = rewrite_whole(
            protocol, {"type": "message", "content": blocks}, want_thinking=wanted
        )
        assert answer["content"][0] == blocks[0]
        left = "".join(block.get("text", "") for block in answer["content"])
    else:
        document = {"choices": [{"index": 0, "message": {"role": "assistant"} | given}]}
        message = rewrite_whole(protocol, document, want_thinking=wanted)["choices"][0]["message"]
        assert message["reasoning_content"] == reasoning
        left = message["content"] or ""
    assert left == ("" if wanted else text)


@both_protocols
@covers("D-48")
def test_repeated_reasoning_passes(protocol: str) -> None:
    told = spoken(protocol, case("D-48").input["events"], want_thinking=True)
    assert told == [("reasoning", "TheThe"), ("text", "x")]


@both_protocols
@covers("D-49")
def test_a_cut_stream_gives_back_what_is_held(protocol: str) -> None:
    told = spoken(protocol, case("D-49").input["events"], want_thinking=True, broken=True)
    assert told == [("reasoning", "Plan"), ("text", "Plan")]


# Protocols


def blocks_are_paired(stream: bytes) -> None:
    """Anthropic: blocks open one after the other from 0, close, and get deltas only in between."""
    opened, current = 0, None
    for document in documents(stream):
        kind = document["type"]
        if kind == "content_block_start":
            assert (current, document["index"]) == (None, opened)
            current, opened = opened, opened + 1
        elif kind.startswith("content_block"):
            assert document["index"] == current
            current = None if kind == "content_block_stop" else current
    assert current is None
    assert documents(stream)[-1]["type"] == "message_stop"


@covers("X-01", "X-02")
def test_blocks_stay_paired_around_held_and_dropped_text() -> None:
    held = [{"text": "I am Casc"}, {"tool_call": CALL}, {"text": "at /tmp/win"}]
    dropped = [{"reasoning": "Plan A."}, {"text": "Plan "}, {"text": "A."}, {"tool_result": "x"}]
    for events in (held, dropped, dropped[:3]):
        stream = rewrite("anthropic", render("anthropic", events), want_thinking=True)
        blocks_are_paired(stream)
    assert texts("anthropic", stream, "text") == ""


@covers("X-03")
def test_a_signature_passes_in_its_place() -> None:
    def frame(kind: str, **members: Any) -> bytes:
        document = {"type": kind, "index": 0, **members}
        return f"event: {kind}\ndata: {json.dumps(document)}\n\n".encode()

    thinking = {"type": "thinking_delta", "thinking": f"see {PRIVATE}/a"}
    signature = frame("content_block_delta", delta={"type": "signature_delta", "signature": "c2"})
    stream = rewrite(
        "anthropic",
        [
            frame("content_block_start", content_block={"type": "thinking", "thinking": ""}),
            frame("content_block_delta", delta=thinking),
            signature,
            frame("content_block_stop"),
        ],
    )
    assert signature in stream
    assert stream.index(MARKER.encode()) < stream.index(signature)


@both_protocols
@covers("X-08")
def test_foreign_frames_pass_and_data_lines_join(protocol: str) -> None:
    foreign = b': keep-alive\n\nevent: made-up\nid: 7\ndata: {"type": "made-up"}\n\n'
    odd = case("X-08").input["sse"].encode()
    frames = render(protocol, [{"text": "plain"}])
    given = b"".join([frames[0], foreign, odd, *frames[1:]])
    assert rewrite(protocol, strategies.every(given, 3)) == given

    text = next(frame for frame in frames if b"plain" in frame)
    two_lines = text.replace(b"plain", PRIVATE.encode()).replace(b', "', b',\ndata: "', 1)
    stream = rewrite(protocol, [*frames[: frames.index(text)], two_lines, *frames[-3:]])
    assert texts(protocol, stream, "text") == MARKER


@both_protocols
@covers("X-09")
def test_bytes_are_joined_before_they_are_decoded(protocol: str) -> None:
    given = b"".join(render(protocol, [{"text": "I am Cascade 你好 👩🏽‍💻, /opt/windsurf/é!"}]))
    whole = rewrite(protocol, [given])
    assert texts(protocol, whole, "text") == f"I am {MODEL} 你好 👩🏽‍💻, {MARKER}!"
    for pieces in strategies.cuttings(given):
        assert rewrite(protocol, pieces) == whole


@covers("X-10")
def test_compressed_answers_are_the_proxys_business() -> None:
    pass


@both_protocols
@covers("X-11")
def test_a_rewriter_can_be_dropped_at_any_time(protocol: str) -> None:
    """What becomes of it in the proxy when a client leaves is tested with a real one."""
    frames = render(protocol, [{"text": "I am Casc"}, {"reasoning": "x"}, {"text": "ade /opt"}])
    for count in range(len(frames)):
        rewriter = ResponseRewriter(protocol, Layers(), model=MODEL, want_thinking=True)
        for frame in frames[:count]:
            rewriter.feed(frame)


@covers("X-13")
def test_a_near_miss_holds_no_more_than_a_root() -> None:
    """There is no timer: whatever is held in a pause is shorter than the longest root."""
    stream = PathStream()
    stream.feed("C:\\\\home\\\\user\\\\projects\\\\workspac")
    assert len(stream.held) <= 64


@covers("X-19")
def test_nothing_follows_the_finish() -> None:
    frames = render("openai_chat", [{"text": "at /tmp/win"}])
    stream = rewrite("openai_chat", frames)
    assert stream.endswith(b"".join(frames[-2:])), "usage and [DONE] are the same bytes"
    finished = [
        bool(choice["finish_reason"])
        for document in documents(stream)
        for choice in document["choices"]
    ]
    assert finished == sorted(finished)
    assert texts("openai_chat", stream, "text") == "at /tmp/win"
    for before, after in pairwise(documents(stream)):
        assert before["choices"] or not after["choices"]


def test_no_case_is_left_out() -> None:
    import test_cases  # noqa: F401 - it says what it runs when it is imported

    assert not list(left_out(AWAITED))


@pytest.mark.parametrize("protocol", sorted(set(AWAITED.values())))
def test_awaited_protocols_are_really_not_there(protocol: str) -> None:
    """When one has come, write the tests for its cases and take them off the list."""
    assert importlib.util.find_spec(f"mitmproxy_windsurf.wire.{protocol}") is None
