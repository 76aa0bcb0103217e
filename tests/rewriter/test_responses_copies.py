"""Responses: all that is told of a text says the same, for clients differ in what they believe."""

import json
from copy import deepcopy
from typing import Any

import pytest

from mitmproxy_windsurf.rewriter import Layers, ResponseRewriter
from mitmproxy_windsurf.wire.walk import strings
from playbook import END, MODEL, PRIVATE, Json, Playbook, documents, event, run
from responses_turn import FORMS, Turn, numbers

SEALED = "I am Cascade in /opt/windsurf/a"


def named(*events: Json) -> list[bytes]:
    return [event(one, one["type"]) for one in events]


def rewritten(events: list[Json], **options: Any) -> list[Json]:
    options = {"model": MODEL, "want_thinking": False, **options}
    rewriter = ResponseRewriter("openai_responses", Layers(), **options)
    return list(documents(run(rewriter, named(*events))))


def whole(response: Json, **options: Any) -> Json:
    options = {"model": MODEL, "want_thinking": False, **options}
    rewriter = ResponseRewriter("openai_responses", Layers(), **options)
    answer: Json = json.loads(run(rewriter, [json.dumps(response).encode()]))
    return answer


TEXTS = [
    ("text", f"I am Cascade, see {PRIVATE}/a.", f"I am {MODEL}, see <workspace>."),
    ("reasoning", f"I am Cascade, see {PRIVATE}/a.", f"I am {MODEL}, see <workspace>."),
    ("raw_reasoning", f"I am Cascade, see {PRIVATE}/a.", f"I am {MODEL}, see <workspace>."),
    ("refusal", f"I am Cascade, not {PRIVATE}/a.", "I am Cascade, not <workspace>."),
    ("custom", f'I am Cascade\n"{PRIVATE}/a"', 'I am Cascade\n"<workspace>"'),
    (
        "tool_args_delta",
        r'{"p": "\/opt\/windsurf\/a\u002fb", "q": "I am Cascade"}',
        r'{"p": "<workspace>", "q": "I am Cascade"}',
    ),
]


@pytest.mark.parametrize(("kind", "text", "clean"), TEXTS)
@pytest.mark.parametrize("size", [1, 5, 100])
def test_a_text_is_the_same_everywhere(kind: str, text: str, clean: str, size: int) -> None:
    pieces = [text[place : place + size] for place in range(0, len(text), size)]
    turn, wanted = Turn().say(kind, pieces), Turn().say(kind, [clean])
    given = deepcopy(turn.complete())
    told = rewritten(given)
    deltas = [one["delta"] for one in told if one["type"].endswith(".delta")]
    assert "".join(deltas) == clean
    assert numbers(told) == list(range(len(told)))

    def others(events: list[Json]) -> list[Json]:
        return [one | {"sequence_number": 0} for one in events if "delta" not in one]

    assert others(told) == others(wanted.complete())
    assert whole(turn.response) == wanted.response


@pytest.mark.parametrize("kind", FORMS)
def test_what_is_held_at_the_end_passes_if_it_stays(kind: str) -> None:
    """Nothing is added, and all numbers are as they were."""
    text = '["/opt/win' if kind == "tool_args_delta" else "see /opt/win"
    given = named(*Turn().say(kind, [text[:3], text[3:]]).complete())
    with Playbook("openai_responses") as stream:
        for one in given:
            stream >> one
            stream.take()
        stream >> END
        assert stream.output == b"".join(given)


@pytest.mark.parametrize("kind", FORMS)
def test_what_is_held_of_a_changed_text_goes_out_in_a_delta_of_its_own(kind: str) -> None:
    text = f'["in {PRIVATE}/a and /opt/win'
    given = Turn().say(kind, [text]).complete()
    told = rewritten(deepcopy(given))
    [place] = [index for index, one in enumerate(given) if "delta" in one]
    first, second, done = told[place : place + 3]
    assert (first["delta"], second["delta"]) == ('["in <workspace> and ', "/opt/win")
    assert second | {"delta": "", "sequence_number": 0} == first | {
        "delta": "",
        "sequence_number": 0,
    }
    assert done["type"].endswith(".done")
    assert numbers(told) == list(range(len(given) + 1))


def test_tokens_of_a_changed_text_are_emptied_in_all_places() -> None:
    def with_tokens(turn: Turn) -> list[Json]:
        events = deepcopy(turn.complete())
        for one in events:
            item, response = one.get("item", {}), one.get("response", {})
            items = [item, *response.get("output", ())]
            parts = [part for item in items for part in item.get("content", ())]
            for holder in (one, one.get("part", {}), *parts):
                if holder.get("text") or holder.get("delta"):
                    holder["logprobs"] = [{"token": PRIVATE, "bytes": [47], "logprob": -0.1}]
        return events

    told = json.dumps(rewritten(with_tokens(Turn().say("text", [f"in {PRIVATE} now"]))))
    assert PRIVATE not in told
    unchanged = with_tokens(Turn().say("text", ["in /opt now"]))
    assert rewritten(deepcopy(unchanged)) == unchanged


NOTES = [
    ({"type": "url_citation", "url": "u"}, "start_index", "end_index"),
    ({"type": "container_file_citation", "filename": "f"}, "start_index", "end_index"),
    ({"type": "file_citation", "filename": "f"}, "index", "index"),
]


