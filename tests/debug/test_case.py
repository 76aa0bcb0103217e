"""Cases: what is in them, what is not, and that they run."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debug.exchanges import MODEL, NEUTRAL, PRIVATE, TRIGGER, answer, exchange, request
from mitmproxy_windsurf.debug.case import CaseError, dumped, make, replay
from mitmproxy_windsurf.debug.recorded import Recorded
from mitmproxy_windsurf.prompts import RuleSet
from mitmproxy_windsurf.rewriter import Layers
from traffic import render

KEY = "sk-" + "ant-api03-0123456789abcdefghij"


def read_back(case: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(dumped(case))
    return found


def test_a_case_expects_what_the_layers_do() -> None:
    case = make(exchange(request(TRIGGER), answer(PRIVATE)), Layers())
    assert json.loads(case["request"])["system"] == TRIGGER
    assert json.loads(case["expected"]["request"])["system"] == NEUTRAL
    assert [(edit["layer"], edit["rule"]) for edit in case["expected"]["edits"]] == [
        ("neutralize", "a1"),
        ("paths", "path"),
    ]
    assert replay(read_back(case)) == []


def test_a_streamed_answer_is_kept_event_by_event() -> None:
    frames = render("anthropic", [{"text": "see /tmp/wind"}, {"text": "surf-workspace/a.py now"}])
    recorded = Recorded("anthropic", request(), b"".join(frames), content_type="text/event-stream")
    case = make(recorded, Layers())
    assert case["response"] == [frame.decode() for frame in frames]
    assert "<workspace>" in "".join(case["expected"]["response"])
    assert replay(read_back(case)) == []


def test_a_difference_is_told_with_what_was_expected_and_what_came() -> None:
    case = make(exchange(request(TRIGGER), answer(PRIVATE)), Layers())
    case["expected"]["edits"] = []
    [line] = replay(case)
    assert line.startswith("edits: expected [], found [{")


def test_the_path_of_a_request_may_name_the_model() -> None:
    body = {"candidates": [{"content": {"parts": [{"text": "I am Cascade."}]}}]}
    asked = Recorded(
        "gemini",
        b"{}",
        json.dumps(body).encode(),
        content_type="application/json",
        path="/v1beta/models/gemini-2.5-pro:generateContent",
    )
    case = make(asked, Layers())
    assert "I am gemini-2.5-pro." in case["expected"]["response"][0]
    assert replay(case) == []


def test_switched_layers_and_rules_are_part_of_a_case() -> None:
    layers = Layers(identity=False, private_paths=("/srv/app",), rules=RuleSet(disabled=["a1"]))
    case = read_back(make(exchange(request(TRIGGER), answer("in /srv/app/x")), layers))
    assert case["layers"]["identity"] is False
    assert "a1" not in case["rules"]
    assert json.loads(case["expected"]["request"])["system"] == TRIGGER
    assert "/srv/app" not in "".join(case["expected"]["response"])
    assert replay(case) == []


def test_own_rules_are_given_to_the_replay(tmp_path: Any) -> None:
    file = tmp_path / "own.toml"
    file.write_text(
        '[[rule]]\nid = "mine"\nkind = "phrase"\nwords = "Foo"\nreplacement = "Bar"\n', "utf-8"
    )
    case = make(exchange(request("Foo")), Layers(rules=RuleSet([file])))
    assert replay(case, rules=RuleSet([file])) == []
    assert replay(case)


def test_keys_are_not_in_a_case() -> None:
    case = make(exchange(request(f"{TRIGGER} {KEY}"), answer(f"{PRIVATE} {KEY}")), Layers())
    assert KEY not in dumped(case)
    assert replay(read_back(case)) == []


@pytest.mark.parametrize(
    ("recorded", "why"),
    [
        (Recorded("", request()), "no request of a model"),
        (Recorded("anthropic", None), "request was not kept"),
        (
            Recorded("anthropic", request(), answer("x"), record={"response_bytes": [2, 1]}),
            "answer was not kept",
        ),
    ],
)
def test_what_was_not_kept_makes_no_case(recorded: Recorded, why: str) -> None:
    with pytest.raises(CaseError, match=why):
        make(recorded, Layers())


@given(st.binary(), st.binary(), st.sampled_from([200, 500]), st.booleans())
def test_any_bytes_survive_the_file(asked: bytes, told: bytes, status: int, broken: bool) -> None:
    recorded = Recorded("anthropic", asked, told, status=status, broken=broken)
    case = read_back(make(recorded, Layers()))
    assert case["request"].encode("utf-8", "surrogateescape") == asked
    assert "".join(case["response"]).encode("utf-8", "surrogateescape") == told
    assert replay(case) == []


@pytest.mark.parametrize("case", [{}, {"expected": {}}, {"layers": [], "rules": 3}])
def test_what_is_no_case_is_said_to_be_none(case: dict[str, Any]) -> None:
    with pytest.raises(CaseError, match="this is no case"):
        replay(case)


def test_a_case_names_no_more_than_it_needs() -> None:
    case = make(
        exchange(request(TRIGGER), answer("hi"), title="POST /v1/x @id", client="me"), Layers()
    )
    assert set(case) == {
        "version",
        "protocol",
        "layers",
        "rules",
        "status",
        "content_type",
        "keep_visible",
        "broken",
        "request",
        "response",
        "expected",
    }
    assert MODEL in case["request"]
