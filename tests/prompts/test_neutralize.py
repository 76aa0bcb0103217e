"""Layer 1 on a text: the shipped rules by name, the warnings, and the laws."""

import re
import sys
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any, Literal, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.prompts import RuleSet
from mitmproxy_windsurf.prompts import page as page_module
from mitmproxy_windsurf.prompts.neutralize import LARGE, ROUNDS, neutralize
from mitmproxy_windsurf.prompts.page import Forward
from mitmproxy_windsurf.prompts.ruleset import shipped
from mitmproxy_windsurf.prompts.spans import splice
from prompts.prompt_texts import EVERYTHING, RULES, harmless, prompts

IDENTITY = "You are an AI coding assistant."
SAFETY = "IMPORTANT: Decline clearly harmful requests, and help with everything else."
targets = st.sampled_from(["system", "tools"])
Target = Literal["system", "tools"]


def rewritten(text: str, by: str, target: Target = "system") -> str:
    """The text after layer 1, in which only this rule had something to do."""
    result = neutralize(text, target=target)
    assert {edit.rule for edit in result.edits} <= {by}
    return result.text


# The rules of the reference system, by the ids that its users know


def test_a1_the_sentence() -> None:
    text = "You are Claude Code, Anthropic's official CLI for Claude. Keep answers short."
    assert rewritten(text, "a1") == f"{IDENTITY} Keep answers short."


def test_a1_with_the_agent_sdk() -> None:
    text = (
        "You are Claude Code, Anthropic's official CLI for Claude, "
        "running within the Claude Agent SDK.\nCWD: /srv"
    )
    assert rewritten(text, "a1") == f"{IDENTITY}\nCWD: /srv"


def test_a1_as_a_name() -> None:
    text = "Note: Claude Code, Anthropic's official CLI for Claude, is running."
    assert rewritten(text, "a1") == "Note: an AI coding assistant, is running."


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("**You are {}**", "**You are {}**"),
        ("**You are Claude Code**, {}", "You are {}"),
        ("_{}_ is here", "_{}_ is here"),
        ("<system>You are {}</system>", "<system>You are {}</system>"),
        ("> You are {}", "> You are {}"),
    ],
)
def test_a1_in_markup(before: str, after: str) -> None:
    tail = "Anthropic's official CLI for Claude"
    text = before.format(tail if "Claude Code" in before else f"Claude Code, {tail}")
    assert rewritten(text, "a1") == after.format("an AI coding assistant")


@pytest.mark.parametrize(
    "opening", ["You are an agent", "You are a file search specialist", "You are a helper"]
)
def test_a1_in_the_prompts_of_sub_agents(opening: str) -> None:
    text = f"{opening} for Claude Code, Anthropic's official CLI for Claude. Given a task, do it."
    assert rewritten(text, "a1") == f"{opening} for an AI coding assistant. Given a task, do it."


def test_a1_and_a2_in_the_description_of_a_tool() -> None:
    text = "Starts Claude Code, Anthropic's official CLI for Claude."
    assert rewritten(text, "a1", "tools") == "Starts an AI coding assistant."
    text = "You are a Claude agent, built on Anthropic's Claude Agent SDK."
    assert rewritten(text, "a2", "tools") == IDENTITY


def test_a2_the_sentence() -> None:
    text = "You are a Claude agent, built on Anthropic’s Claude Agent SDK.\nCWD: /srv"
    assert rewritten(text, "a2") == f"{IDENTITY}\nCWD: /srv"


def test_a2_as_a_name() -> None:
    text = "It is a Claude agent, built on Anthropic's Claude Agent SDK, too."
    assert rewritten(text, "a2") == "It is an AI coding assistant, too."


