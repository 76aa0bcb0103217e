"""Cases of layer 1 that are told in a sentence: what is rewritten in which part of a request."""

import json
from pathlib import Path
from typing import Any

import pytest

from casebook import case, covers
from mitmproxy_windsurf.prompts import RuleSet
from mitmproxy_windsurf.prompts.neutralize import neutralize
from mitmproxy_windsurf.rewriter import Layers, RequestRewriter
from mitmproxy_windsurf.wire.detect import detect
from traffic import each_protocol

TRIGGER = "You are Claude Code, Anthropic's official CLI for Claude."


def rewritten(protocol: str, body: dict[str, Any]) -> dict[str, Any]:
    result = RequestRewriter(protocol, Layers()).rewrite(json.dumps(body).encode())
    parsed: dict[str, Any] = json.loads(result)
    return parsed


def asking(protocol: str, *texts: str) -> dict[str, Any]:
    """A request with a system prompt in these parts."""
    if protocol == "gemini":
        return {"systemInstruction": {"parts": [{"text": text} for text in texts]}, "contents": []}
    if protocol == "openai_responses":
        items = [{"type": "input_text", "text": text} for text in texts]
        return {"model": "m", "input": [{"role": "developer", "content": items}]}
    parts = [{"type": "text", "text": text} for text in texts]
    if protocol == "anthropic":
        return {"model": "m", "system": parts, "messages": []}
    return {"model": "m", "messages": [{"role": "system", "content": parts}]}


def system_prompt(protocol: str, body: dict[str, Any]) -> str:
    """Its text."""
    if protocol == "gemini":
        parts = body["systemInstruction"]["parts"]
    elif protocol == "openai_responses":
        parts = body["input"][0]["content"]
    else:
        parts = body["system"] if protocol == "anthropic" else body["messages"][0]["content"]
    return "".join(part["text"] for part in parts)


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


@each_protocol
@covers("N-52")
def test_a_phrase_cut_over_two_parts_is_found(protocol: str) -> None:
    texts = [part["text"] for part in case("N-52").input["parts"]]
    answer = rewritten(protocol, asking(protocol, *texts, "Be brief."))
    prompt = system_prompt(protocol, answer)
    assert "official CLI" not in prompt
    assert prompt.endswith("Be brief.")


@covers("N-59")
def test_users_add_rules_without_code(tmp_path: Path) -> None:
    pack = tmp_path / "codex.toml"
    pack.write_text(
        """
        [[rule]]
        id = "mine"
        kind = "sentence"
        opening = "You are a coding agent running in the Codex CLI"
        replacement = "You are an AI coding assistant."
        """,
        "utf-8",
    )
    result = neutralize(case("N-59").text, rules=RuleSet([pack]))
    assert result.text.startswith("You are an AI coding assistant. Codex CLI is")
    assert "mine" in [edit.rule for edit in result.edits]


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


@each_protocol
@covers("P-66", "X-14")
def test_history_and_harmless_prompts_go_up_byte_for_byte(protocol: str) -> None:
    messages = case("P-66").input["request"]["messages"]
    asked = asking(protocol, "Be brief.")
    if protocol == "gemini":
        asked["contents"] = [{"parts": [{"text": json.dumps(one)}]} for one in messages]
    else:
        asked["input" if protocol == "openai_responses" else "messages"] += messages
    body = json.dumps(asked).encode()
    rewriter = RequestRewriter(protocol, Layers())
    assert rewriter.rewrite(body) == body
    assert not rewriter.edits


@each_protocol
@covers("X-16")
def test_every_rewrite_of_a_request_is_told(protocol: str) -> None:
    rewriter = RequestRewriter(protocol, Layers())
    rewriter.rewrite(json.dumps(asking(protocol, TRIGGER)).encode())
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
