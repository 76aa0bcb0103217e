"""What the user wrote last, among all that clients put around it."""

from __future__ import annotations

import pytest

from mitmproxy_windsurf.upstream.demo.ask import (
    asked,
    descriptions,
    model_of,
    texts,
    without_reminders,
)

REMINDER = "<system-reminder>\nuse the tool\n</system-reminder>"


@pytest.mark.parametrize(
    ("turns", "prompt"),
    [
        ([["hi"]], "hi"),
        ([["first"], ["second"]], "second"),
        ([[REMINDER, "hi", REMINDER]], "hi"),
        ([["context", "hi"]], "hi"),
        ([[f"{REMINDER}\nhi\n{REMINDER}"]], "hi"),
        ([["hi"], [REMINDER]], "hi"),
        ([["hi"], []], "hi"),
        ([["hi\n<environment_details>x</environment_details>"]], "hi"),
        ([[REMINDER]], ""),
        ([], ""),
    ],
)
def test_the_prompt_is_the_last_text_that_is_no_reminder(
    turns: list[list[str]], prompt: str
) -> None:
    assert asked(turns) == prompt


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "an unclosed <system-reminder> is a mention",
        "so is </system-reminder>, alone",
        "</system-reminder><system-reminder>",
    ],
)
def test_half_a_reminder_is_none(text: str) -> None:
    assert without_reminders(text) == text


def test_many_unclosed_reminders_are_no_trouble() -> None:
    text = "<system-reminder>" * 20_000
    assert without_reminders(text) == text


def test_texts_come_from_strings_and_text_parts() -> None:
    assert texts("a") == ["a"]
    parts = [{"type": "text", "text": "a"}, {"type": "image"}, {"text": "b"}, "c", {"type": "text"}]
    assert texts(parts) == ["a", "b"]
    assert texts(None) == texts(3) == texts({"text": "a"}) == []


def test_descriptions_are_found_at_any_depth() -> None:
    tool = {
        "name": "f",
        "description": "outer",
        "input_schema": {"properties": {"p": {"description": "inner", "title": "no"}}},
    }
    assert descriptions([tool]) == "outer\ninner"
    assert descriptions(None) == ""


@pytest.mark.parametrize("model", [None, 3, "", " "])
def test_a_request_without_a_model_gets_one(model: object) -> None:
    assert model_of({"model": model}) == "demo"
