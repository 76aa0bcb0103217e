"""Signed thinking: learned, passed, and restored by the next request."""

import json
from typing import Any

import pytest

from mitmproxy_windsurf.rewriter import Layers, RequestRewriter, ResponseRewriter, signatures
from mitmproxy_windsurf.rewriter.signatures import Signatures, SignedThinking, is_signature
from playbook import (
    END,
    MODEL,
    PRIVATE,
    Json,
    Like,
    Playbook,
    delta,
    documents,
    run,
    start,
    stop,
)
from strategies import every

SIGNED = "EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxB"
THOUGHT = f"I am Cascade, in {PRIVATE}/a "
SHOWN = f"I am {MODEL}, in <workspace> "


@pytest.mark.parametrize(
    ("value", "real"),
    [
        (SIGNED, True),
        ("x", True),
        ("", False),
        (None, False),
        (7, False),
        ("b2c7a5b8e1c94f4e9d6a0b3f5e7d8c9a", False),
        ("B2C7A5B8-E1C9-4F4E-9D6A-0B3F5E7D8C9A", False),
        ("b2c7a5b8e1c94f4e9d6a0b3f5e7d8c9a=", True),
        ("b2c7a5b8e1c94f4e9d6a0b3f5e7d8c9a\n", True),
    ],
)
def test_a_servers_filler_is_no_signature(value: object, real: bool) -> None:
    assert is_signature(value) is real


def block(index: int, thought: str, signature: str | None, *, size: int = 7) -> list[bytes]:
    signed = [delta(index, signature=signature)] if signature is not None else []
    pieces = [delta(index, thinking=piece) for piece in every(thought, size)]
    return [start(index, "thinking", signature=""), *pieces, *signed, stop(index)]


def thoughts(stream: bytes) -> str:
    return "".join(
        document["delta"].get("thinking", "")
        for document in documents(stream)
        if document["type"] == "content_block_delta"
    )


def shown(known: Signatures, *blocks: list[bytes]) -> str:
    rewriter = ResponseRewriter(
        "anthropic", Layers(), model=MODEL, want_thinking=True, signatures=known
    )
    return thoughts(run(rewriter, [event for one in blocks for event in one]))


def request(text: str, signature: str, **more: Any) -> Json:
    block = {"type": "thinking", "thinking": text, "signature": signature}
    turn = {"role": "assistant", "content": [block, {"type": "text", "text": "Hi. <é/>"}]}
    return {"model": MODEL, "messages": [{"role": "user", "content": "Hello"}, turn], **more}


def sent(known: Signatures | None, body: bytes, layers: Layers | None = None) -> bytes:
    return RequestRewriter("anthropic", layers or Layers(), signatures=known).rewrite(body)


def test_the_first_signature_teaches_that_this_upstream_signs() -> None:
    known = Signatures()
    assert shown(known, block(0, THOUGHT, SIGNED)) == SHOWN
    assert shown(known, block(0, THOUGHT, "another")) == THOUGHT
    assert shown(known, block(0, THOUGHT, None)) == THOUGHT
    assert shown(Signatures(), block(0, THOUGHT, SIGNED)) == SHOWN


def test_the_second_block_of_the_same_answer_is_passed() -> None:
    blocks = block(0, THOUGHT, SIGNED), block(1, THOUGHT, "another")
    assert shown(Signatures(), *blocks) == SHOWN + THOUGHT


@pytest.mark.parametrize("filler", [None, "", "b2c7a5b8e1c94f4e9d6a0b3f5e7d8c9a"])
def test_a_local_server_is_scrubbed_for_ever(filler: str | None) -> None:
    known = Signatures()
    for _ in range(3):
        assert shown(known, block(0, THOUGHT, filler)) == SHOWN


def test_the_next_request_gets_the_original_back() -> None:
    known = Signatures()
    shown(known, block(0, THOUGHT, SIGNED))
    for indent in (None, 1):
        body = json.dumps(request(SHOWN, SIGNED), indent=indent, ensure_ascii=False)
        wanted = body.replace(json.dumps(SHOWN), json.dumps(THOUGHT))
        assert sent(known, body.encode()).decode() == wanted
        assert sent(known, wanted.encode()).decode() == wanted


@pytest.mark.parametrize("cut", range(1, len(THOUGHT)))
def test_what_is_signed_is_the_whole_original(cut: int) -> None:
    """The last edit may come only when the block ends."""
    for thought in (THOUGHT[:cut], THOUGHT[cut:]):
        known = Signatures()
        told = shown(known, block(0, thought, SIGNED, size=3))
        body = json.dumps(request(told, SIGNED)).encode()
        assert json.loads(sent(known, body)) == request(thought, SIGNED)


def test_other_bodies_stay() -> None:
    known = Signatures()
    shown(known, block(0, THOUGHT, SIGNED))
    other = json.dumps(request(SHOWN, "another")).encode()
    assert sent(known, other) == other
    mine = json.dumps(request(SHOWN, SIGNED)).encode()
    assert sent(None, mine) == mine
    assert sent(known, mine, Layers(shadow=True)) == mine
    assert sent(known, mine, Layers(neutralize=False)) != mine


@pytest.mark.parametrize(("mode", "told"), [("pass", THOUGHT), ("scrub", SHOWN)])
def test_the_users_choice(mode: SignedThinking, told: str) -> None:
    known = Signatures(mode)
    for _ in range(2):
        assert shown(known, block(0, THOUGHT, SIGNED)) == told
        body = json.dumps(request(told, SIGNED)).encode()
        assert sent(known, body) == body


def test_the_signature_comes_after_the_last_word_and_stays_as_it_is() -> None:
    with Playbook("anthropic", signatures=Signatures("scrub")) as stream:
        stream.passes(start(0, "thinking"))
        stream >> delta(0, thinking=f"{PRIVATE} /op") << delta(0, thinking="<workspace> ")
        signature = delta(0, signature="c2/opt/windsurf")
        stream >> signature << Like(delta(0, thinking="/op")) << signature
        stream.passes(stop(0), start(1, "redacted_thinking", data=f"{PRIVATE} "), stop(1))
        stream >> END


@pytest.mark.parametrize("signature", [SIGNED, "", None])
def test_in_a_whole_answer_the_signature_is_known_in_time(signature: str | None) -> None:
    known = Signatures()
    content = [
        {"type": "thinking", "thinking": THOUGHT, "signature": signature},
        {"type": "text", "text": f"at {PRIVATE} "},
    ]
    body = json.dumps({"type": "message", "content": content}).encode()
    rewriter = ResponseRewriter(
        "anthropic", Layers(), model=MODEL, want_thinking=True, signatures=known
    )
    answer = json.loads(run(rewriter, [body]))["content"]
    assert answer[0]["thinking"] == (THOUGHT if signature else SHOWN)
    assert answer[1]["text"] == "at <workspace> "
    assert known.untouchable is bool(signature)


def test_remembered_originals_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signatures, "MAX_REMEMBERED", 10)
    known = Signatures()
    for name, original in [("a", "1234"), ("b", "5678"), ("a", "other"), ("c", "90123")]:
        known.seen(name, original)
    assert [known.original(name) for name in ("a", "b", "c")] == [None, "5678", "90123"]
    known.seen("d", "longer than all")
    assert known.original("d") is None
    assert known.original("b") is None
    assert known.original(7) is None


def test_an_unchanged_thought_is_not_remembered() -> None:
    known = Signatures()
    shown(known, block(0, "Nothing to see.", SIGNED))
    assert known.original(SIGNED) is None
    assert known.untouchable
