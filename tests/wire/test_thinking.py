"""How requests ask for visible thinking: one table per protocol. The collected cases run in
`test_cases`."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.wire.thinking import wants_thinking

Body = dict[str, Any]

SHOWN: list[tuple[str, Body]] = [
    ("anthropic", {"thinking": {"type": "enabled", "budget_tokens": 1024}}),
    ("anthropic", {"thinking": {"type": "adaptive"}}),
    ("anthropic", {"thinking": {"type": "adaptive", "display": "summarized"}}),
    ("anthropic", {"thinking": {"type": "enabled", "display": "updates"}}),
    ("openai_chat", {"reasoning_effort": "low"}),
    ("openai_chat", {"reasoning_effort": "max"}),
    ("openai_chat", {"thinking": {"type": "enabled", "clear_thinking": False}}),
    ("openai_chat", {"thinking": {"type": "adaptive"}}),
    ("openai_chat", {"enable_thinking": True}),
    ("openai_chat", {"enable_thinking": True, "thinking_budget": 100}),
    ("openai_chat", {"chat_template_kwargs": {"enable_thinking": True}}),
    ("openai_chat", {"chat_template_kwargs": {"thinking": True}}),
    ("openai_chat", {"include_reasoning": True}),
    ("openai_chat", {"reasoning": {"effort": "high"}}),
    ("openai_chat", {"reasoning": {"enabled": True}}),
    ("openai_chat", {"reasoning": {"max_tokens": 100}}),
    ("openai_chat", {"reasoning": {"effort": None, "summary": "auto"}}),
    ("openai_chat", {"reasoning_format": "parsed"}),
    ("openai_chat", {"reasoning_format": "deepseek"}),
    ("openai_chat", {"reasoning_effort": "high", "venice_parameters": {}}),
    ("openai_responses", {"reasoning": {"summary": "auto"}}),
    ("openai_responses", {"reasoning": {"summary": "detailed", "effort": None}}),
    ("openai_responses", {"reasoning": {"generate_summary": "concise"}}),
    ("openai_responses", {"reasoning": {"effort": "medium"}}),
    ("gemini", {"generationConfig": {"thinkingConfig": {"includeThoughts": True}}}),
    ("gemini", {"generation_config": {"thinking_config": {"include_thoughts": True}}}),
    ("gemini", {"request": {"generationConfig": {"thinkingConfig": {"includeThoughts": True}}}}),
    ("ollama", {"think": True}),
    ("ollama", {"think": "high"}),
]

HIDDEN: list[tuple[str, Body]] = [
    *((name, {}) for name in ("anthropic", "openai_chat", "openai_responses", "gemini", "ollama")),
    ("anthropic", {"thinking": {"type": "disabled"}}),
    ("anthropic", {"thinking": {"type": "between_tools"}}),
    ("anthropic", {"thinking": {"type": "enabled", "display": "omitted"}}),
    ("anthropic", {"thinking": True}),
    ("openai_chat", {"reasoning_effort": "none"}),
    ("openai_chat", {"reasoning_effort": "Minimal"}),
    ("openai_chat", {"reasoning_effort": None}),
    ("openai_chat", {"thinking": {"type": "disabled"}}),
    ("openai_chat", {"enable_thinking": False}),
    ("openai_chat", {"enable_thinking": False, "reasoning_effort": "high"}),
    ("openai_chat", {"enable_thinking": True, "thinking_budget": 0}),
    ("openai_chat", {"enable_thinking": True, "chat_template_kwargs": {"thinking": False}}),
    ("openai_chat", {"include_reasoning": False, "reasoning_effort": "high"}),
    ("openai_chat", {"reasoning": {"exclude": True, "effort": "high"}}),
    ("openai_chat", {"reasoning": {"enabled": False, "effort": "high"}}),
    ("openai_chat", {"reasoning": {"effort": "none"}}),
    ("openai_chat", {"reasoning": {"max_tokens": 0}}),
    ("openai_chat", {"reasoning": {}}),
    ("openai_chat", {"reasoning_format": "hidden", "reasoning_effort": "high"}),
    ("openai_chat", {"reasoning_format": "none"}),
    (
        "openai_chat",
        {"reasoning_effort": "high", "venice_parameters": {"disable_thinking": True}},
    ),
    ("openai_responses", {"reasoning": None}),
    ("openai_responses", {"reasoning": {"summary": None}}),
    ("openai_responses", {"reasoning": {"effort": "none"}}),
    ("openai_responses", {"reasoning": {"effort": "none", "summary": "auto"}}),
    ("gemini", {"generationConfig": {"thinkingConfig": {"includeThoughts": False}}}),
    ("gemini", {"generationConfig": {"thinkingConfig": {"includeThoughts": "true"}}}),
    ("gemini", {"generationConfig": {"thinkingConfig": {"thinkingBudget": 128}}}),
    ("gemini", {"generationConfig": {"thinkingConfig": {"thinkingLevel": "HIGH"}}}),
    ("gemini", {"generationConfig": None}),
    ("ollama", {"think": False}),
    ("ollama", {"think": None}),
]


@pytest.mark.parametrize(("protocol", "body"), SHOWN)
def test_thinking_is_asked_for(protocol: str, body: Body) -> None:
    assert wants_thinking(protocol, body) is True


@pytest.mark.parametrize(("protocol", "body"), HIDDEN)
def test_thinking_is_not_asked_for(protocol: str, body: Body) -> None:
    assert wants_thinking(protocol, body) is False


OFFS: list[Body] = [
    {"reasoning_effort": "none"},
    {"thinking": {"type": "disabled"}},
    {"enable_thinking": False},
    {"reasoning_format": "hidden"},
]


@pytest.mark.parametrize("off", OFFS)
def test_an_explicit_off_wins(off: Body) -> None:
    for protocol, body in SHOWN:
        if protocol == "openai_chat":
            assert not wants_thinking(protocol, body | off)


NAMES = ["thinking", "reasoning", "think", "effort", "type", "generationConfig", "enable_thinking"]


@given(
    st.sampled_from(["anthropic", "openai_chat", "openai_responses", "gemini", "ollama", "other"]),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(NAMES), inner),
    ).filter(lambda value: isinstance(value, dict)),
)
def test_any_body_has_an_answer(protocol: str, body: Body) -> None:
    assert wants_thinking(protocol, body) in (True, False)
