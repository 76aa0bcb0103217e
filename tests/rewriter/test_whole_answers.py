"""Answers that are not streamed, errors in any shape, and shadow mode."""

import json
from typing import Any

import pytest

from mitmproxy_windsurf.rewriter import Layers, ResponseRewriter
from playbook import ABORT, END, MODEL, PRIVATE, Json, Playbook, chunk, run
from strategies import cuttings

BOM = b"\xef\xbb\xbf"


def rewriter(protocol: str, layers: Layers | None = None, **options: Any) -> ResponseRewriter:
    options = {"model": MODEL, "want_thinking": False, **options}
    return ResponseRewriter(protocol, layers or Layers(), **options)


def rewritten(protocol: str, body: bytes, **options: Any) -> bytes:
    """The answer, however it is cut."""
    whole = run(rewriter(protocol, **options), [body])
    for pieces in cuttings(body) if len(body) < 300 else ():
        assert run(rewriter(protocol, **options), pieces) == whole
    return whole


def chat(**message: Any) -> bytes:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": "stop"}
    return json.dumps({"id": "c1", "choices": [choice], "usage": {"n": 1.50}}).encode()


def message(*content: Json) -> bytes:
    return json.dumps({"type": "message", "content": content, "stop_reason": "end_turn"}).encode()


def says(text: str) -> Json:
    return {"type": "text", "text": text}


def thinks(text: str) -> Json:
    return {"type": "thinking", "thinking": text}


CALL: Json = {"type": "tool_use", "id": "x", "name": "f", "input": {"p": "a"}}

TEXTS = [
    ("openai_chat", lambda text: chat(content=text)),
    ("openai_chat", lambda text: chat(content=[says(text)])),
    ("openai_chat", lambda text: chat(content=None, reasoning_content=text)),
    ("openai_chat", lambda text: chat(reasoning=text, reasoning_details=[{"text": text}])),
    ("anthropic", lambda text: message(says(text))),
    ("anthropic", lambda text: message(thinks(text), says("Hi."))),
]


@pytest.mark.parametrize(("protocol", "answer"), TEXTS)
def test_only_the_literals_change(protocol: str, answer: Any) -> None:
    given, wanted = (
        answer(text)
        for text in (f"I am Cascade in {PRIVATE}/é. /op", f"I am {MODEL} in <workspace>. /op")
    )
    assert rewritten(protocol, given) == wanted
    assert rewritten(protocol, wanted) == wanted
    for edge in (BOM, b" \r\n\t", BOM + b"\n"):
        assert rewritten(protocol, edge + given + b"\n") == edge + wanted + b"\n"


def test_arguments_of_a_whole_answer() -> None:
    def call(path: str) -> bytes:
        return chat(
            tool_calls=[
                {"id": "x", "function": {"name": "f", "arguments": json.dumps({"p": path})}},
                {"id": "y", "custom": {"input": f"cat {path}\n"}},
            ],
            function_call={"name": "f", "arguments": json.dumps([path])},
        )

    assert rewritten("openai_chat", call(f"{PRIVATE}/a")) == call("<workspace>")
    given, wanted = (
        message(CALL | {"input": {"p": [path], PRIVATE: 1}}) for path in (PRIVATE, "<workspace>")
    )
    assert rewritten("anthropic", given) == wanted


PLAN = "Plan A."


@pytest.mark.parametrize(
    ("protocol", "answer", "left"),
    [
        (
            "openai_chat",
            chat(reasoning_content=PLAN, content=PLAN),
            chat(reasoning_content=PLAN, content=""),
        ),
        ("openai_chat", chat(reasoning_content=PLAN, content=PLAN, tool_calls=[{}]), None),
        ("openai_chat", chat(reasoning_content=PLAN, content="Plan"), None),
        ("anthropic", message(thinks(PLAN), says(PLAN)), message(thinks(PLAN), says(""))),
        ("anthropic", message(thinks(PLAN), says(PLAN), CALL), None),
        ("anthropic", message(thinks(PLAN), CALL, says(PLAN)), None),
        ("anthropic", message(thinks(PLAN), says("Plan "), says("A.")), None),
        ("anthropic", message(says(PLAN), thinks(PLAN)), None),
    ],
)
def test_dedup_as_in_a_stream(protocol: str, answer: bytes, left: bytes | None) -> None:
    """Only an answer that is all of the reasoning, and no more than that, is dropped."""
    assert rewritten(protocol, answer, want_thinking=True) == (left or answer)
    assert rewritten(protocol, answer) == answer


def test_something_stays_visible() -> None:
    body = message(thinks(PLAN), says(PLAN))
    machine = rewriter("anthropic", want_thinking=True, keep_visible=True)
    assert run(machine, [body]) == body
    assert machine.kept_visible == 1


def test_tokens_of_a_changed_text_are_emptied() -> None:
    def answer(text: str, tokens: list[Json]) -> bytes:
        logprobs = {"content": tokens, "refusal": [{"token": "x"}]}
        choice = {"message": {"content": text}, "logprobs": logprobs}
        return json.dumps({"choices": [choice]}).encode()

    assert rewritten("openai_chat", answer(PRIVATE, [{"token": "/"}])) == answer("<workspace>", [])
    unchanged = answer("Hi.", [{"token": "Hi."}])
    assert rewritten("openai_chat", unchanged) == unchanged


