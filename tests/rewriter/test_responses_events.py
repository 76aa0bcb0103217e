"""Responses: the events of a stream one by one, what ends a text, and how an answer fails."""

import json
from copy import deepcopy
from typing import Any

import pytest

from mitmproxy_windsurf.rewriter import Layers, ResponseRewriter
from playbook import ABORT, DONE, END, MODEL, PRIVATE, Json, Like, Playbook, documents, event, run
from responses_turn import Turn, numbers

AT: Json = {"item_id": "m", "output_index": 0}


def said(text: str, number: int, **at: Any) -> bytes:
    kind = "response.output_text.delta"
    at = {"content_index": 0, "logprobs": [], **AT, **at}
    return event({"type": kind, "sequence_number": number, **at, "delta": text}, kind)


def done(text: str, number: int) -> bytes:
    kind = "response.output_text.done"
    at = {"content_index": 0, **AT}
    return event({"type": kind, "sequence_number": number, **at, "text": text}, kind)


def call(text: str, number: int, output: int = 1) -> bytes:
    kind = "response.function_call_arguments.delta"
    at = {"item_id": "c", "output_index": output}
    return event({"type": kind, "sequence_number": number, **at, "delta": text}, kind)


def other(number: int) -> bytes:
    kind = "response.web_search_call.searching"
    return event({"type": kind, "output_index": 3, "sequence_number": number}, kind)


def failed(number: int) -> bytes:
    response = {"status": "failed", "error": {"code": "x", "message": f"no {PRIVATE}/a"}}
    kind = "response.failed"
    return event({"type": kind, "response": response, "sequence_number": number}, kind)


def test_an_added_delta_moves_all_later_numbers() -> None:
    with Playbook("openai_responses") as stream:
        stream >> said(f"{PRIVATE} /op", 4) << said("<workspace> ", 4)
        stream >> done(f"{PRIVATE} /op", 5)
        stream << Like(said("/op", 5)) << done("<workspace> /op", 6)
        stream >> other(6) << other(7)
        stream >> said("a", 7, output_index=2) << said("a", 8, output_index=2)
        stream >> END


def test_a_text_that_only_waits_moves_nothing() -> None:
    with Playbook("openai_responses") as stream:
        stream.holds(said("see /op", 4))
        stream >> done("see /op", 5) << said("see /op", 4) << done("see /op", 5)
        stream.passes(other(6))
        stream >> END


def test_what_is_held_goes_out_before_a_call() -> None:
    with Playbook("openai_responses") as stream:
        stream >> said(f"{PRIVATE} I am Casc", 4) << said("<workspace> I am ", 4)
        stream >> call('{"p', 5) << Like(said("Casc", 5)) << call('{"p', 6)
        stream >> END


def test_calls_in_turn_do_not_mix() -> None:
    with Playbook("openai_responses") as stream:
        stream.passes(call('["', 0, 1), call('["', 1, 2))
        stream.holds(call("/opt/wind", 2, 1))
        stream >> call(f"{PRIVATE}/b x", 3, 2) << call("", 2, 1) << call("<workspace> x", 3, 2)
        stream >> call('surf/a"]', 4, 1) << call('<workspace>"]', 4, 1)
        stream >> END


def test_names_and_frames_are_those_of_the_stream() -> None:
    """OpenRouter's events have no names, and end with a marker."""

    def nameless(one: bytes) -> bytes:
        return one.partition(b"\n")[2]

    with Playbook("openai_responses") as stream:
        stream >> nameless(said(f"{PRIVATE} /op", 4)) << nameless(said("<workspace> ", 4))
        stream.passes(nameless(other(5)))
        stream >> DONE << Like(nameless(said("/op", 6))) << DONE
        stream >> END


def test_a_delta_at_the_very_end_has_the_last_number() -> None:
    with Playbook("openai_responses") as stream:
        stream >> said(f"{PRIVATE} /op", 4) << said("<workspace> ", 4)
        stream >> call(f'["{PRIVATE} /op', 5)
        stream << Like(said("/op", 5)) << call('["<workspace> ', 6)
        stream >> END << Like(call("/op", 7))


@pytest.mark.parametrize(
    "members",
    [
        {"code": "x", "message": f"no {PRIVATE}/a"},
        {"error": {"type": "x", "message": f"no {PRIVATE}/a"}},
    ],
)
def test_an_error_gives_back_what_is_held(members: Json) -> None:
    def error(members: Any, number: int) -> bytes:
        return event({"type": "error", **members, "sequence_number": number}, "error")

    clean = json.loads(json.dumps(members).replace(f"{PRIVATE}/a", "<workspace>"))
    with Playbook("openai_responses", want_thinking=True) as stream:
        stream >> said(f"{PRIVATE} I am Casc", 4) << said("<workspace> I am ", 4)
        stream >> error(members, 5) << Like(said("Casc", 5)) << error(clean, 6)
        stream >> failed(6)
        stream << event(
            json.loads(
                failed(7).partition(b"data: ")[2].replace(b"/opt/windsurf/a", b"<workspace>")
            ),
            "response.failed",
        )
        stream >> END


def test_a_break_gives_back_what_is_held() -> None:
    with Playbook("openai_responses") as stream:
        stream.holds(held := said("see /op", 4))
        stream >> ABORT << held


THOUGHT = "Plan A."


