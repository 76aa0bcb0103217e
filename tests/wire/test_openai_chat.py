"""Chat Completions: every place of a prompt."""

from typing import Any

import pytest

from mitmproxy_windsurf.wire import openai_chat
from mitmproxy_windsurf.wire.parts import Json
from mitmproxy_windsurf.wire.splice import Path

SCHEMA = {
    "type": "object",
    "title": "Schema title",
    "properties": {"description": {"description": "Nested.", "enum": ["description"]}},
}
"""A property may be called "description" without being one."""

SCHEMA_TEXTS: dict[Path, str] = {
    ("title",): "Schema title",
    ("properties", "description", "description"): "Nested.",
}


def system(content: Any, role: str = "system") -> Json:
    return {"messages": [{"role": "user", "content": "no"}, {"role": role, "content": content}]}


def parts(*texts: str) -> list[Json]:
    return [{"type": "text", "text": text} for text in texts]


def inside(path: Path, texts: dict[Path, str]) -> dict[Path, str]:
    return {path + where: text for where, text in texts.items()}


WHERE: Path = ("messages", 1, "content")
FUNCTION = {"name": "f", "description": "Does.", "parameters": SCHEMA}


def in_function(path: Path, schema: str = "parameters") -> dict[Path, str]:
    return inside(path, {("description",): "Does.", **inside((schema,), SCHEMA_TEXTS)})


@pytest.mark.parametrize(
    ("body", "target", "texts"),
    [
        (system("Be brief."), "system", {WHERE: "Be brief."}),
        (system("Be brief.", "developer"), "system", {WHERE: "Be brief."}),
        (system("Be brief.", "root"), "system", {WHERE: "Be brief."}),
        (
            system(parts("a", "b")),
            "system",
            {(*WHERE, 0, "text"): "a", (*WHERE, 1, "text"): "b"},
        ),
        (system([{"text": "a"}]), "system", {(*WHERE, 0, "text"): "a"}),
        (
            {"tools": [{"type": "function", "function": FUNCTION}]},
            "tools",
            in_function(("tools", 0, "function")),
        ),
        (
            {"tools": [1, {"type": "custom", "custom": {"name": "c", "description": "Free."}}]},
            "tools",
            {("tools", 1, "custom", "description"): "Free."},
        ),
        ({"functions": [FUNCTION]}, "tools", in_function(("functions", 0))),
        (
            {"messages": [{"role": "system", "tools": [{"function": FUNCTION}]}]},
            "tools",
            in_function(("messages", 0, "tools", 0, "function")),
        ),
        (
            {
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"name": "s", "description": "Does.", "schema": SCHEMA},
                }
            },
            "tools",
            in_function(("response_format", "json_schema"), "schema"),
        ),
    ],
)
def test_prompts(body: Json, target: str, texts: dict[Path, str]) -> None:
    prompts = list(openai_chat.prompts(body))
    assert {prompt.target for prompt in prompts} == {target}
    assert all(prompt.place for prompt in prompts)
    assert texts == {
        path: text
        for prompt in prompts
        for path, text in zip(prompt.paths, prompt.texts, strict=True)
    }


def test_adjacent_text_parts_are_one_prompt_and_others_divide_them() -> None:
    content = [*parts("a", "b"), {"type": "image_url"}, *parts("c"), 7]
    first, second = openai_chat.prompts(system(content))
    assert first.texts == ("a", "b")
    assert first.elements == ((*WHERE, 0), (*WHERE, 1))
    assert second.texts == ("c",)
    assert second.paths == ((*WHERE, 3, "text"),)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"messages": None, "tools": None, "functions": 7, "response_format": "text"},
        {"messages": [None, "x", {"role": "system"}, {"role": "system", "content": 7}]},
        {"messages": [{"role": role, "content": "x"} for role in ("user", "assistant", "tool")]},
        {"messages": [{"role": "system", "content": [{"type": "image", "text": "x"}]}]},
        {"tools": [None, {"function": None}, {"function": {"name": "f", "description": 7}}]},
        {"tools": [{"function": {"parameters": {"properties": {"a": {"default": "x"}}}}}]},
        {"tools": [{"custom": {"format": {"grammar": {"definition": "x"}}}}]},
        {"prediction": {"content": "x"}, "response_format": {"json_schema": 7}},
    ],
)
def test_what_is_no_prompt(body: Json) -> None:
    assert list(openai_chat.prompts(body)) == []
    assert list(openai_chat.signed_thoughts(body)) == []
