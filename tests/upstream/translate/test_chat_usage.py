from __future__ import annotations

import pytest

from mitmproxy_windsurf.upstream.translate.chat_usage import usage_of
from mitmproxy_windsurf.upstream.translate.model import Json, Usage

COUNTS = {"prompt_tokens": 10, "completion_tokens": 4, "total_tokens": 14}


@pytest.mark.parametrize(
    ("document", "usage"),
    [
        ({"usage": COUNTS}, Usage(10, 4)),
        ({"usage": {**COUNTS, "prompt_tokens_details": {"cached_tokens": 8}}}, Usage(10, 4, 8)),
        ({"usage": {**COUNTS, "prompt_cache_hit_tokens": 8}}, Usage(10, 4, 8)),  # DeepSeek
        ({"choices": [{"usage": {**COUNTS, "cached_tokens": 8}}]}, Usage(10, 4, 8)),  # Kimi
        ({"x_groq": {"usage": COUNTS}}, Usage(10, 4)),
        (
            {"usage": {**COUNTS, "completion_tokens_details": {"reasoning_tokens": 3}}},
            Usage(10, 4, 0, 3),
        ),
        (  # xAI counts reasoning beside the rest
            {
                "usage": {
                    **COUNTS,
                    "total_tokens": 17,
                    "completion_tokens_details": {"reasoning_tokens": 3},
                }
            },
            Usage(10, 7, 0, 3),
        ),
        ({"usage": None, "choices": []}, None),
        ({"usage": {"prompt_tokens": 0, "completion_tokens": 0}}, None),
        ({"usage": "10", "choices": "none", "x_groq": 1}, None),
        ({"usage": {"prompt_tokens": 10, "completion_tokens": "4"}}, Usage(10, 0)),
        ({"usage": {**COUNTS, "cached_tokens": 99}}, Usage(10, 4, 10)),
    ],
)
def test_tokens_are_found_where_a_backend_counts_them(document: Json, usage: Usage | None) -> None:
    assert usage_of(document) == usage
