"""Who made a model, by the family word in its name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.text.vendors import VENDORS, vendor_of


@pytest.mark.parametrize(
    ("model", "vendor"),
    [
        *(("claude-opus-4-6", "Anthropic"), ("sonnet-4.6", "Anthropic"), ("opus", "Anthropic")),
        *(("claude-haiku-4-5", "Anthropic"), ("fable-1", "Anthropic"), ("Claude 4", "Anthropic")),
        *(("gpt-5", "OpenAI"), ("gpt4o", "OpenAI"), ("chatgpt-4o-latest", "OpenAI")),
        *(("codex-mini", "OpenAI"), ("openai/gpt-5", "OpenAI"), ("GPT-5", "OpenAI")),
        *(("o1-mini", "OpenAI"), ("o3", "OpenAI"), ("o4-mini-high", "OpenAI")),
        *(("gemini-2.5-pro", "Google"), ("gemma-3", "Google"), ("models/gemini-pro", "Google")),
        *(("kimi-k2", "Moonshot"), ("glm-4.6", "Zhipu"), ("deepseek-r1", "DeepSeek")),
        *(("grok-4", "xAI"), ("qwen3-coder", "Alibaba"), ("minimax-m2", "MiniMax")),
        *(("mistral-large", "Mistral AI"), ("devstral", "Mistral AI"), ("llama-4", "Meta")),
        *(("swe-1", "Windsurf"), ("swe-1.5", "Windsurf"), ("MODEL_SWE_1", "Windsurf")),
        # Of several families the first counts.
        *(("deepseek-r1-distill-llama-70b", "DeepSeek"), ("llama-3-claude", "Meta")),
        # Not at a word boundary, or no family at all.
        *(("gptj-6b", None), ("codellama", None), ("xo1", None), ("o1x", None), ("o10", None)),
        *(("4gpt", None), ("o33-mini", None), ("claudette", None), ("sweet", None)),
        *(("private-x", None), ("", None), ("ſwe", None), ("é-é", None), ("éswe", None)),
    ],
)
def test_families(model: str, vendor: str | None) -> None:
    assert vendor_of(model) == vendor


@pytest.mark.parametrize(
    ("model", "vendor"),
    [
        ("house-7", "House Inc"),
        ("House-7", "House Inc"),
        ("gpt-house", "OpenAI"),
        ("claude-x", "Proxy"),
        ("gemini-x", None),
        ("a.b", "Dot"),
        ("axb", None),
        ("claudex-1", "Longer"),
    ],
)
def test_the_table_can_be_extended(model: str, vendor: str | None) -> None:
    extra = {
        "House": "House Inc",
        "claude": "Proxy",
        "gemini": " ",
        "a.b": "Dot",
        "claudex": "Longer",
        "": "Nobody",
    }
    assert vendor_of(model, extra) == vendor


def test_of_two_families_at_one_place_the_longer_counts() -> None:
    assert vendor_of("gpt-4", {"gpt-4": "Four"}) == "Four"
    assert vendor_of("gpt-5", {"gpt-4": "Four"}) == "OpenAI"
    assert vendor_of("gpt-41", {"gpt-4": "Four"}) == "OpenAI"


@given(st.text(), st.dictionaries(st.text(), st.text(), max_size=3))
def test_any_name_has_a_vendor_or_none(model: str, extra: dict[str, str]) -> None:
    vendor = vendor_of(model, extra)
    assert vendor is None or vendor in {*VENDORS.values(), *(v.strip() for v in extra.values())}
