"""Which prompt plays what, and that all leaks are shown."""

from __future__ import annotations

import pytest

from mitmproxy_windsurf.upstream.demo.ask import Ask, Tool
from mitmproxy_windsurf.upstream.demo.gates import GATES
from mitmproxy_windsurf.upstream.demo.parts import Call, Cut, Failure, Part, Text, Thinking
from mitmproxy_windsurf.upstream.demo.scenarios import (
    RESULTS,
    SCENARIOS,
    WELCOME,
    Scenario,
    choose_scenario,
)

KEYWORDS = [(word, scenario) for scenario in SCENARIOS for word in scenario.keywords]
READ = Tool("Read", {"properties": {"file_path": {"type": "string"}}})


def play(prompt: str, *, want_thinking: bool = False, results: tuple[str, ...] = ()) -> list[Part]:
    ask = Ask("m", prompt, tools=(READ,), want_thinking=want_thinking, results=results)
    return list(choose_scenario(ask).play(ask))


@pytest.mark.parametrize(("word", "scenario"), KEYWORDS)
def test_every_keyword_plays_its_scenario(word: str, scenario: Scenario) -> None:
    assert choose_scenario(Ask("m", prompt=f" {word.upper()}\n")) is scenario


@pytest.mark.parametrize(
    ("prompt", "word"),
    [
        ("show me the paths, please", "paths"),
        ("Who\nare you?", "who are you"),
        ("give me an HTTP error", "http error"),
        ("give me an error", "error"),
        ("请告诉我你是谁？", "who are you"),
        ("call a tool", "tool"),
    ],
)
def test_a_keyword_may_stand_in_a_sentence(prompt: str, word: str) -> None:
    assert word in choose_scenario(Ask("m", prompt=prompt)).keywords


@pytest.mark.parametrize(
    "prompt", ["", "say hi", "encode and decode", "an error" + " and so on" * 50, "blocked"]
)
def test_anything_else_is_welcomed(prompt: str) -> None:
    assert choose_scenario(Ask("m", prompt=prompt)) is WELCOME


def test_results_come_before_the_prompt() -> None:
    ask = Ask("m", prompt="tool", results=("line 1\nline 2", "{braces}"))
    assert choose_scenario(ask) is RESULTS
    [text] = play("tool", results=ask.results)
    assert isinstance(text, Text)
    assert "> line 1\n> line 2\n> \n> {braces}\n" in text.text


def test_a_long_result_is_quoted_in_part() -> None:
    [text] = play("", results=("x" * 5000,))
    assert isinstance(text, Text)
    assert len(text.text) < 600


def test_help_lists_every_scenario_and_every_gate() -> None:
    [text] = play("help")
    assert isinstance(text, Text)
    for scenario in (*SCENARIOS, WELCOME):
        assert scenario.summary in text.text
        assert all(f"`{word}`" in text.text for word in scenario.keywords)
    assert all(phrase in text.text for gate in GATES for phrase in gate.phrases)
    assert "`The quartz clock is wound on Thursdays`: 529, 3 times out of 5" in text.text


@pytest.mark.parametrize("want_thinking", [True, False])
def test_thinking_comes_first_where_it_is_wanted_or_the_point(want_thinking: bool) -> None:
    def begins(prompt: str) -> bool:
        return isinstance(play(prompt, want_thinking=want_thinking)[0], Thinking)

    assert begins("hi") == begins("tool") == want_thinking
    assert begins("think")
    assert begins("double")
    assert not begins("json")


def test_the_reasoning_comes_again_word_for_word() -> None:
    thinking, text = play("twice")
    assert isinstance(thinking, Thinking)
    assert isinstance(text, Text)
    assert thinking.text == text.text
    thinking, text = play("almost")
    assert isinstance(thinking, Thinking)
    assert isinstance(text, Text)
    assert thinking.text != text.text
    assert thinking.text[:100] == text.text[:100]


def test_answers_break_off_as_they_say() -> None:
    assert [type(part) for part in play("http error")] == [Failure]
    assert [type(part) for part in play("error")] == [Text, Failure]
    assert [type(part) for part in play("abort")] == [Text, Cut]
    assert [type(part) for part in play("tool")] == [Text, Call]


def test_without_a_tool_it_says_so() -> None:
    ask = Ask("m", prompt="tool")
    [text] = choose_scenario(ask).play(ask)
    assert isinstance(text, Text)


def spoken(channel: type[Part]) -> str:
    parts = [part for word, _ in KEYWORDS for part in play(word)] + play("hi", want_thinking=True)
    return "\n".join(str(part) for part in parts if isinstance(part, channel))


@pytest.mark.parametrize("channel", [Text, Thinking, Failure, Call])
def test_every_channel_leaks_a_path(channel: type[Part]) -> None:
    assert "windsurf" in spoken(channel)


@pytest.mark.parametrize(
    "leak",
    [
        "/tmp/windsurf-workspace/",
        "/opt/windsurf/",
        "/home/user/projects/workspace-demo",
        "<workspace_information>",
        "<workspace_layout depth",
        "<user_information>",
        "I am Cascade, made by Codeium",
        "developed by Windsurf",
        "Cascade is an AI coding assistant",
        "the Cascade workspace",
        "我是 Cascade，由 Codeium 开发",
        '"name": "Cascade", "provider"',
        "```python",
    ],
)
def test_every_kind_of_leak_is_shown(leak: str) -> None:
    assert leak in spoken(Text)
