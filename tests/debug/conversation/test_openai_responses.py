"""What Responses say: items, whole or put together from whatever repeats them."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from mitmproxy_windsurf.debug.conversation import bodies, read_answer, read_request
from mitmproxy_windsurf.debug.conversation.model import Block, Conversation, Message, Tool
from playbook import event
from recordings import CORPUS


def answer(*events: Any) -> Conversation:
    body = b"".join(event(document, document["type"]) for document in events)
    return read_answer("openai_responses", body).conversation


def test_a_request() -> None:
    body = {
        "model": "m",
        "instructions": "Be brief.",
        "tools": [
            {"type": "function", "name": "Read", "description": "Read it.\nNow."},
            {"type": "namespace", "name": "fs", "tools": [{"type": "custom", "name": "patch"}]},
        ],
        "input": [
            {"role": "user", "content": "hello"},
            {"type": "reasoning", "summary": [], "encrypted_content": "AAAA"},
            {"type": "function_call", "call_id": "c1", "name": "Read", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": "ok"},
        ],
    }
    found = read_request("openai_responses", json.dumps(body).encode()).conversation
    assert found.tools == [Tool("Read", "Read it."), Tool("fs"), Tool("patch")]
    assert found.messages == [
        Message("system", (Block("text", "Be brief."),)),
        Message("user", (Block("text", "hello"),)),
        Message("assistant", (Block("thinking", "(encrypted)"),)),
        Message("assistant", (Block("call", name="Read", id="c1", data={}),)),
        Message("tool", (Block("result", "ok", id="c1"),)),
    ]


def test_arguments_that_come_only_when_they_are_done() -> None:
    item = {"type": "function_call", "name": "Read", "call_id": "c1", "arguments": ""}
    found = answer(
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {
            "type": "response.function_call_arguments.done",
            "output_index": 0,
            "arguments": '{"p": 1}',
        },
    )
    assert found.messages[0].blocks == (Block("call", name="Read", id="c1", data={"p": 1}),)


def test_deltas_without_indices_are_told_apart_by_their_items() -> None:
    def said(item: str, text: str) -> Any:
        return {"type": "response.output_text.delta", "item_id": item, "delta": text}

    found = answer(said("a", "One "), said("b", "Two "), said("a", "and "), said("b", "three."))
    assert found.messages[0].blocks == (Block("text", "One and Two three."),)


def test_ids_that_change_with_every_event() -> None:
    def said(item: str, text: str) -> Any:
        delta = {"item_id": item, "output_index": 0, "content_index": 0, "delta": text}
        return {"type": "response.output_text.delta", **delta}

    assert answer(said("a", "One "), said("b", "two.")).messages[0].blocks == (
        Block("text", "One two."),
    )


@pytest.mark.parametrize(
    "error",
    [
        {"type": "error", "code": "server_error", "message": "No."},
        {"type": "error", "error": {"type": "server_error", "message": "No."}},
    ],
    ids=["flat", "nested"],
)
def test_an_error_that_is_told_twice_is_shown_once(error: Any) -> None:
    failure = {"status": "failed", "error": {"code": "server_error", "message": "No."}}
    found = answer(error, {"type": "response.failed", "response": failure})
    assert found.errors == ["server_error: No."]
    assert found.messages[0].stop == "failed"


def test_why_an_answer_is_incomplete() -> None:
    details = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
    found = answer({"type": "response.incomplete", "response": details})
    assert found.messages[0].stop == "incomplete: max_output_tokens"


def recorded() -> list[Path]:
    """Streams of one response whose last event repeats the output."""
    found = []
    for path in sorted(Path(CORPUS, "openai-responses").glob("*.sse")) if CORPUS else ():
        events = bodies.documents(path.read_bytes()).found
        ends = [e for e in events if e["type"] in ("response.completed", "response.incomplete")]
        if len(ends) == 1 and ends[0]["response"].get("output"):
            found.append(path)
    return found


def test_there_are_recordings() -> None:
    if not CORPUS:
        pytest.skip("not run: WINDSURF_CORPUS names no directory of recorded streams")
    assert len(recorded()) > 10


@pytest.mark.parametrize("path", recorded(), ids=lambda path: path.name)
@pytest.mark.parametrize("left_out", ["output", "items"])
def test_a_recording_says_the_same_in_its_events_as_at_its_end(path: Path, left_out: str) -> None:
    body = path.read_bytes()
    events = copy.deepcopy(bodies.documents(body).found)
    if left_out == "items":  # only the deltas tell: enough for what models say themselves
        events = [e for e in events if e["type"] != "response.output_item.done"]
    for e in events:
        if "response" in e:
            e["response"]["output"] = []
    whole = read_answer("openai_responses", body).conversation
    assert texts(answer(*events)) == texts(whole)
    if left_out == "output":
        assert answer(*events) == whole


def texts(conversation: Conversation) -> list[tuple[str, str, str]]:
    return [
        (block.kind, block.text, block.name)
        for message in conversation.messages
        for block in message.blocks
        if block.kind in ("text", "refusal")
    ]
