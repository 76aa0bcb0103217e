"""Why rules did not fire."""

import pytest

from mitmproxy_windsurf.prompts.nearly import nearly

ROWS = {
    "drifted wording": (
        "You are Claude Code, the command-line tool.",
        [("a1", "You are Claude", "it goes on in other words")],
    ),
    "code": (
        "See `Claude Code, Anthropic's official CLI for Claude`.",
        [("a1", "Claude Code, Anthropic's official CLI for Claude", "it starts in code")],
    ),
    "the user's own sentence": (
        "The exact model ID is user-visible.",
        [("a4", "The exact model ID", "it goes on in other words")],
    ),
    "no end": (
        "You are powered by the model claude-x and must answer in French.",
        [("a4", "You are powered by the model claude-x", "its sentence goes on differently")],
    ),
    "a match": ("You are Claude Code, Anthropic's official CLI for Claude.", []),
    "nothing": ("Our docs mention Claude Code.", []),
}


@pytest.mark.parametrize(("text", "wanted"), ROWS.values(), ids=ROWS.keys())
def test_near_misses(text: str, wanted: list[tuple[str, str, str]]) -> None:
    found = nearly(text)
    assert [(miss.rule, text[miss.start : miss.end], miss.reason) for miss in found] == wanted


def test_near_misses_come_in_order() -> None:
    text = "A <executing_actions_with_care> b </executing_actions_with_care>, `FREEFORM tool`."
    assert [(miss.rule, miss.start) for miss in nearly(text, target="tools")] == [
        *(("a6", 2), ("a6", 34), ("a7", 67)),
    ]
