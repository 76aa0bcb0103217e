"""The whole search against gates that tests make up."""

import json
import random
import re
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bisect_requests import REQUESTS, anthropic, claude_code, prompt, tool
from mitmproxy_windsurf.debug.bisect import Bisection, Result
from mitmproxy_windsurf.debug.verdict import Judgement

BLOCKED = Judgement("blocked", "HTTP 529")
PASSED = Judgement("passed", "HTTP 200")
LATER = Judgement("wait", "HTTP 429")
NEVER = Judgement("stop", "the upstream refuses the key")

HERON = "The copper heron counts the tides."
KETTLE = "Amber kettles hum in B flat."
COMET = "Grease the wooden comet."

Gate = Callable[[str], bool]


@dataclass
class Upstream:
    """Answers by a gate and remembers what was sent."""

    gate: Gate
    sent: list[bytes] = field(default_factory=list)

    def answer(self, body: bytes) -> Judgement:
        self.sent.append(body)
        return BLOCKED if self.gate(body.decode()) else PASSED


def run(body: bytes, gate: Gate, *, requests: int = 60) -> tuple[Result, Upstream]:
    upstream = Upstream(gate)
    bisection = Bisection("anthropic", body, requests=requests)
    while bisection.request is not None:
        bisection.tell(upstream.answer(bisection.request))
    assert bisection.result
    return bisection.result, upstream


def found(result: Result) -> list[list[str]]:
    return [[fragment.text for fragment in trigger.fragments] for trigger in result.triggers]


def planted(*texts: str, size: int = 2000, seed: int = 1) -> bytes:
    chance = random.Random(seed)
    tools = [tool(chance, "Read"), tool(chance, "Write")]
    return anthropic(prompt(chance, size, *texts), tools)


triggers = st.lists(st.sampled_from([HERON, KETTLE, COMET]), min_size=1, max_size=3, unique=True)


@settings(max_examples=30, deadline=None)
@given(triggers, st.integers(0, 1000))
def test_a_conjunction_is_found_and_nothing_beside_it(texts: list[str], seed: int) -> None:
    result, upstream = run(
        planted(*texts, seed=seed), lambda body: all(text in body for text in texts)
    )
    [trigger] = found(result)
    assert sorted(re.split(r"(?<=\.) ", " ".join(trigger))) == sorted(texts)
    assert result.proven
    assert result.requests == len(upstream.sent) <= 60


@settings(max_examples=20, deadline=None)
@given(triggers, st.integers(0, 1000))
def test_each_of_several_triggers_is_found(texts: list[str], seed: int) -> None:
    body = planted(*texts, seed=seed)
    result, _ = run(body, lambda body: any(text in body for text in texts))
    assert result.proven
    assert sorted(" ".join(trigger) for trigger in found(result)) == sorted(texts)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000))
def test_no_request_is_sent_twice_but_to_measure_and_to_confirm(seed: int) -> None:
    _, upstream = run(planted(HERON, seed=seed), lambda body: HERON in body)
    times = Counter(upstream.sent)
    assert times[upstream.sent[0]] == 5
    assert times[upstream.sent[-1]] == 5
    assert all(times[body] == 1 for body in upstream.sent[5:-5])


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 60), st.sampled_from([all, any]), st.integers(0, 100))
def test_the_budget_is_kept(requests: int, mode: Callable[..., bool], seed: int) -> None:
    body = planted(HERON, KETTLE, seed=seed)
    result, upstream = run(
        body, lambda body: mode(text in body for text in (HERON, KETTLE)), requests=requests
    )
    assert len(upstream.sent) == result.requests <= requests
    if not result.proven:
        assert "budget" in result.sentence or result.passed.total < 5


def test_a_budget_that_ends_early_tells_where_it_is() -> None:
    result, _ = run(planted(HERON), lambda body: HERON in body, requests=10)
    assert result.outcome == "unfinished"
    assert "the budget of 10 requests is used up" in result.sentence
    assert any(HERON in fragment.text for fragment in result.left)


def test_a_sentence_in_60_kb_takes_at_most_40_requests() -> None:
    for seed in range(3):
        result, _ = run(claude_code(random.Random(seed), HERON), lambda body: HERON in body)
        assert result.proven
        assert found(result) == [[HERON]]
        assert result.requests <= 40


@pytest.mark.parametrize("pattern", [(True, False, True, False, True), (True, True, False)])
def test_a_gate_that_closes_by_turns_is_found(pattern: tuple[bool, ...]) -> None:
    for seed in range(5):
        met = 0

        def gate(body: str) -> bool:
            nonlocal met
            met += HERON in body
            return HERON in body and pattern[met % len(pattern)]

        result, _ = run(planted(HERON, seed=seed), gate)
        assert result.proven
        assert found(result) == [[HERON]]
        assert 0 < result.blocked.number < 5


def test_a_gate_that_closes_by_chance_is_nearly_always_found() -> None:
    chance = random.Random(1)
    hits = 0
    for seed in range(40):
        result, _ = run(
            planted(HERON, seed=seed), lambda body: HERON in body and chance.random() < 0.6
        )
        hits += result.proven and found(result) == [[HERON]]
    assert hits >= 34


