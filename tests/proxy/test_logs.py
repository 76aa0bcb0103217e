"""Log lines cannot be forged by what comes over the wire."""

import pytest

from mitmproxy_windsurf.proxy.logs import path_of, printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("two\r\nlines", r"two\r\nlines"),
        ("\x1b[31mred\x07", r"\x1b[31mred\x07"),
        ("right\u202eleft", r"right\u202eleft"),
        ("lone \udc80", r"lone \udc80"),
        ("日本 ✓", "日本 ✓"),
    ],
)
def test_what_does_not_print_is_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_long_text_is_cut() -> None:
    assert printable("x" * 100, 10) == "x" * 10 + "…"
    assert printable("x" * 10, 10) == "x" * 10


def test_a_query_is_never_shown() -> None:
    assert path_of("/v1beta/models/m:generateContent?key=AIza-secret") == (
        "/v1beta/models/m:generateContent"
    )
