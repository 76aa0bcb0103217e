"""The shortest answer, put into requests of every protocol."""

import json
from typing import Any

import pytest

from mitmproxy_windsurf.debug.bisect.limits import with_shortest_answer


@pytest.mark.parametrize(
    ("protocol", "body", "changed"),
    [
        ("anthropic", {"max_tokens": 32000}, {"max_tokens": 1}),
        (
            "anthropic",
            {"max_tokens": 32000, "thinking": {"type": "enabled", "budget_tokens": 31999}},
            {"max_tokens": 1025, "thinking": {"type": "enabled", "budget_tokens": 1024}},
        ),
        (
            "anthropic",
            {"max_tokens": 9, "thinking": {"type": "adaptive"}},
            {"max_tokens": 1, "thinking": {"type": "adaptive"}},
        ),
        ("openai_chat", {}, {"max_completion_tokens": 1}),
        ("openai_chat", {"max_tokens": 5}, {"max_tokens": 1}),
        ("openai_chat", {"max_tokens": None}, {"max_tokens": None, "max_completion_tokens": 1}),
        ("openai_responses", {}, {"max_output_tokens": 16}),
        ("openai_responses", {"max_output_tokens": None}, {"max_output_tokens": 16}),
        ("openai_completions", {"max_tokens": 7}, {"max_tokens": 1}),
        ("gemini", {}, {"generationConfig": {"maxOutputTokens": 1}}),
        (
            "gemini",
            {"generation_config": {"max_output_tokens": 8192, "top_p": 1}},
            {"generation_config": {"max_output_tokens": 1, "top_p": 1}},
        ),
        (
            "gemini",
            {"request": {"contents": []}},
            {"request": {"contents": [], "generationConfig": {"maxOutputTokens": 1}}},
        ),
        ("ollama", {"options": {"seed": 1}}, {"options": {"seed": 1, "num_predict": 1}}),
        ("ollama", {"options": None}, {"options": {"num_predict": 1}}),
    ],
)
def test_the_smallest_limit_is_put_in(protocol: str, body: Any, changed: Any) -> None:
    raw = json.dumps({"model": "m", **body}, indent=1)
    assert json.loads(with_shortest_answer(protocol, raw)) == {"model": "m", **changed}


def test_a_limit_that_is_small_already_stays() -> None:
    raw = '{ "max_output_tokens" : 3 }'
    assert with_shortest_answer("openai_responses", raw) == raw


def test_every_other_byte_stays() -> None:
    raw = '{"a" : 1.0,\n "max_tokens": 32000 , "b":"\\u00e9"}'
    assert with_shortest_answer("anthropic", raw) == raw.replace("32000", "1")