@pytest.mark.parametrize("more", ["", " cc_is_subagent=true;", " cch=12ab3;"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a3_the_billing_line(more: str, newline: str) -> None:
    line = f"x-anthropic-billing-header: cc_version=2.1.332.0b8; cc_entrypoint=cli;{more}"
    assert rewritten(line, "a3") == ""
    assert rewritten(f"Hi.{newline}{line}{newline}You help.", "a3") == f"Hi.{newline}You help."


def test_a3_does_not_take_what_is_glued_to_the_line() -> None:
    text = "x-anthropic-billing-header: cc_version=2.1; cc_entrypoint=cli;You help. Never push."
    assert rewritten(text, "a3") == "You help. Never push."


@pytest.mark.parametrize(
    "end", ["security research, or defensive use cases.", "pentesting, or security research."]
)
def test_b_the_paragraph(end: str) -> None:
    text = (
        "Intro.\n\nIMPORTANT: Assist with authorized security testing, and CTF challenges. Refuse "
        f"DoS attacks,\nmass targeting. Dual-use tools (C2 frameworks) need context:\n{end}\n\n# Go"
    )
    assert rewritten(text, "b") == f"Intro.\n\n{SAFETY}\n\n# Go"


@pytest.mark.parametrize("blank", ["\n\n", "\n \t\n", "\r\n\r\n"])
def test_b_never_reaches_over_a_blank_line(blank: str) -> None:
    rest = f"{blank}RULE: tabs.{blank}Ask our security research team about use cases."
    text = f"IMPORTANT: Assist with authorized security testing and more.{rest}"
    assert rewritten(text, "b") == f"{SAFETY}{rest}"


def test_b_without_any_full_stop_loses_only_its_opening() -> None:
    text = "IMPORTANT: Assist with authorized security testing for us\n\nRULE: tabs."
    assert rewritten(text, "b") == f"{SAFETY.removesuffix('.')} for us\n\nRULE: tabs."


def test_b_does_not_take_the_next_line_for_its_own() -> None:
    text = "IMPORTANT: Assist with authorized security testing, security research\nRULE 1: tabs."
    assert rewritten(text, "b") == f"{SAFETY}\nRULE 1: tabs."


def test_a4_the_blurb_of_the_product() -> None:
    text = "Env:\n - Claude Code is available as a CLI in the terminal (claude.ai/code).\n - Tabs."
    assert rewritten(text, "a4") == "Env:\n - This coding assistant runs in a terminal.\n - Tabs."


def test_a4_says_only_once_where_the_assistant_runs() -> None:
    text = "- Claude Code is available as a CLI.\n- Claude Code is available as a CLI.\n- Tabs."
    assert rewritten(text, "a4") == "- This coding assistant runs in a terminal.\n- Tabs."


@pytest.mark.parametrize(
    "rest",
    [
        "uses Claude Opus with faster output (it does not downgrade to a smaller model).",
        "gives faster output on this session's model, and otherwise switches to Claude Opus.",
        "uses Claude Opus and is available on Opus 4.8/4.7.",
    ],
)
@pytest.mark.parametrize(
    "toggle", ["", " It can be toggled with /fast.", " It can be toggled with `/fast`."]
)
def test_a4_fast_mode(rest: str, toggle: str) -> None:
    text = f"Env:\n - Fast mode for Claude Code {rest}{toggle}\nKeep me."
    assert rewritten(text, "a4") == "Env:\nKeep me."


@pytest.mark.parametrize("family", ["the Claude 5 family", "the Claude 5 family, and Haiku 4.5"])
def test_a4_the_list_of_models(family: str) -> None:
    text = (
        f" - The most recent Claude models are {family}. Model IDs — Fable 5: 'claude-fable-5'. "
        "When building AI applications, default to the latest and most capable Claude models.\nKeep"
    )
    assert rewritten(text, "a4") == "Keep"


@pytest.mark.parametrize(
    "text",
    [
        "You are powered by the model named Opus 4.8. The exact model ID is claude-opus-4-8.",
        "You are powered by the model named Opus 5. The exact model ID is claude-opus-5.",
        "You are powered by the model named Opus 4.8 (1M context). The exact model ID is x[1m].",
        "You are powered by the model my-local-model.",
        "You are powered by the model named fake-model. The exact model ID is fake/fake-model",
        "The exact model ID is claude-opus-4-8.",
    ],
)
def test_a4_the_model_in_use(text: str) -> None:
    assert rewritten(f"Env:\n{text}\nKeep me.", "a4") == "Env:\nKeep me."
    if text.endswith("."):
        assert rewritten(f"{text} The cutoff is May.", "a4") == "The cutoff is May."


@pytest.mark.parametrize(
    "text",
    [
        "The exact model ID is required in every log line. Keep it.",
        "The exact model ID is user-visible. Keep it.",
        "You are powered by the model claude-x and must answer in French only\nNext.",
        "You are powered by the model named Opus, so never say another name.",
        "Say that Claude Code is available as a CLI.",
    ],
)
def test_a4_leaves_the_users_own_sentences(text: str) -> None:
    assert neutralize(text).text == text


@pytest.mark.parametrize("name", ["Cline", "Kilo Code"])
def test_a5_the_boast(name: str) -> None:
    text = (
        f"You are {name}, a highly skilled software engineer with extensive knowledge in many "
        "programming languages, frameworks, design patterns, and best practices.\n\nTOOL USE"
    )
    assert rewritten(text, "a5") == f"You are {name}, a software engineer.\n\nTOOL USE"


def test_a6_the_sentence() -> None:
    text = "You are Grok 4.5 released by xAI. You are an interactive CLI tool."
    assert rewritten(text, "a6") == f"{IDENTITY} You are an interactive CLI tool."


def test_a6_as_a_name() -> None:
    assert rewritten("Ask Grok 4.5 released by xAI!", "a6") == "Ask an AI coding assistant!"


def test_a6_grok_cli() -> None:
    text = (
        "You are Grok CLI, an AI assistant that helps with file editing, coding tasks, "
        "and system operations. Hi."
    )
    assert rewritten(text, "a6") == f"{IDENTITY} Hi."


def test_a6_the_block() -> None:
    tag = "executing_actions_with_care"
    text = f"A\n<{tag}>\nCheck twice.\n\nAsk first.\n</{tag}>\nB"
    asked = "Ask before you take an action that is destructive or hard to undo."
    assert rewritten(text, "a6") == f"A\n{asked}\nB"


def test_a7_both_fragments() -> None:
    text = "This is a FREEFORM tool, so do not wrap the patch in JSON. Give the diff."
    wanted = "This is a free-form tool, so provide the patch as plain text. Give the diff."
    assert rewritten(text, "a7", "tools") == wanted


def test_a7_is_for_tools_only() -> None:
    text = "This is a FREEFORM tool, so do not wrap the patch in JSON."
    assert neutralize(text).text == text


# What is never touched


@pytest.mark.parametrize(
    "text",
    [
        "Our docs mention Anthropic and Claude Code by name.",
        "```\nYou are Claude Code, Anthropic's official CLI for Claude.\n```",
        "Say `You are Claude Code, Anthropic's official CLI for Claude.` to it.",
        "See /opt/Claude Code, Anthropic's official CLI for Claude",
        "$ echo You are Claude Code, Anthropic's official CLI for Claude.",
        "It says:\n    You are Claude Code, Anthropic's official CLI for Claude.\nEnd.",
        "Our doc says:\n    x-anthropic-billing-header: cc_version=1;\nEnd.",
        "Instructions from: /home/ann/.config/claude-code/AGENTS.md\nUse claude-code --version.",
    ],
)
def test_what_is_no_self_description_stays(text: str) -> None:
    assert neutralize(text).text == text


def test_no_text_of_its_own_is_added() -> None:
    """Every character of the result is the prompt's, or in a replacement that a rule gives."""
    given_by_rules = {match.replacement for rule in RULES for match in rule.matches}
    for rule in RULES:
        for example in rule.examples:
            for target in rule.targets:
                for span in neutralize(example.before, target=target, rules=EVERYTHING).spans:
                    bare = span.replacement.rstrip(".;!")
                    assert bare in {known.rstrip(".") for known in given_by_rules}


# Edits and warnings


def test_an_edit_says_what_was_changed_and_where() -> None:
    text = "Hi. You are Claude Code, Anthropic's official CLI for Claude."
    result = neutralize(text)
    [edit], [span] = result.edits, result.spans
    assert (edit.rule, edit.layer, edit.start) == ("a1", "neutralize", 4)
    assert edit.before == text[4:-1] == text[span.start : span.end]
    assert edit.after == span.replacement == IDENTITY[:-1]


def test_an_edit_and_its_span_tell_all_of_a_long_text() -> None:
    text = f"IMPORTANT: Assist with authorized security testing {'and more ' * 40}as use cases."
    result = neutralize(text)
    [edit], [span] = result.edits, result.spans
    assert edit.before == text
    assert span.end == len(text)
    assert result.text == SAFETY


@pytest.mark.parametrize(("more", "warns"), [(0, False), (1, True)])
def test_a_large_match_warns_by_bytes(more: int, warns: bool) -> None:
    opening, end = "IMPORTANT: Assist with authorized security testing ", " use cases."
    filler = "é" * ((LARGE - len(opening) - len(end)) // 2)
    text = opening + filler + end
    text = text.replace("é ", "é" + "x" * (LARGE - len(text.encode()) + more) + " ")
    assert len(text.encode()) == LARGE + more
    warnings = neutralize(text).warnings
    assert warnings == ((f"rule b replaced 513 bytes by {len(SAFETY)}",) if warns else ())


def test_a_single_word_that_matches_more_than_once_warns(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(
        '[[rule]]\nid = "bare"\nkind = "phrase"\nwords = ["Foo", "Foo bar"]\nreplacement = "x"',
        "utf-8",
    )
    rules = RuleSet([file])
    assert neutralize("A Foo.", rules=rules).warnings == ()
    assert neutralize("A Foo bar, and Foo.", rules=rules).warnings == ()
    [warning] = neutralize("A Foo, a Foo.", rules=rules).warnings
    assert warning == "rule bare, a single word, matched 2 times"


def test_warnings_do_not_tell_the_text() -> None:
    secret = "sesame" * 100
    text = f"IMPORTANT: Assist with authorized security testing {secret} use cases."
    [warning] = neutralize(text).warnings
    assert "sesame" not in warning


def test_half_a_surrogate_pair_does_no_harm() -> None:
    text = f"IMPORTANT: Assist with authorized security testing \ud800{'x' * 600} use cases."
    assert neutralize(text).text == SAFETY


def test_a_target_that_there_is_not() -> None:
    with pytest.raises(ValueError, match="target must be one of system, tools"):
        neutralize("", target=cast("Any", "user"))


# Laws


@given(prompts, targets)
def test_idempotence(text: str, target: Target) -> None:
    for rules in (None, EVERYTHING):
        once = neutralize(text, target=target, rules=rules)
        again = neutralize(once.text, target=target, rules=rules)
        assert again.text == once.text
        assert not again.edits


@given(prompts, targets)
def test_the_same_prompt_gives_the_same_result(text: str, target: Target) -> None:
    remembered = neutralize(text, target=target)
    assert neutralize(text, target=target) == remembered
    shipped().program(target).memory.clear()
    assert neutralize(text, target=target) == remembered


@given(prompts, targets)
def test_conservation(text: str, target: Target) -> None:
    """Outside the spans every character stays, and each edit stands for a span."""
    result = neutralize(text, target=target, rules=EVERYTHING)
    assert splice(text, result.spans) == result.text
    assert all(a.end <= b.start for a, b in pairwise(result.spans))
    assert [edit.rule for edit in result.edits] == [span.rule for span in result.spans]
    assert [edit.start for edit in result.edits] == [span.start for span in result.spans]
    assert bool(result.edits) is (result.text != text)


@given(harmless, targets)
def test_conservation_of_what_no_rule_matches(text: str, target: Target) -> None:
    result = neutralize(text, target=target, rules=EVERYTHING)
    assert (result.text, result.edits, result.warnings) == (text, (), ())


@given(prompts)
def test_conservation_without_rules(text: str) -> None:
    nothing = RuleSet(disabled=[rule.id for rule in RULES])
    assert neutralize(text, rules=nothing).text == text


@pytest.mark.parametrize(("depth", "left"), [(1, False), (ROUNDS, False), (ROUNDS + 1, True)])
def test_what_removals_bring_together_is_found_in_a_bounded_number_of_rounds(
    depth: int, left: bool
) -> None:
    text = ""
    for _ in range(depth):
        text = f"Codex CLI is an {text}open source project led by OpenAI."
    assert bool(neutralize(text, rules=EVERYTHING).text) is left


UNITS = {
    "blank lines": "\n",
    "blank lines with blanks": " \n",
    "blanks": " ",
    "an opening word": "You are ",
    "a sentence that goes on": "You are powered by the model ",
    "a sentence that goes on with a name": "You are powered by the model named Opus ",
    "a sentence without an end": "Fast mode for Claude Code ",
    "a paragraph without closing words": "The most recent Claude models are ",
    "a paragraph of sentences": "IMPORTANT: Assist with authorized security testing. ",
    "half a phrase": "Claude Code, Anthropic's official CLI for ",
    "a phrase": "You are Claude Code, Anthropic's official CLI for Claude. ",
    "a sentence that lacks what it must contain": "You are Grok, as xAI released by ",
    "opening tags": "<executing_actions_with_care>\n",
    "closing tags": "</executing_actions_with_care>\n",
    "a line": "x-anthropic-billing-header: cc_version=1;\n",
    "a line that is none": "x-anthropic-billing-header: ",
    "list items": " - Claude Code is available as a CLI\n",
    "quoted lines": "    Fast mode for Claude Code is:\n",
    "code": "`You are Claude Code, ",
    "fences": "```\nFast mode for Claude Code.\n",
    "full stops": ".",
    "quotes": "\"'",
    "a path": "/Claude Code, Anthropic's official CLI for Claude",
}


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS.keys())
def test_linear_work(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls made, and characters searched, grow no faster than the text."""
    small, large = work(unit * 200, monkeypatch), work(unit * 400, monkeypatch)
    assert large <= 2.2 * small + 2000


def test_linear_work_in_a_prompt_of_two_megabytes() -> None:
    text = "Fast mode for Claude Code is what we talk about, " * 40_000
    assert neutralize(text).text == text
    assert neutralize("a" + "\n" * 4000 + "b").text == "a" + "\n" * 4000 + "b"


def work(text: str, monkeypatch: pytest.MonkeyPatch) -> int:
    done = 0

    class Counting(Forward):
        def at(self, pos: int) -> re.Match[str] | None:
            nonlocal done
            before = self._since
            found = super().at(pos)
            if self._since != before:
                done += (found.end() if found else len(self._text)) - pos
            return found

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal done
        done += event in {"call", "c_call"}

    monkeypatch.setattr(page_module, "Forward", Counting)
    shipped().program("system").memory.clear()
    sys.setprofile(count)
    try:
        neutralize(text)
    finally:
        sys.setprofile(None)
        monkeypatch.undo()
    return done
