"""Responses: prompts on their way up, and the way back of those that the server repeats."""

import json
from typing import Any

import pytest

from mitmproxy_windsurf.rewriter import Layers, RequestRewriter, ResponseRewriter
from playbook import MODEL, Json, documents, event, run
from responses_turn import Turn

TRIGGER = "You are Claude Code, Anthropic's official CLI for Claude."
CLEAN = "You are an AI coding assistant."
PATCH = "This is a FREEFORM tool, so do not wrap the patch in JSON."


def rewriter() -> RequestRewriter:
    return RequestRewriter("openai_responses", Layers())


def sent(body: Json) -> Json:
    answer: Json = json.loads(rewriter().rewrite(json.dumps(body).encode()))
    return answer


@pytest.mark.parametrize(
    "body",
    [
        {"instructions": TRIGGER},
        {"input": [{"role": "developer", "content": TRIGGER}]},
        {"input": [{"type": "message", "role": "system", "content": TRIGGER}]},
        {"input": [{"role": "system", "content": [{"type": "input_text", "text": TRIGGER}]}]},
    ],
)
def test_prompts_are_neutralized(body: Json) -> None:
    assert json.dumps(sent(body)) == json.dumps(body).replace(TRIGGER, CLEAN)


@pytest.mark.parametrize(
    "body",
    [
        {"input": TRIGGER},
        {"input": [{"role": "user", "content": TRIGGER}]},
        {"input": [{"role": "assistant", "content": [{"type": "output_text", "text": TRIGGER}]}]},
        {"input": [{"type": "function_call_output", "call_id": "c", "output": TRIGGER}]},
        {"input": [{"type": "reasoning", "summary": [{"type": "summary_text", "text": TRIGGER}]}]},
        {"metadata": {"note": TRIGGER}},
        {"tools": [{"type": "custom", "name": TRIGGER, "format": {"definition": PATCH}}]},
    ],
)
def test_all_else_goes_up_byte_for_byte(body: Json) -> None:
    raw = json.dumps(body).encode()
    one = rewriter()
    assert one.rewrite(raw) == raw
    assert not one.edits


@pytest.mark.parametrize("where", ["tools", "additional_tools", "namespace"])
def test_descriptions_of_tools_are_neutralized(where: str) -> None:
    tools: list[Json] = [{"type": "custom", "name": "apply_patch", "description": PATCH}]
    body: Json = {"tools": tools}
    if where == "namespace":
        body = {"tools": [{"type": "namespace", "name": "n", "tools": tools}]}
    elif where == "additional_tools":
        body = {"input": [{"type": where, "role": "developer", "tools": tools}]}
    raw = json.dumps(sent(body))
    assert "FREEFORM" not in raw
    assert "wrap the patch" not in raw


def told(request: Json, response: Json, *, streamed: bool) -> Json:
    """What a client gets that is shown its prompt."""
    asked = rewriter()
    asked.rewrite(json.dumps(request).encode())
    answer: Any = ResponseRewriter(
        "openai_responses", Layers(), model=MODEL, want_thinking=False, echoes=asked.echoes
    )
    if streamed:
        turn = Turn(**response).say("text", ["Hi."])
        events = [event(one, one["type"]) for one in turn.complete()]
        first, *_, last = documents(run(answer, events))
        assert {**first["response"], "output": [], "status": ""} == {
            **last["response"],
            "output": [],
            "status": "",
        }
        whole: Json = last["response"]
        return whole
    whole = json.loads(run(answer, [json.dumps({**response, "output": []}).encode()]))
    return whole


@pytest.mark.parametrize("streamed", [True, False])
def test_the_client_is_shown_what_it_has_said(streamed: bool) -> None:
    tool = {"type": "custom", "name": "apply_patch", "description": PATCH}
    said: Json = {"instructions": f"{TRIGGER} Be brief.", "tools": [tool]}
    up = sent(said)
    assert up["instructions"] != said["instructions"]
    assert up["tools"] != said["tools"]
    back = told(said, up, streamed=streamed)
    assert {name: back[name] for name in said} == said


@pytest.mark.parametrize("streamed", [True, False])
def test_instructions_may_come_back_as_items(streamed: bool) -> None:
    def turn(text: str) -> Json:
        return {
            "type": "message",
            "role": "developer",
            "content": [{"type": "input_text", "text": text}],
        }

    said = turn(f"{TRIGGER} Be brief.")
    [up] = sent({"input": [said]})["input"]
    assert up != said
    back = told({"input": [said]}, {"instructions": [up]}, streamed=streamed)
    assert back["instructions"] == [said]


def test_without_a_change_nothing_is_restored() -> None:
    said: Json = {"instructions": "Be brief.", "tools": []}
    assert told(said, said, streamed=True)["instructions"] == "Be brief."
