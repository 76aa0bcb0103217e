"""Which prompts are refused, and how often."""

from __future__ import annotations

import pytest

from mitmproxy_windsurf.upstream.demo.ask import Ask
from mitmproxy_windsurf.upstream.demo.gates import GATES, Gatekeeper

REFUSED = [
    ("You are Claude Code, Anthropic's official CLI for Claude.", 529),
    ("You are Claude Code, Anthropic’s official\nCLI\u00a0for Claude, and more", 529),
    ("You are an agent for Claude Code, Anthropic's official CLI for Claude.", 529),
    ("You are a Claude agent, built on Anthropic's Claude Agent SDK.", 529),
    ("x-anthropic-billing-header: cc_version=2.1; cc_entrypoint=cli;", 529),
    ("IMPORTANT: Assist with authorized security testing, and so on.", 400),
    ("You are Grok, an assistant released by xAI.", 401),
    ("This is a FREEFORM tool, so do not wrap the patch in JSON.", 401),
    ("You are Ada, a highly skilled software engineer with extensive knowledge", 403),
    ("The quartz clock is wound on Thursdays.", 529),
    ("The copper heron counts the tides at noon.", 529),
    ("Rest at four, although the amber kettle hums in B flat, until five.", 400),
    ("Folds the paper lighthouse along its dotted line.", 529),
    ("How many marble sparrows to wake.", 400),
    ("Bring the velvet anchor indoors and grease the wooden comet.", 401),
    ("The tin orchard opens on Mondays.", 529),
    ("The glass harvest is weighed by moonlight.", 529),
    ("Nobody feeds the porcelain wolf.", 401),
    ("The linen bridge sings when crossed.", 403),
]
ADMITTED = [
    "",
    "You are an AI coding assistant.",
    "Our docs mention Claude Code and the Claude Agent SDK.",
    "You are Grok CLI, an AI assistant that helps with file editing.",
    "Read what was released by xAI.",
    "Bring the velvet anchor indoors.",
    "This is a FREEFORM tool.",
    "Please do not wrap the patch in JSON.",
    "canonical freeform tool; do not wrap the patch in JSON",
    "You are Ada, a software engineer.",
]


def status(ask: Ask) -> int | None:
    gate = Gatekeeper(GATES).closed(ask)
    return None if gate is None else gate.failure.status


@pytest.mark.parametrize(("prompt", "expected"), REFUSED)
def test_what_real_upstreams_refuse_is_refused(prompt: str, expected: int) -> None:
    assert status(Ask("m", system=f"Before.\n{prompt}\nAfter.")) == expected
    assert status(Ask("m", tool_text=prompt)) == expected


@pytest.mark.parametrize("prompt", ADMITTED)
def test_everything_else_is_admitted(prompt: str) -> None:
    assert status(Ask("m", system=prompt)) is None


def test_every_gate_is_tried_above() -> None:
    tried = {
        gate.name
        for text, _ in REFUSED
        if (gate := Gatekeeper(GATES).closed(Ask("m", system=text)))
    }
    assert tried == {gate.name for gate in GATES}


def test_what_the_user_writes_is_not_looked_at() -> None:
    assert status(Ask("m", prompt=REFUSED[0][0], results=(REFUSED[0][0],))) is None


def test_both_halves_of_a_conjunction_may_stand_apart() -> None:
    assert (
        status(Ask("m", system="FREEFORM tool", tool_text="do not wrap the patch in JSON")) == 401
    )


def test_the_flaky_gate_counts() -> None:
    quartz = "The quartz clock is wound on Thursdays."

    def rounds(prompt: str) -> list[bool]:
        keeper = Gatekeeper(GATES)
        return [keeper.closed(Ask("m", system=prompt)) is not None for _ in range(10)]

    assert rounds(quartz) == [True, False, True, False, True] * 2
    assert rounds(REFUSED[0][0]) == [True] * 10


def test_one_refusal_names_a_private_path() -> None:
    leaks = [gate for gate in GATES if "/opt/windsurf" in gate.failure.message]
    assert [gate.failure.status for gate in leaks] == [400]
    assert "permission_denied" in leaks[0].failure.message
