"""Every case that a machine can check, against the real layers, under every way of cutting."""

import importlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pytest

import strategies
from casebook import Case, cases, judge, left_out, pattern
from mitmproxy_windsurf.prompts.neutralize import neutralize
from mitmproxy_windsurf.rewriter import Layers, RequestRewriter
from mitmproxy_windsurf.text.dedup import ReasoningDedup
from mitmproxy_windsurf.text.identity import IdentityStream, rewrite_identity
from mitmproxy_windsurf.text.json_strings import JSONStrings
from mitmproxy_windsurf.text.paths import (
    PathScrubber,
    PathStream,
    sanitize_arguments,
    sanitize_text,
    sanitize_value,
)
from mitmproxy_windsurf.wire.thinking import wants_thinking

SENTENCES = Path(__file__).parent / "cases"
"""The tests of cases that are told in a sentence."""

LONG = 1500
"""A text longer than this is not cut in two at every place, only at some."""


class Machines:
    """The layers that a case runs, fed like one stream."""

    def __init__(self, case: Case) -> None:
        self.stages: list[PathStream | IdentityStream] = [PathStream()]
        if case.fn in ("identity", "egressStream"):
            unwrap = case.input.get("allowMetadataUnwrap", True)
            self.stages.append(IdentityStream(case.input["model"], unwrap=unwrap))

    def feed(self, text: str) -> str:
        for stage in self.stages:
            text = stage.feed(text)
        return text

    def flush(self) -> str:
        rest = ""
        for stage in self.stages:
            rest = stage.feed(rest) + stage.flush()
        return rest

    def held(self) -> int:
        return sum(len(stage.held) for stage in self.stages)


class Run(NamedTuple):
    output: str
    before_end: str
    most_held: int


def stream(case: Case, chunks: Iterable[str]) -> Run:
    machines, out, most = Machines(case), "", 0
    for chunk in chunks:
        out += machines.feed(chunk)
        most = max(most, machines.held())
    return Run(out + machines.flush(), out, most)


def some_cuttings(text: str) -> Iterable[list[str]]:
    if len(text) <= LONG:
        return strategies.cuttings(text)
    return [[text], strategies.every(text, 7), strategies.every(text, 997)]


@cases("sanitizeText", "sanitizeStream", "identity", "egressStream")
def test_text_as_the_case_cuts_it(case: Case) -> None:
    run = stream(case, case.chunks)
    judge(case, run.output, given=case.text)
    for wanted in case.expect.get("emitted_before_end", ()):
        assert pattern(case, wanted).search(run.before_end), case.why
    assert run.most_held <= case.expect.get("held_max", len(case.text))


@cases("sanitizeText", "sanitizeStream", "identity", "egressStream")
def test_text_cut_in_any_way_gives_the_same(case: Case) -> None:
    whole = stream(case, [case.text]).output
    for chunks in some_cuttings(case.text):
        assert stream(case, chunks).output == whole, chunks


@cases("sanitizeText", "sanitizeStream")
def test_paths_in_one_shot(case: Case) -> None:
    judge(case, sanitize_text(case.text), given=case.text)


@cases("identity")
def test_identity_in_one_shot(case: Case) -> None:
    output = rewrite_identity(sanitize_text(case.text), case.input["model"])
    judge(case, output, given=case.text)


@cases("neutralize")
def test_neutralize(case: Case) -> None:
    given = json.dumps(case.input["parts"]) if "parts" in case.input else case.text
    output = neutralized(case, given)
    judge(case, output, given=given)
    assert neutralized(case, output) == output, "a second run changes something"


def neutralized(case: Case, given: str) -> str:
    """A text, or JSON of content parts, after layer 1."""
    switch = case.input.get("env", {}).get("WINDSURFAPI_NEUTRALIZE_CLIENT_ID")
    if "parts" not in case.input and switch is None:
        return neutralize(given, target=case.input.get("target", "system")).text
    content = json.loads(given) if "parts" in case.input else given
    body = json.dumps({"model": "m", "messages": [{"role": "system", "content": content}]})
    rewriter = RequestRewriter("openai_chat", Layers(neutralize=switch != "0"))
    answer = json.loads(rewriter.rewrite(body.encode()))["messages"][0]["content"]
    return json.dumps(answer) if "parts" in case.input else str(answer)


def dedup(case: Case, events: Iterable[dict[str, str]]) -> None:
    layer = ReasoningDedup(want_thinking=case.input["wantThinking"])
    before_end = ""
    for event in events:
        if "r" in event:
            layer.note_reasoning(event["r"])
        else:
            before_end += layer.feed(event["c"])
    rest = layer.release() if case.input.get("end") == "release" else layer.settle()
    text = "".join(event.get("c", "") for event in events)
    judge(case, before_end + rest, given=text)
    for wanted in case.expect.get("emitted_before_end", ()):
        assert wanted in before_end
    if "suppressed" in case.expect:
        assert (not before_end + rest and bool(text)) is case.expect["suppressed"]
        assert bool(layer.suppressed) is case.expect["suppressed"]


@cases("dedup")
def test_dedup(case: Case) -> None:
    if case.input.get("env", {}).get("WINDSURFAPI_REASONING_DEDUP") == "0":
        return  # switched off, there is no such layer
    if "events" in case.input:
        dedup(case, case.input["events"])
        return
    reasoning = [{"r": case.generated("reasoning")}] if has_reasoning(case) else []
    dedup(case, reasoning + [{"c": chunk} for chunk in case.chunks])
    if len(case.text) < LONG and "emitted_before_end" not in case.expect:
        dedup(case, reasoning + [{"c": character} for character in case.text])


def has_reasoning(case: Case) -> bool:
    return bool({"reasoning", "reasoning_gen"} & case.input.keys())


@cases("toolCall")
def test_tool_arguments(case: Case) -> None:
    tool = case.input["tool"]
    if "argumentsJson" not in tool:
        judge(case, json.dumps(sanitize_value(tool["input"])), given=json.dumps(tool["input"]))
        return
    given = tool["argumentsJson"]
    output = sanitize_arguments(given)
    judge(case, output, given=given)
    if case.expect.get("json_valid"):
        json.loads(output)
    if "args_equal" in case.expect:
        wanted = {k: pattern(case, v) for k, v in case.expect["args_equal"].items()}
        found = json.loads(output)
        assert found.keys() == wanted.keys()
        assert all(wanted[name].fullmatch(value) for name, value in found.items()), found
    for pieces in strategies.cuttings(given):
        strings = JSONStrings(PathScrubber)
        assert "".join(map(strings.feed, pieces)) + strings.flush() == output, pieces


@cases("wantThinking")
def test_thinking_is_wanted(case: Case) -> None:
    wanted = wants_thinking(case.input["protocol"], case.input["body"])
    assert wanted is case.expect["equals_json"], case.why


ELSEWHERE = {
    "X-10": "proxy/test_answers.py test_a_compressed_stream_is_decoded_event_by_event",
    "X-11": "proxy/test_aborts.py test_a_client_that_leaves_ends_the_upstreams_work",
}
"""Cases that only a real proxy can show."""


def test_no_case_is_left_out() -> None:
    for module in SENTENCES.glob("test_*.py"):
        importlib.import_module(f"cases.{module.stem}")  # says there what it covers
    assert not list(left_out(ELSEWHERE))


@pytest.mark.parametrize("place", ELSEWHERE.values())
def test_cases_are_covered_where_it_is_said(place: str) -> None:
    file, name = place.split()
    assert f"def {name}(" in (Path(__file__).parent / file).read_text("utf-8")
