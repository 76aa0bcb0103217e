"""What is around the texts: foreign events, dialects, events that cannot be read."""

from typing import Any

import pytest

from mitmproxy_windsurf.rewriter import Layers
from playbook import (
    ABORT,
    COMMENT,
    DONE,
    END,
    MESSAGE_END,
    PING,
    PRIVATE,
    Json,
    Like,
    Playbook,
    chunk,
    delta,
    documents,
    event,
    start,
    stop,
)

FOREIGN = [
    COMMENT,
    b": \n\n",
    b":\n: several\n:lines\n\n",
    b"\n\n",
    b"id: 7\nretry: 100\n\n",
    b"event: made-up\nid: 1\ndata: {\n",
    b"data: }\n\n",
    b"event: made-up\n\n",
    b'data: {"type": "made-up", "text": "/opt/windsurf"}\n\n',
    b"data: [1, 2]\n\n",
    b"data: null\n\n",
    b"data: 7\n\n",
    b"data:\n\n",
    b"unknown: field\n\n",
]


@pytest.mark.parametrize("protocol", ["anthropic", "openai_chat"])
def test_foreign_events_pass_as_they_are(protocol: str) -> None:
    with Playbook(protocol) as stream:
        stream.passes(*FOREIGN[:5])
        stream >> b"".join(FOREIGN[5:7]) << b"".join(FOREIGN[5:7])
        stream.passes(*FOREIGN[7:])
        if protocol == "anthropic":
            stream.passes(PING, *MESSAGE_END)
        stream >> END
        assert not stream.rewriter.warnings


def test_what_comes_after_the_terminal_event_passes() -> None:
    with Playbook("openai_chat") as stream:
        stream.passes(chunk(content="Hi."), chunk(finish="stop"), DONE)
        stream.passes(event({"choices": [], "cost": "0"}), COMMENT)
        stream >> END
    with Playbook("anthropic") as stream:
        stream.passes(start(0, "text"), delta(0, text="Hi."), stop(0), *MESSAGE_END)
        stream.passes(b"event: data\ndata: [DONE]\n\n")
        stream >> END


def spelled(one: bytes, eol: str, space: str) -> bytes:
    """The same event in another dialect."""
    lines = [line.replace(b": ", b":" + space.encode(), 1) for line in one.split(b"\n")]
    return eol.encode().join(lines)