MESSAGE = f"I am Cascade: cannot open {PRIVATE}/a.py: no such file"
CLEAN = MESSAGE.replace(f"{PRIVATE}/a.py", "<workspace>")


def json_error(shape: Any, text: str) -> bytes:
    return json.dumps(shape(text)).encode()


SHAPES = [
    lambda text: {"type": "error", "error": {"type": "api_error", "message": text}},
    lambda text: {"error": {"message": text, "metadata": {"raw": [text]}}},
    lambda text: {"error": text},
    lambda text: {"detail": [{"loc": ["body"], "msg": text}]},
    lambda text: {"message": text, "choices": 7},
    lambda text: [text],
    lambda text: text,
]


@pytest.mark.parametrize("protocol", ["anthropic", "openai_chat"])
@pytest.mark.parametrize("status", [400, 404, 429, 500, 529])
@pytest.mark.parametrize("shape", SHAPES)
def test_error_bodies_of_any_shape(protocol: str, status: int, shape: Any) -> None:
    body = json_error(shape, MESSAGE)
    assert rewritten(protocol, body, status=status) == json_error(shape, CLEAN)


@pytest.mark.parametrize("protocol", ["anthropic", "openai_chat"])
@pytest.mark.parametrize("shape", SHAPES[:3])
def test_an_error_with_status_200(protocol: str, shape: Any) -> None:
    assert rewritten(protocol, json_error(shape, MESSAGE)) == json_error(shape, CLEAN)


@pytest.mark.parametrize("body", ["<html>{}</html>", "{}", "{{ {}", " {}\n", "data: {}\n\n"])
def test_errors_that_are_no_json(body: str) -> None:
    given, wanted = (body.format(text).encode() for text in (MESSAGE, CLEAN))
    assert rewritten("openai_chat", given, status=502, content_type="text/html") == wanted


def test_an_error_as_a_stream() -> None:
    body = b'event: error\ndata: {"error": {"message": "%b"}}\n\n'
    given, wanted = (body % text.encode() for text in (MESSAGE, CLEAN))
    options = {"status": 429, "content_type": "text/event-stream; charset=utf-8"}
    assert rewritten("anthropic", given.replace(b"{", b'{"type": "error", ', 1), **options) == (
        wanted.replace(b"{", b'{"type": "error", ', 1)
    )


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b'{"choices": [', 200),
        (b'{"choices": "\xff"}', 200),
        (b"{} {}", 200),
        (b"[" * 100_000, 200),
        (b"\xff /opt/windsurf", 500),
    ],
)
def test_what_cannot_be_read_passes_with_a_warning(body: bytes, status: int) -> None:
    machine = rewriter("openai_chat", status=status)
    assert run(machine, [body]) == body
    assert len(machine.warnings) == 1


@pytest.mark.parametrize("body", [b"", b"\n \r\n", b"[1]", b"{}", b"7", BOM, BOM[:2], b"Hello"])
@pytest.mark.parametrize("status", [200, 500])
def test_bodies_that_say_nothing(body: bytes, status: int) -> None:
    for protocol in ("anthropic", "openai_chat"):
        assert rewritten(protocol, body, status=status) == body


def test_blanks_before_an_answer_keep_the_line_alive() -> None:
    machine = rewriter("openai_chat")
    for blank in (BOM, b"\n", b" ", b"\r\n"):
        assert machine.feed(blank) == [blank]
    assert machine.feed(b"") == []
    assert machine.feed(chat(content=PRIVATE)) == []
    assert machine.flush() == [chat(content="<workspace>")]


def test_a_body_that_breaks_off_passes_as_it_came() -> None:
    body = chat(content=PRIVATE)
    assert run(rewriter("openai_chat"), [body[:-1]], ABORT) == body[:-1]
    assert run(rewriter("openai_chat"), [BOM[:1]], ABORT) == BOM[:1]
    assert run(rewriter("openai_chat"), [], ABORT) == b""


def test_shadow_mode_changes_nothing_and_counts() -> None:
    shadow = Layers(shadow=True)
    for end in (END, ABORT):
        with Playbook("openai_chat", shadow, want_thinking=True) as stream:
            stream.passes(
                chunk(reasoning=PLAN),
                chunk(content=f"I am Cascade in {PRIVATE}/x, /op"),
                chunk(finish="stop"),
            )
            stream >> end
            assert {edit.layer for edit in stream.rewriter.edits} == {"paths", "identity"}
    machine = rewriter("openai_chat", shadow)
    body = chat(content=f"in {PRIVATE}/a")
    assert machine.feed(body) == [body]
    assert machine.flush() == []
    assert [edit.layer for edit in machine.edits] == ["paths"]


def test_layers_can_be_off() -> None:
    text = f"I am Cascade in {PRIVATE}/a."
    for layers, left in [
        (Layers(paths=False, identity=False, dedup=False), text),
        (Layers(paths=False), f"I am {MODEL} in {PRIVATE}/a."),
        (Layers(identity=False), "I am Cascade in <workspace>."),
    ]:
        body = message(thinks(text), says(text))
        wanted = message(thinks(left), says(left))
        if layers.dedup:
            wanted = message(thinks(left), says(""))
        assert run(rewriter("anthropic", layers, want_thinking=True), [body]) == wanted


def test_without_a_model_nobody_is_renamed() -> None:
    body = chat(content=f"I am Cascade in {PRIVATE}")
    wanted = chat(content="I am Cascade in <workspace>")
    assert run(rewriter("openai_chat", model=None), [body]) == wanted