@pytest.mark.parametrize(("note", "start", "end"), NOTES)
def test_citations_move_with_the_text_in_all_places(note: Json, start: str, end: str) -> None:
    def turn(text: str) -> Turn:
        turn = Turn()
        turn.begin("text")
        turn.delta(text)
        turn.annotate({**note, start: text.index("it"), end: text.index(" yes")})
        return turn

    before, after = turn(f"In {PRIVATE}/a, it says yes"), turn("In <workspace>, it says yes")
    assert rewritten(deepcopy(before.complete())) == after.complete()
    assert whole(before.response) == after.response


def test_a_place_in_a_list_is_no_place_in_the_text() -> None:
    turn = Turn()
    turn.begin("text")
    turn.delta(f"In {PRIVATE}/a, it says yes")
    turn.annotate({"type": "file_path", "file_id": "f", "index": 1})
    told = json.dumps(rewritten(turn.complete()))
    assert told.count('"index": 1') == 4


def test_arguments_that_come_only_when_they_are_done() -> None:
    """LM Studio."""
    turn = Turn().say("tool_args_delta", [])
    turn.text = f'{{"p": "{PRIVATE}/a"}}'
    given = turn.complete()
    rewriter = ResponseRewriter("openai_responses", Layers(), model=MODEL, want_thinking=False)
    told = documents(run(rewriter, named(*given)))
    assert [one["type"] for one in told] == [one["type"] for one in given]
    found = [text for one in told for path, text in strings(one) if path[-1] == "arguments"]
    assert found == ["", *['{"p": "<workspace>"}'] * 3]
    assert len(rewriter.edits) == 1


def test_a_response_without_its_items_stays_without() -> None:
    """Codex with `store: false`."""
    given = Turn().say("text", [f"in {PRIVATE}/a"]).complete()
    given[-1]["response"]["output"] = []
    assert rewritten(given)[-1]["response"]["output"] == []


def test_the_text_beside_the_items() -> None:
    given = Turn().say("text", [f"in {PRIVATE}/a"]).complete()
    given[-1]["response"]["output_text"] = f"in {PRIVATE}/a"
    assert rewritten(given)[-1]["response"]["output_text"] == "in <workspace>"
    turn = Turn().say("text", [f"in {PRIVATE}/a"]).say("text", [" I am Cascade"])
    given = turn.complete()
    given[-1]["response"]["output_text"] = f"in {PRIVATE}/a I am Cascade"
    assert rewritten(given)[-1]["response"]["output_text"] == f"in <workspace> I am {MODEL}"


def test_reasoning_and_text_beside_the_items_of_a_whole_response() -> None:
    """mistral.rs."""
    message = {"type": "message", "content": [{"type": "output_text", "text": "in /opt/windsurf"}]}
    answer = whole(
        {"output": [message], "output_text": "in /opt/windsurf", "reasoning": "I am Cascade"}
    )
    assert answer["output"][0]["content"][0]["text"] == answer["output_text"] == "in <workspace>"
    assert answer["reasoning"] == f"I am {MODEL}"


def test_what_is_sealed_stays_even_where_it_can_be_read() -> None:
    """Ollama puts the thinking there, and reads it back in the next turn."""
    given = Turn().say("reasoning", [SEALED]).complete()
    for one in given:
        for item in (one.get("item", {}), *one.get("response", {}).get("output", ())):
            item["encrypted_content"] = SEALED
    told = json.dumps(rewritten(given))
    assert told.count(SEALED) == json.dumps(given).count(f'"encrypted_content": "{SEALED}"')


def test_without_indices_texts_are_known_by_the_ids_of_their_items() -> None:
    """llama.cpp, whose response counts what its events name."""
    item = {"type": "message", "id": "m", "content": [{"type": "output_text", "text": ""}]}
    done = deepcopy(item) | {"content": [{"type": "output_text", "text": f"{PRIVATE} and /op"}]}
    other = {"type": "function_call", "call_id": "c", "arguments": f'["{PRIVATE}"]'}
    said = {"type": "response.output_text.delta", "item_id": "m"}
    told = {"type": "response.function_call_arguments.delta", "item_id": "c"}
    given: list[Json] = [
        {"type": "response.output_item.added", "item": item},
        said | {"delta": f"{PRIVATE} and"},
        said | {"delta": " /op"},
        {"type": "response.output_item.added", "item": other | {"arguments": ""}},
        told | {"delta": '["/opt/wind'},
        told | {"delta": 'surf"]'},
        {"type": "response.output_item.done", "item": done},
        {"type": "response.output_item.done", "item": other},
        {"type": "response.completed", "response": {"output": [done, other]}},
    ]
    clean = rewritten(given)
    deltas = [one for one in clean if "delta" in one]
    assert "".join(one["delta"] for one in deltas if one["item_id"] == "m") == "<workspace> and /op"
    assert "".join(one["delta"] for one in deltas if one["item_id"] == "c") == '["<workspace>"]'
    assert all(one.keys() == {"type", "item_id", "delta"} for one in deltas)
    assert PRIVATE not in json.dumps(clean)
    assert clean[-1]["response"]["output"] == [clean[-3]["item"], clean[-2]["item"]]


def test_ids_that_change_in_every_event() -> None:
    """Copilot."""
    given = Turn().say("text", ["in /opt", "/wind", "surf", " now"]).complete()
    for index, one in enumerate(given):
        if "item_id" in one:
            one["item_id"] = f"r{index}"
    told = rewritten(given)
    assert told[-1]["response"]["output"][0]["content"][0]["text"] == "in <workspace> now"
    assert "".join(one.get("delta", "") for one in told) == "in <workspace> now"
