"""What should be JSON and is none is a text, in which no private path may stand."""

import pytest

from mitmproxy_windsurf.rewriter import Layers, ResponseRewriter
from playbook import END, Playbook, chunk


def whole(body: bytes, status: int = 200) -> tuple[bytes, list[str]]:
    rewriter = ResponseRewriter(
        "openai_chat",
        Layers(),
        model=None,
        want_thinking=False,
        status=status,
        content_type="text/plain" if status >= 400 else "application/json",
    )
    return b"".join([*rewriter.feed(body), *rewriter.flush()]), rewriter.warnings


def test_an_error_event_in_words() -> None:
    with Playbook("openai_chat") as stream:
        stream >> b"event: error\ndata: Panic in /opt/windsurf/a.py:3.\n\n"
        stream << b"event: error\ndata: Panic in <workspace>:3.\n\n"
        stream >> END
    assert "no JSON" in stream.rewriter.warnings[0]


def test_words_on_several_lines() -> None:
    with Playbook("openai_chat") as stream:
        stream >> b"data: see\ndata: /opt/windsurf/a.py\n\n"
        stream << b"data: see\ndata: <workspace>\n\n"
        stream.passes(chunk(content="x"))
        stream >> END


def test_words_without_a_path_pass() -> None:
    with Playbook("openai_chat") as stream:
        stream.passes(b"data: {broken /opt/\n\n", b"data: I am Cascade, made by Codeium\n\n")
        stream >> END


@pytest.mark.parametrize("body", [b'{"cut off": "/opt/windsurf/a.py', b"[1, /opt/windsurf/a"])
def test_a_broken_body(body: bytes) -> None:
    out, [warning] = whole(body)
    assert b"windsurf" not in out
    assert "no JSON" in warning


def test_an_error_in_words_needs_no_warning() -> None:
    assert whole(b"no /opt/windsurf/a here", 500) == (b"no <workspace> here", [])


def test_what_is_not_utf_8_passes() -> None:
    body = b'{"a": "\xff /opt/windsurf/a"}'
    out, [warning] = whole(body)
    assert out == body
    assert "UTF-8" in warning
    with Playbook("openai_chat") as stream:
        stream.passes(b"data: \xff /opt/windsurf/a\n\n")
        stream >> END
