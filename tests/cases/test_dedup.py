"""Cases of the dedup that are told in a sentence: whole answers with reasoning and text."""

from typing import Any

import pytest

from casebook import case, covers
from mitmproxy_windsurf.text.dedup import ReasoningDedup
from mitmproxy_windsurf.wire.thinking import wants_thinking
from responses_turn import Turn
from traffic import MODEL, Event, Said, each_protocol, render, rewrite, rewrite_whole, said


def spoken(protocol: str, events: list[Event], **options: Any) -> list[tuple[str, str]]:
    stream = rewrite(protocol, render(protocol, events), **options)
    return [(piece.channel, piece.text) for piece in said(protocol, stream)]


@each_protocol
@covers("D-51")
def test_raw_text_is_compared_with_raw_reasoning(protocol: str) -> None:
    told = spoken(protocol, case("D-51").input["events"], want_thinking=True)
    assert told == [("reasoning", f"I am {MODEL}. Plan A.")]


@each_protocol
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


@each_protocol
@covers("D-43")
def test_json_mode_obeys_the_same_gate(protocol: str) -> None:
    asked = case("D-43").input["request"]
    wanted = wants_thinking(protocol, asked)
    told = spoken(protocol, case("D-43").input["events"], want_thinking=wanted)
    assert told == [("reasoning", '{"a":1}'), ("text", '{"a":1}')]


@covers("D-42")
def test_an_effort_of_none_asks_for_no_thinking() -> None:
    asked, events = case("D-42").input["request"], case("D-42").input["events"]
    wanted = wants_thinking("openai_responses", asked)
    told = [("reasoning", "Plan A."), ("text", "Plan A.")]
    assert spoken("openai_responses", events, want_thinking=wanted) == told
    asked["reasoning"]["effort"] = "low"
    wanted = wants_thinking("openai_responses", asked)
    assert spoken("openai_responses", events, want_thinking=wanted) == told[:1]


@covers("D-40")
def test_thoughts_that_were_not_asked_for_are_no_reason_to_drop_the_text() -> None:
    asked, events = case("D-40").input["request"], case("D-40").input["events"]
    wanted = wants_thinking("gemini", asked)
    told = [("reasoning", "Plan A."), ("text", "Plan A.")]
    assert spoken("gemini", events, want_thinking=wanted) == told
    asked["generationConfig"]["thinkingConfig"]["includeThoughts"] = True
    wanted = wants_thinking("gemini", asked)
    assert spoken("gemini", events, want_thinking=wanted) == told[:1]


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


@each_protocol
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
    elif protocol == "gemini":
        parts = [{"text": reasoning, "thought": True}, {"text": text}]
        document: dict[str, Any] = {
            "candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]
        }
        [candidate] = rewrite_whole(protocol, document, want_thinking=wanted)["candidates"]
        thought, answer = candidate["content"]["parts"]
        assert thought == parts[0]
        left = answer["text"]
    elif protocol == "openai_responses":
        turn = Turn().say("reasoning", [reasoning]).say("text", [text])
        turn.complete()
        thought, message = rewrite_whole(protocol, turn.response, want_thinking=wanted)["output"]
        assert thought["summary"][0]["text"] == reasoning
        left = message["content"][0]["text"]
    else:
        document = {"choices": [{"index": 0, "message": {"role": "assistant"} | given}]}
        message = rewrite_whole(protocol, document, want_thinking=wanted)["choices"][0]["message"]
        assert message["reasoning_content"] == reasoning
        left = message["content"] or ""
    assert left == ("" if wanted else text)


@each_protocol
@covers("D-48")
def test_repeated_reasoning_passes(protocol: str) -> None:
    told = spoken(protocol, case("D-48").input["events"], want_thinking=True)
    assert told == [("reasoning", "TheThe"), ("text", "x")]


@each_protocol
@covers("D-49")
def test_a_cut_stream_gives_back_what_is_held(protocol: str) -> None:
    told = spoken(protocol, case("D-49").input["events"], want_thinking=True, broken=True)
    assert told == [("reasoning", "Plan"), ("text", "Plan")]