@pytest.mark.parametrize("eol", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("space", ["", " "])
def test_a_new_event_is_written_like_those_of_the_stream(eol: str, space: str) -> None:
    given, wanted, end, new = (
        spelled(one, eol, space)
        for one in (
            delta(0, text=f"{PRIVATE} /op"),
            delta(0, text="<workspace> "),
            stop(0),
            delta(0, text="/op"),
        )
    )
    with Playbook("anthropic") as stream:
        stream >> given << wanted
        stream >> end << Like(new) << end
        stream >> END
        head, extra = f"event:{space}content_block_delta{eol}data:{space}{{", f"}}}}{eol}{eol}"
        assert stream.output[len(wanted) :].startswith(head.encode())
        assert stream.output.removesuffix(end).endswith(extra.encode())
    given, wanted, new = (
        spelled(chunk(content=text), eol, space)
        for text in (f"{PRIVATE} /op", "<workspace> ", "/op")
    )
    with Playbook("openai_chat") as stream:
        stream >> given << wanted
        stream >> END << Like(new)
        assert stream.output[len(wanted) :].startswith(f"data:{space}{{".encode())
        assert stream.output.endswith(f"}}{eol}{eol}".encode())


def test_messages_without_event_lines_get_none() -> None:
    def unnamed(one: bytes) -> bytes:
        return one.split(b"\n", 1)[1]

    with Playbook("anthropic") as stream:
        stream >> unnamed(delta(0, text=f"{PRIVATE} /op")) << unnamed(delta(0, text="<workspace> "))
        stream >> END << Like(unnamed(delta(0, text="/op")))


def test_only_the_literal_changes() -> None:
    raw = ' {"x": 1.0e-7 , "choices":[ {"delta" :{"content" : "%s","a":"\\u0041"} } ],"p":"\\/" }  '
    given = b": c\r\nid:4\r\n" + event(raw % r"in \/opt\/windsurf, a", "n", eol="\r\n", space="")
    wanted = b": c\r\nid:4\r\n" + event(raw % "in <workspace>, a", "n", eol="\r\n", space="")
    with Playbook("openai_chat") as stream:
        stream >> given << wanted
        stream >> END


def test_data_over_several_lines() -> None:
    def lines(text: str, tokens: bytes) -> bytes:
        return (
            b'data: {"choices": [\ndata: {"delta": {"content": "%b"},\ndata:  "logprobs":'
            b' {"content": [%b]}}]}\n\n' % (text.encode(), tokens)
        )

    with Playbook("openai_chat") as stream:
        one = b'{"token": "x"}'
        stream >> lines(f"{PRIVATE} a", one) << lines("<workspace> a", b"")
        stream >> lines(f" {PRIVATE} a", one + b",\ndata: " + one)
        stream << lines(" <workspace> a", b"")[:-1] + b"data: \n\n"
        stream >> END


UNREADABLE = [
    b"data: {\n\n",
    b'data: {"choices": [{"delta": {"content": "cut\n\n',
    b"data: not JSON\n\n",
    b'data: {"choices": "\xff"}\n\n',
    b"data: [DON\xc3\n\n",
    b"data: " + b"[" * 100_000 + b"\n\n",
    b'data: {"n": ' + b"1" * 5000 + b"}\n\n",
]


@pytest.mark.parametrize("broken", UNREADABLE, ids=range(len(UNREADABLE)))
def test_what_cannot_be_read_passes_with_one_warning(broken: bytes) -> None:
    with Playbook("openai_chat") as stream:
        stream.holds(first := chunk(content="in /opt/"), broken, broken)
        stream >> (last := chunk(content="x")) << first << broken << broken << last
        stream >> chunk(content=f" {PRIVATE}/a ") << chunk(content=" <workspace> ")
        stream >> END
        assert len(stream.rewriter.warnings) == 1


ODD: list[Any] = [
    {"choices": [{"index": [], "delta": {"content": "a"}}]},
    {"choices": [{"index": {"a": 1}, "delta": {"tool_calls": [{"function": {}}]}}]},
    {"choices": [{"delta": {"tool_calls": [{"index": [], "function": {"arguments": "a"}}]}}]},
]


@pytest.mark.parametrize("document", ODD)
def test_documents_that_no_protocol_has_pass(document: Json) -> None:
    with Playbook("openai_chat") as stream:
        stream.passes(event(document))
        stream.passes(chunk(content="Hi."))
        stream >> END
        assert len(stream.rewriter.warnings) == 1


def test_an_event_over_the_limit_passes_unread() -> None:
    big = chunk(content=f"{PRIVATE} " * 50)
    with Playbook("openai_chat", Layers(max_frame=400)) as stream:
        stream >> chunk(content=f"{PRIVATE} a") << chunk(content="<workspace> a")
        stream >> big
        assert b"".join(stream.take()) == big
        stream >> chunk(content=f" {PRIVATE} b") << chunk(content=" <workspace> b")
        stream >> END
        assert len(stream.rewriter.warnings) == 1


def stuck(stream: Playbook) -> None:
    stream >> chunk(content=f"{PRIVATE} /op") << chunk(content="<workspace> ")


LAST = chunk(content=" /opt/")


@pytest.mark.parametrize("cut", [1, 2])
def test_an_event_without_its_last_line_end_is_read(cut: int) -> None:
    with Playbook("openai_chat") as stream:
        stuck(stream)
        stream >> LAST[:-cut]
        stream >> END
        assert b"".join(stream.take()).startswith(chunk(content="/op ")[:-cut] + b"\n\n")
        texts = [one["choices"][0]["delta"]["content"] for one in documents(stream.output)]
        assert texts == ["<workspace> ", "/op ", "/opt/"]


@pytest.mark.parametrize("cut", [3, 30, 120])
def test_an_event_that_breaks_off(cut: int) -> None:
    """At a clean end what was held goes out after it, on lines of its own; at a break before it."""
    with Playbook("openai_chat") as stream:
        stuck(stream)
        stream >> LAST[:-cut]
        stream >> END << LAST[:-cut] + b"\n\n" << Like(chunk(content="/op"))
        assert len(stream.rewriter.warnings) == 1
    with Playbook("openai_chat") as stream:
        stuck(stream)
        stream >> LAST[:-cut]
        stream >> ABORT << Like(chunk(content="/op")) << LAST[:-cut]
        assert not stream.rewriter.warnings
