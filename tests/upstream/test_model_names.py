"""What the backend calls a model."""

from __future__ import annotations

import pytest

from mitmproxy_windsurf.upstream.model_names import parse_model_names

NAMES = parse_model_names(["claude-*haiku*=small, gpt-5 = b=c", " *[1m]=long,", "claude-*=large"])


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("claude-haiku-4-5", "small"),
        ("Claude-3-HAIKU", "small"),
        ("claude-opus-4-6", "large"),
        ("claude-opus-4-6[1m]", "long"),
        ("gpt-5", "b=c"),
        ("gpt-5.5", "gpt-5.5"),
        ("my-claude-a", "my-claude-a"),
        ("", ""),
    ],
)
def test_the_first_pattern_that_fits_counts(model: str, name: str) -> None:
    assert NAMES(model) == name


@pytest.mark.parametrize("text", ["qwen", "=qwen", "*=", "a=b,c"])
def test_what_is_no_pair_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not PATTERN=NAME"):
        parse_model_names([text])
