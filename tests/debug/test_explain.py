"""The account of an exchange in words."""

from typing import Any

import pytest

from debug.exchanges import NEUTRAL, PRIVATE, TRIGGER, answer, exchange, request
from mitmproxy_windsurf.debug import explain as module
from mitmproxy_windsurf.debug.explain import explain, near_misses
from mitmproxy_windsurf.debug.recorded import Recorded
from mitmproxy_windsurf.prompts import RuleSet
from mitmproxy_windsurf.rewriter import Layers

DRIFTED = "You are Claude Code, the command-line tool."


def test_each_edit_is_told_with_its_rule_place_before_and_after() -> None:
    told = explain(exchange(request(TRIGGER), answer(PRIVATE)))
    assert "\nrequest: 1 change made, 165 → 139 bytes\n" in told
    assert (
        "  neutralize rule a1 changed system, 56 → 30 bytes\n"
        "    - You are Claude Code, Anthropic's official CLI for Claude\n"
        "    + You are an AI coding assistant\n"
    ) in told
    assert "  paths rule path changed text" in told
    assert told.endswith("No other rule nearly matched.")


def test_shadow_says_would_have_everywhere() -> None:
    told = explain(exchange(request(TRIGGER), answer(PRIVATE), layers=Layers(shadow=True)))
    assert "Shadow mode: nothing was changed" in told
    assert "request: 1 change would have been made" in told
    assert "neutralize rule a1 would have changed system" in told
    assert " changed" not in told.replace("nothing was changed", "").replace("have changed", "")


def test_nothing_is_told_as_nothing() -> None:
    told = explain(exchange(request(NEUTRAL), answer("hi")))
    assert "request: nothing was changed" in told
    assert "response: nothing was changed" in told


def test_near_misses_are_looked_for_in_what_the_client_sent() -> None:
    told = explain(exchange(request(f"{DRIFTED} {TRIGGER}"), answer("hi")))
    assert "1 place where a rule nearly matched:" in told
    assert "  rule a1 in system: it goes on in other words\n    > You are Claude" in told


def test_near_misses_are_those_of_the_rules_that_are_on() -> None:
    off = RuleSet(disabled=["a1"])
    assert [miss.rule for miss in near_misses("anthropic", request(DRIFTED))] == ["a1"]
    assert list(near_misses("anthropic", request(DRIFTED), off)) == []


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff", b"[" * 100_000])
def test_a_body_that_cannot_be_read_has_no_near_misses(body: bytes) -> None:
    assert list(near_misses("anthropic", body)) == []


def test_the_list_of_near_misses_is_capped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_MISSES", 2)
    told = explain(exchange(request(DRIFTED * 5)))
    assert "5 places where a rule nearly matched" in told
    assert told.count("it goes on in other words") == 2
    assert told.endswith("and 3 more")


EVENTS: dict[str, tuple[dict[str, Any], str]] = {
    "dropped": ({"dedup": {"dropped": 1204, "kept": 0}}, "dedup dropped 1,204 characters of a"),
    "would": ({"dedup": {"dropped": 1}, "shadow": True}, "dedup would have dropped 1 character of"),
    "kept": ({"dedup": {"dropped": 0, "kept": 1}}, "kept it: the client needs a visible one"),
    "blocked": ({"blocked": "HTTP 529"}, "The upstream refused the request: HTTP 529"),
    "broken": ({"outcome": "peer closed"}, "The exchange broke off: peer closed"),
    "warnings": ({"warnings": ["a layer failed"]}, "warnings:\n  a layer failed"),
    "switches": ({"switches": "-a1"}, "switched for this request: -a1"),
    "left out": ({"edits_left_out": 1500}, "  1,500 more were not noted"),
}


@pytest.mark.parametrize(("record", "words"), EVENTS.values(), ids=EVENTS.keys())
def test_everything_else_that_happened_is_told(record: dict[str, Any], words: str) -> None:
    assert words in explain(exchange(request(), answer(PRIVATE), record=record))


def test_an_exchange_without_an_account_is_told_as_such() -> None:
    told = explain(Recorded("anthropic", request(DRIFTED)))
    assert "did not go through the layers" in told
    assert "rule a1 in system" in told
    assert explain(Recorded("", None)).startswith("no request of a model")


def test_nothing_from_the_wire_moves_the_cursor() -> None:
    record = {"warnings": ["\x1b[2Jgone"], "model": "a\x1b[31m\nb", "outcome": "\x9b1m"}
    told = explain(exchange(request("\x1b]0;title\x07" + TRIGGER), answer(PRIVATE), record=record))
    assert all(char.isprintable() or char == "\n" for char in told)
