"""Requests: prompts are rewritten where they stand, and nothing else is touched."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.prompts.neutralize import neutralize
from mitmproxy_windsurf.rewriter import Layers, RequestRewriter, requests
from mitmproxy_windsurf.wire import detect
from mitmproxy_windsurf.wire.walk import strings

TRIGGER = "You are Claude Code, Anthropic's official CLI for Claude."
CLEAN = neutralize(TRIGGER).text
BILLING = "x-anthropic-billing-header: cc_version=2.1.1; cc_entrypoint=cli; cch=00000;"
FREEFORM = "A FREEFORM tool, so do not wrap the patch in JSON."


def rewritten(protocol: str, body: bytes, layers: Layers | None = None) -> bytes:
    return RequestRewriter(protocol, layers or Layers()).rewrite(body)


def body(system: Any, **more: Any) -> dict[str, Any]:
    user = {"role": "user", "content": TRIGGER}
    return {"model": "m", "messages": [{"role": "system", "content": system}, user], **more}


words = st.sampled_from(
    [TRIGGER, BILLING, FREEFORM, "Be brief. ", "\n", "é😀", "<b>/\\", "\x00", '"']
)
texts = st.lists(words, max_size=4).map("".join)
blocks = st.lists(
    st.fixed_dictionaries(
        {"type": st.sampled_from(["text", "text", "image"]), "text": texts},
        optional={"cache_control": st.just({"type": "ephemeral"})},
    ),
    max_size=4,
)
tools = st.lists(
    st.fixed_dictionaries(
        {
            "name": st.just(TRIGGER),
            "description": texts,
            "function": st.dictionaries(st.just("description"), texts),
        }
    ),
    max_size=2,
)
bodies = st.fixed_dictionaries(
    {
        "model": st.just("m"),
        "system": texts | blocks,
        "messages": st.lists(
            st.fixed_dictionaries(
                {
                    "role": st.sampled_from(["system", "developer", "user", "assistant", "tool"]),
                    "content": texts | blocks,
                }
            ),
            max_size=4,
        ),
        "tools": tools,
        "temperature": st.sampled_from([1.0, 1e-7, 0]),
    }
)
protocols = st.sampled_from(["anthropic", "openai_chat"])


@st.composite
def spelled(draw: st.DrawFn) -> bytes:
    """A body in some spelling of JSON."""
    options: dict[str, Any] = draw(
        st.sampled_from(
            [{}, {"indent": 2}, {"separators": (",", ":")}, {"ensure_ascii": False}, {"indent": 0}]
        )
    )
    raw = json.dumps(draw(bodies), **options)
    if draw(st.booleans()):
        raw = raw.replace("/", "\\/")
    if draw(st.booleans()):
        raw = raw.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return raw.encode()


@given(spelled(), protocols)
def test_idempotence(given_body: bytes, protocol: str) -> None:
    once = rewritten(protocol, given_body)
    assert rewritten(protocol, given_body) == once
    assert rewritten(protocol, once) == once


@given(spelled(), protocols)
def test_conservation(given_body: bytes, protocol: str) -> None:
    """Without layer 1 no byte changes; with it only texts of prompts do, and blocks may go."""
    assert rewritten(protocol, given_body, Layers(neutralize=False)) == given_body
    assert rewritten(protocol, given_body, Layers(shadow=True)) == given_body
    machine = RequestRewriter(protocol, Layers())
    out = machine.rewrite(given_body)
    assert not machine.warnings or machine.edits
    if not machine.edits:
        assert out == given_body
    document = json.loads(given_body)
    prompts = {path for one in detect.protocol(protocol).prompts(document) for path in one.paths}
    kept = [text for path, text in strings(document) if path not in prompts]
    left = iter([text for _, text in strings(json.loads(out))])
    assert all(text in left for text in kept if text not in ("text", "ephemeral"))


def literals(raw: str) -> Iterator[re.Match[str]]:
    return re.finditer(r'"(?:[^"\\]|\\.)*"', raw)


@given(spelled(), protocols)
def test_only_literals_change(given_body: bytes, protocol: str) -> None:
    given_text = given_body.decode().replace(BILLING, "")  # or blocks would go
    out = rewritten(protocol, given_text.encode()).decode()
    mold = re.sub(r'"(?:[^"\\]|\\.)*"', '""', given_text)
    assert re.sub(r'"(?:[^"\\]|\\.)*"', '""', out) == mold
    for before, after in zip(literals(given_text), literals(out), strict=True):
        meant = json.loads(after[0])
        assert before[0] == after[0] or json.loads(before[0]) != meant


def test_a_body_that_needs_no_change_is_the_same_object() -> None:
    raw = json.dumps(body("Be brief.")).encode()
    assert rewritten("openai_chat", raw) is raw


@pytest.mark.parametrize(
    ("system", "left"),
    [
        ([BILLING, "a"], ["a"]),
        (["a", BILLING], ["a"]),
        (["a", BILLING, "b"], ["a", "b"]),
        ([BILLING, TRIGGER], [CLEAN]),
        ([BILLING], []),
        ([BILLING, BILLING, "a", BILLING], ["a"]),
        ([" ", BILLING], [" "]),
        ([f"{BILLING}\n", "a"], ["a"]),
        ([f"{BILLING}\n\n ", "a"], ["a"]),
    ],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_a_block_that_becomes_empty_goes(
    system: list[str], left: list[str], indent: int | None
) -> None:
    def blocks_of(texts: list[str]) -> Any:
        cache = {"cache_control": {"type": "ephemeral"}}
        return [{"type": "text", "text": text, **cache} for text in texts]

    given_body, wanted = ({"system": blocks_of(texts), "tools": []} for texts in (system, left))
    out = rewritten("anthropic", json.dumps(given_body, indent=indent).encode())
    assert json.loads(out) == wanted


def test_a_prompt_that_is_a_string_stays_one() -> None:
    out = rewritten("anthropic", json.dumps({"system": BILLING}).encode())
    assert json.loads(out) == {"system": ""}


def test_a_body_of_another_protocol_is_read_as_what_it_is() -> None:
    asked = {"model": "m", "instructions": TRIGGER, "input": [{"role": "user", "content": TRIGGER}]}
    got = json.loads(rewritten("openai_chat", json.dumps(asked).encode()))
    assert got == {**asked, "instructions": CLEAN}


def test_the_path_may_name_the_model() -> None:
    path = "/v1beta/models/gemini-2.5-pro:streamGenerateContent"
    rewriter = RequestRewriter("gemini", Layers(), path=path)
    rewriter.rewrite(b"{}")
    assert rewriter.facts == detect.Facts("gemini-2.5-pro", stream=True)


def test_literals_keep_the_spelling_of_the_body() -> None:
    head = '{ "model":"m","n":1.50e+2,"messages" : [{"role":"system", "content": '
    for given_text, wanted in [
        (f'"{TRIGGER} \\u00e9 <\\/x>"', f'"{CLEAN} \\u00e9 <\\/x>"'),
        (f'"{TRIGGER} \\u003cé\\u003e /"', f'"{CLEAN} \\u003cé\\u003e /"'),
    ]:
        out = rewritten("openai_chat", (head + given_text + "}]}\n").encode())
        assert out.decode() == head + wanted + "}]}\n"


def test_edits_and_warnings_say_where() -> None:
    machine = RequestRewriter("openai_chat", Layers())
    functions = [{"function": {"name": "f", "description": FREEFORM}}]
    machine.rewrite(json.dumps(body(TRIGGER, tools=functions)).encode())
    places = {(edit.rule, edit.place) for edit in machine.edits}
    assert places == {("a1", "messages[0]"), ("a7", "tools[0]")}
    assert machine.facts.model == "m"


@pytest.mark.parametrize(
    ("raw", "warned"),
    [
        (b"", True),
        (b"{", True),
        (b"\xff{}", True),
        (b"\xef\xbb\xbf{}", True),
        (b"[" * 100_000, True),
        (b"[]", False),
        (b'"x"', False),
        (b"null", False),
        (b"{}", False),
    ],
)
def test_what_is_no_request_passes(raw: bytes, warned: bool) -> None:
    for protocol in ("anthropic", "openai_chat"):
        machine = RequestRewriter(protocol, Layers())
        assert machine.rewrite(raw) == raw
        assert bool(machine.warnings) is warned


def test_a_bug_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> Any:
        raise RuntimeError("a bug")

    raw = json.dumps(body(TRIGGER)).encode()
    for name in ("neutralize_parts", "locate"):
        with monkeypatch.context() as context:
            context.setattr(requests, name, fail)
            machine = RequestRewriter("openai_chat", Layers())
            assert machine.rewrite(raw) == raw
            assert not machine.edits
            assert "a bug" in machine.warnings[-1]
