"""What runs and what it has done, as text."""

from pathlib import Path

import pytest

from mitmproxy_windsurf.debug.counters import Counters
from mitmproxy_windsurf.debug.status import rule_list, status
from mitmproxy_windsurf.prompts import RuleSet
from mitmproxy_windsurf.rewriter import Layers
from mitmproxy_windsurf.text.edits import Edit


def lines(layers: Layers | None = None, counters: Counters | None = None) -> list[str]:
    return status(
        layers or Layers(),
        counters or Counters(),
        on=["neutralize", "paths"],
        upstream="http://127.0.0.1:3003",
        listening="http://127.0.0.1:8080",
    ).split("\n")


def test_what_runs() -> None:
    told = lines()
    assert told[:3] == [
        "clients: http://127.0.0.1:8080",
        "upstream: http://127.0.0.1:3003",
        "layers: neutralize, paths",
    ]
    rules = RuleSet()
    on = sum(map(rules.is_on, rules.rules))
    assert f"rules: {on} of {len(rules.rules)} on" in told


def test_shadow_says_would_have() -> None:
    told = lines(Layers(shadow=True))
    assert "shadow mode: nothing is changed, the edits are what would have been" in told
    assert "  edits that would have been made: 0" in told


def test_a_bad_file_of_rules_is_told(tmp_path: Path) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_text("[[rule]]", "utf-8")
    assert [line for line in lines(Layers(rules=RuleSet([bad]))) if str(bad) in line]


def test_what_has_happened() -> None:
    counters = Counters()
    for outcome, number in (("complete", 1200), ("blocked", 2)):
        counters.count("requests", "anthropic", outcome, by=number)
    counters.count("requests", "gemini", "complete")
    counters.count("streams", "anthropic", "complete")
    counters.count("blocked", "anthropic", "HTTP 529", by=2)
    counters.count("layer_errors", "request", by=0)
    counters.count("held_characters", by=7)
    counters.count_edits([Edit("path", "/opt/x", "", layer="paths")], answer=True)
    told = lines(counters=counters)
    assert told[told.index("since the start:") + 1 :] == [
        "  requests: 1,203 (anthropic 2 blocked, 1,200 complete; gemini 1 complete)",
        "  streams: 1 (anthropic 1 complete)",
        "  edits made: 1 (paths 1 path)",
        "  characters held for a while: 7",
        "  characters dropped: 6 (paths 6)",
        "  refused by the upstream: 2 (anthropic 2 HTTP 529)",
        "  failures inside layers: 0",
        "  added to each piece of a stream: nothing was streamed yet",
    ]


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        ([2e-5] * 98 + [4e-4, 3e-3], "half within 25 µs, 99 % within 500 µs (100 pieces)"),
        ([2e-3], "half within 2.5 ms, 99 % within 2.5 ms (1 piece)"),
        ([5.0], "half above the scale, 99 % above the scale (1 piece)"),
    ],
)
def test_added_latency(seconds: list[float], said: str) -> None:
    counters = Counters()
    for value in seconds:
        counters.latency.observe(value)
    assert lines(counters=counters)[-1] == f"  added to each piece of a stream: {said}"


def test_every_rule_has_a_line() -> None:
    counters = Counters()
    counters.count_edits([Edit("a1", "x", "", layer="neutralize")] * 1234, answer=False)
    counters.count_edits([Edit("a3", "x", "", layer="paths")], answer=True)
    rules = RuleSet(disabled=["a2"])
    told = rule_list(rules, counters).split("\n")
    assert [line.split()[0] for line in told] == [rule.id for rule in rules.rules]
    found = {line.split()[0]: line.split()[1:5] for line in told}
    assert found["a1"] == ["on", "1,234", "hits", "claude-code.toml"]
    assert found["a2"] == ["off", "0", "hits", "claude-code.toml"]
    assert found["a3"][1] == "0"