def texts(events: list[Json], **options: Any) -> list[str]:
    """What is told of the text of the second item, in each place."""
    rewriter = ResponseRewriter("openai_responses", Layers(), model=MODEL, **options)
    told = documents(run(rewriter, [event(one, one["type"]) for one in events]))
    assert numbers(told) == list(range(len(events))), "nothing is added or left out"
    deltas = [one["delta"] for one in told if one["type"] == "response.output_text.delta"]
    found = ["".join(deltas)]
    for one in told:
        if one["type"] == "response.output_text.done":
            found.append(one["text"])
        elif one["type"] == "response.content_part.done" and one["output_index"] == 1:
            found.append(one["part"]["text"])
        elif one["type"] == "response.output_item.done" and one["output_index"] == 1:
            found.append(one["item"]["content"][0]["text"])
    output = told[-1]["response"]["output"]
    found += [item["content"][0]["text"] for item in output if item["type"] == "message"]
    return found


@pytest.mark.parametrize("thinking", ["reasoning", "raw_reasoning"])
@pytest.mark.parametrize(
    ("text", "told"),
    [
        (THOUGHT, ""),
        ("Plan", "Plan"),
        ("Plan A. So", "Plan A. So"),
        ("No.", "No."),
    ],
)
def test_a_text_that_repeats_the_reasoning_is_dropped_everywhere(
    thinking: str, text: str, told: str
) -> None:
    events = Turn().say(thinking, ["Plan ", "A."]).say("text", [text[:3], text[3:]]).complete()
    assert texts(deepcopy(events), want_thinking=True) == [told] * 5
    assert texts(deepcopy(events), want_thinking=False) == [text] * 5
    assert texts(events, want_thinking=True, keep_visible=True) == [text] * 5


def test_reasoning_in_parts_is_compared_as_one() -> None:
    turn = Turn()
    turn.begin("reasoning")
    turn.delta("Plan ")
    turn.delta("A.")
    turn.stop()
    assert texts(turn.say("text", [THOUGHT]).complete(), want_thinking=True) == [""] * 5


def test_a_dropped_text_stays_away_from_a_response_that_counts_otherwise() -> None:
    """LM Studio leaves the reasoning out of it."""
    events = Turn().say("raw_reasoning", [THOUGHT]).say("text", [THOUGHT]).complete()
    del events[-1]["response"]["output"][0]
    assert texts(events, want_thinking=True) == [""] * 5


def test_after_a_call_no_text_is_a_repetition() -> None:
    turn = Turn().say("reasoning", [THOUGHT]).say("tool_args_delta", ["{}"])
    events = turn.say("text", [THOUGHT]).complete()
    rewriter = ResponseRewriter("openai_responses", Layers(), model=MODEL, want_thinking=True)
    given = b"".join(event(one, one["type"]) for one in events)
    assert run(rewriter, [given]) == given


def test_a_response_that_failed_loses_nothing() -> None:
    turn = Turn().say("reasoning", [THOUGHT])
    turn.begin("text")
    turn.delta(THOUGHT)
    item = {"type": "message", "content": [{"type": "output_text", "text": THOUGHT}]}
    turn.response["output"].append(item)
    turn.response["status"] = "failed"
    kind = "response.failed"
    last = {"type": kind, "sequence_number": len(turn.events), "response": turn.response}
    given = b"".join(event(one, one["type"]) for one in [*turn.events, last])
    rewriter = ResponseRewriter("openai_responses", Layers(), model=MODEL, want_thinking=True)
    assert run(rewriter, [given]) == given
    rewriter = ResponseRewriter("openai_responses", Layers(), model=MODEL, want_thinking=True)
    body = json.dumps(turn.response).encode()
    assert run(rewriter, [body]) == body


def test_an_answer_that_was_cut_off_is_one() -> None:
    """Its arguments need not be valid JSON."""
    turn = Turn().say("tool_args_delta", [f'{{"p": "{PRIVATE}/a", "q": "\\u00'])
    turn.stop()
    turn.response["status"] = "incomplete"
    kind = "response.incomplete"
    last = {"type": kind, "sequence_number": len(turn.events), "response": turn.response}
    given = [event(one, one["type"]) for one in [*turn.events, last]]
    rewriter = ResponseRewriter("openai_responses", Layers(), model=MODEL, want_thinking=False)
    *_, delta, rest, done, item, response = documents(run(rewriter, given))
    wanted = '{"p": "<workspace>", "q": "\\u00'
    assert delta["delta"] + rest["delta"] == wanted
    assert done["arguments"] == item["item"]["arguments"] == wanted
    assert response["response"]["output"][0]["arguments"] == wanted


def test_the_item_of_a_tool_that_the_server_runs() -> None:
    turn = Turn()
    turn.add(
        {
            "type": "code_interpreter_call",
            "id": "I am Cascade",
            "code": f"open('{PRIVATE}/a')",
            "outputs": [{"type": "logs", "logs": f"I am Cascade, no {PRIVATE}/a"}],
        }
    )
    events = turn.complete()
    rewriter = ResponseRewriter("openai_responses", Layers(), model=MODEL, want_thinking=False)
    _, item, response = documents(run(rewriter, [event(one, one["type"]) for one in events]))
    wanted = json.loads(json.dumps(events[1]["item"]).replace(f"{PRIVATE}/a", "<workspace>"))
    assert item["item"] == response["response"]["output"][0] == wanted
