"""Today's layers over what was recorded."""

import json

import pytest

from debug.exchanges import NEUTRAL, PRIVATE, TRIGGER, answer, exchange, request
from mitmproxy_windsurf.debug.recheck import MAX_LINES, ONLY_BYTES, Check, recheck, report
from mitmproxy_windsurf.debug.recorded import Recorded
from mitmproxy_windsurf.prompts import RuleSet
from mitmproxy_windsurf.rewriter import Layers

WITHOUT_A1 = Layers(rules=RuleSet(disabled=["a1"]))


@pytest.mark.parametrize("system", [NEUTRAL, TRIGGER, f"{TRIGGER}\n\nMore."])
@pytest.mark.parametrize("text", ["hi", f"see {PRIVATE}", "I am Cascade, made by Codeium."])
def test_the_same_layers_make_no_difference(system: str, text: str) -> None:
    assert recheck(exchange(request(system), answer(text)), Layers()) == Check("same", "")


def test_a_part_of_a_prompt_that_is_gone_makes_no_difference() -> None:
    blocks = [
        {"type": "text", "text": text}
        for text in ("x-anthropic-billing-header: cc_version=2.1.9; cc_entrypoint=cli;", "Hi.")
    ]
    recorded = exchange(request(system=blocks))  # type: ignore[arg-type]
    assert recorded.request
    assert len(json.loads(recorded.request)["system"]) == 1
    assert recheck(recorded, Layers()).state == "same"


def test_a_rule_that_no_longer_fires_shows_in_the_request() -> None:
    check = recheck(exchange(request(TRIGGER), answer("hi"), title="T"), WITHOUT_A1)
    assert (check.state, check.title) == ("differs", "T")
    assert check.lines[0] == "rule neutralize a1: 1 then, 0 today"
    assert check.lines[1:] == (
        "--- request as sent",
        "+++ request today",
        "@@ -1,2 +1,2 @@",
        " [system]",
        f"-{NEUTRAL}",
        f"+{TRIGGER}",
    )


def test_a_layer_that_is_off_shows_in_the_answer() -> None:
    check = recheck(exchange(request(), answer(PRIVATE)), Layers(paths=False))
    assert check.lines[0] == "rule paths path: 1 then, 0 today"
    assert any(line.startswith("-") and "<workspace>" in line for line in check.lines)
    assert any(line.startswith("+") and PRIVATE in line for line in check.lines)


def test_shadow_of_today_does_not_hide_a_difference() -> None:
    recorded = exchange(request(TRIGGER), layers=WITHOUT_A1)
    assert recheck(recorded, Layers(shadow=True)).state == "differs"


def test_shadow_of_then_shows_what_would_be_changed() -> None:
    recorded = exchange(request(TRIGGER), answer(PRIVATE), layers=Layers(shadow=True))
    check = recheck(recorded, Layers())
    assert check.state == "differs"
    assert f"+{NEUTRAL}" in check.lines


def test_an_answer_that_broke_off_is_compared_to_where_it_broke() -> None:
    start = b'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"'
    broken = start + b'/tmp/wind"}}\n\n'
    recorded = Recorded("anthropic", request(), broken, broken=True)
    assert recheck(recorded, Layers()).state == "same"


@pytest.mark.parametrize(
    ("recorded", "why"),
    [
        (Recorded("", request()), "no request of a model"),
        (Recorded("anthropic", None), "the client's request was not kept"),
        (
            Recorded("anthropic", request(), record={"request_bytes": [2, 1]}),
            "the client's request was not kept",
        ),
    ],
)
def test_what_was_not_kept_cannot_be_told(recorded: Recorded, why: str) -> None:
    assert recheck(recorded, Layers()) == Check("unknown", "", (why,))


def test_an_answer_that_was_not_kept_is_said_and_the_request_compared() -> None:
    recorded = Recorded("anthropic", request(), answer("x"), record={"response_bytes": [2, 1]})
    check = recheck(recorded, Layers())
    assert check.state == "same"
    assert check.lines == ("the upstream's answer was not kept, only the request is compared",)


def test_a_body_that_is_no_json_is_compared_all_the_same() -> None:
    assert recheck(Recorded("anthropic", b"{", answer("x")), Layers()).state == "same"


def test_long_differences_and_keys_are_cut() -> None:
    key = "sk-" + "ant-0123456789abcdefgh"
    system = "\n".join([TRIGGER, *(f"{key} {number} /opt/x" for number in range(300))])
    recorded = Recorded(
        "anthropic",
        request("other\n" * 300),
        record={
            "original_request": request(system),
            "request_bytes": [2, 1],
        },
    )
    check = recheck(recorded, Layers())
    assert check.lines[-1] == "…"
    assert len(check.lines) <= MAX_LINES + 3
    assert key not in report([check])


def test_an_answer_that_differs_in_its_line_ends_only_differs() -> None:
    told = b"event: ping\r\ndata: {}\r\n\r\n"
    record = {"original_response": told, "response_bytes": [2, 1]}
    sent = Recorded("anthropic", request(), told.replace(b"\r", b""), record=record)
    assert recheck(sent, Layers()) == Check("differs", "", (ONLY_BYTES,))


def test_the_report_has_a_line_for_each_and_a_sum() -> None:
    checks = [
        Check("same", "A"),
        Check("differs", "B", ("-x", "+y")),
        Check("unknown", "C", ("w",)),
    ]
    assert report(checks).split("\n") == [
        "= A",
        "≠ B",
        "    -x",
        "    +y",
        "? C",
        "    w",
        "3 exchanges: 1 as they were sent, 1 would differ, 1 cannot be told",
    ]
    assert report([]).startswith("0 exchanges")