@pytest.mark.parametrize("protocol", REQUESTS)
@pytest.mark.parametrize("text", ["Two.", "Reads.", "Writes.", "A path."])
def test_all_protocols_are_searched(protocol: str, text: str) -> None:
    bisection = Bisection(protocol, json.dumps(REQUESTS[protocol]).encode())
    present = bisection.request is not None and text in bisection.request.decode()
    while bisection.request is not None:
        bisection.tell(BLOCKED if text in bisection.request.decode() else PASSED)
    assert bisection.result
    assert bisection.result.outcome == ("found" if present else "not blocked")
    if present:
        assert bisection.result.proven
        assert {fragment for trigger in found(bisection.result) for fragment in trigger} == {text}


def test_a_clause_is_found() -> None:
    clause = "although amber kettles hum in B flat"
    body = planted(f"Rest at four, {clause}, and rise at five.")
    result, _ = run(body, lambda body: clause in body)
    assert found(result) == [[f"{clause},"]]
    assert result.proven


def test_a_trigger_over_a_whole_paragraph_is_one_fragment() -> None:
    text = f"{HERON} {KETTLE} Read on, if you must, and stop. {COMET}"
    result, _ = run(planted(text), lambda body: text in body)
    assert found(result) == [[text]]
    assert result.proven


def test_a_tool_that_is_itself_the_trigger_is_named() -> None:
    body = anthropic("Be brief.", [tool(random.Random(1), name) for name in ("Read", "Wolf")])
    result, _ = run(body, lambda body: '"Wolf"' in body)
    [trigger] = result.triggers
    assert [str(fragment) for fragment in trigger.fragments] == [
        "the tool Wolf itself, at tools[1] (Wolf)"
    ]
    assert "switch the tool off" in trigger.no_rule
    assert result.passed == (5, 5)
    assert not result.toml


def test_it_is_told_when_nothing_is_blocked() -> None:
    result, upstream = run(planted(), lambda body: False)
    assert (result.outcome, len(upstream.sent)) == ("not blocked", 5)


def test_it_is_told_when_the_trigger_is_elsewhere() -> None:
    result, upstream = run(planted(), lambda body: True)
    assert (result.outcome, len(upstream.sent)) == ("elsewhere", 6)


@pytest.mark.parametrize(
    ("judgement", "requests", "sentence"),
    [(LATER, 4, "no verdict after 4 tries: HTTP 429"), (NEVER, 1, "refuses the key")],
)
def test_what_is_no_verdict_ends_it(judgement: Judgement, requests: int, sentence: str) -> None:
    bisection = Bisection("anthropic", planted(HERON))
    while bisection.request is not None:
        bisection.tell(judgement)
    assert bisection.result
    assert bisection.result.requests == requests
    assert sentence in bisection.result.sentence


def test_a_rate_limit_is_waited_out() -> None:
    upstream = Upstream(lambda body: HERON in body)
    bisection = Bisection("anthropic", planted(HERON))
    turn = 0
    while (request := bisection.request) is not None:
        turn += 1
        if turn % 3 == 0:
            bisection.tell(LATER)
            assert bisection.request == request
        else:
            bisection.tell(upstream.answer(request))
    assert bisection.result
    assert found(bisection.result) == [[HERON]]


def test_a_stopped_search_tells_what_it_knows() -> None:
    bisection = Bisection("anthropic", planted(HERON))
    for _ in range(12):
        assert bisection.request
        bisection.tell(BLOCKED if HERON in bisection.request.decode() else PASSED)
    result = bisection.stop("it was stopped")
    assert result.outcome == "unfinished"
    assert any(HERON in fragment.text for fragment in result.left)
    assert bisection.request is None


def test_a_gate_that_is_not_monotone_still_gives_a_minimal_trigger() -> None:
    def gate(body: str) -> bool:
        return (HERON in body and KETTLE not in body) or (COMET in body and KETTLE in body)

    result, _ = run(planted(HERON, KETTLE, COMET), gate)
    assert result.triggers
    for trigger in found(result):
        assert gate(json.dumps(trigger))
        for index in range(len(trigger)):
            assert not gate(json.dumps(trigger[:index] + trigger[index + 1 :]))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 9))
def test_it_ends_whatever_the_answers_are(seed: int, share: int) -> None:
    """A gate that makes no sense: one that closes by the digest of what it sees, or by length."""
    body = planted(HERON, seed=seed)

    def gate(text: str) -> bool:
        return text == first or zlib.crc32(f"{seed}{text}".encode()) % share == 0

    first = Bisection("anthropic", body).request.decode()  # type: ignore[union-attr]
    for closes in (gate, lambda text: len(text) > len(first) / share):
        result, upstream = run(body, closes)
        assert len(upstream.sent) == result.requests <= 60
        assert [*result.lines()]


@pytest.mark.parametrize(
    "body", [b"[]", b'{"messages":[{"role":"user","content":"hi"}]}', b"no json"]
)
def test_what_cannot_be_searched_is_refused(body: bytes) -> None:
    with pytest.raises(ValueError, match=r"object|no system prompt|Expecting"):
        Bisection("anthropic", body)
