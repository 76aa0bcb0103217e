"""Counting without a vocabulary."""

from __future__ import annotations

from mitmproxy_windsurf.upstream.tokens import estimate, strings, tokens_of


def test_tokens_are_a_quarter_of_the_bytes_rounded_up() -> None:
    assert [estimate(text) for text in ("", "a", "abcd", "abcde", "测试", "\ud800")] == [
        0,
        1,
        1,
        2,
        2,
        1,
    ]


def test_strings_are_found_in_their_order() -> None:
    value = {"a": "1", "b": [{"c": "2"}, "3"], "d": {"e": [["4"]], "f": 5, "g": None}}
    assert list(strings(value)) == [("a", "1"), ("c", "2"), ("b", "3"), ("e", "4")]


def test_images_cost_no_tokens() -> None:
    image = {"type": "image", "source": {"data": "A" * 4000}}
    url = {"image_url": {"url": "data:image/png;base64," + "A" * 4000}}
    assert tokens_of({"messages": [image, url, "abcd"]}) < 10
