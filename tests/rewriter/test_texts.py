"""The texts that are open at a time: limits, edits, which layers run where."""

from typing import Any

import pytest

from mitmproxy_windsurf.rewriter import Layers, texts
from mitmproxy_windsurf.rewriter.channels import stages
from mitmproxy_windsurf.rewriter.signatures import Signatures
from mitmproxy_windsurf.rewriter.texts import Tail, Texts
from mitmproxy_windsurf.wire.parts import ALL, Channel, Key
from playbook import MODEL, PRIVATE


def opened(layers: Layers | None = None, **options: Any) -> Texts:
    options = {"want_thinking": True, "want_json": False, "keep_visible": False, **options}
    return Texts(layers or Layers(), model=MODEL, signatures=Signatures(), **options)


def key(index: int, channel: Channel = "text") -> Key:
    return Key("message", channel, index)


def test_no_more_texts_are_open_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "MAX_OPEN", 3)
    machine = opened()
    for index in range(5):
        document = {"n": index}
        tails = machine.switch(key(index))
        oldest = [Tail(key(index - 3), "/op", {"n": index - 3})]
        assert tails == (oldest if index >= 3 else [])
        assert machine.feed(key(index), "in /op", document) == "in "
    assert [machine.holds(key(index)) for index in range(5)] == [0, 0, 3, 3, 3]
    assert [tail.key for tail in machine.end(ALL, ALL)] == [key(2), key(3), key(4)]


def test_edits_say_where_and_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = opened()
    machine.feed(key(0, "thinking"), f"{PRIVATE}/a ", {})
    machine.feed(key(3), f"I am Cascade in {PRIVATE}/a ", {})
    machine.once("tool_input", f"{PRIVATE}/a", "content.0.input.p")
    assert [(edit.layer, edit.place) for edit in machine.edits] == [
        ("paths", "tool_input[content.0.input.p]"),
        ("paths", "thinking"),
        ("paths", "text[3]"),
        ("identity", "text[3]"),
    ]
    monkeypatch.setattr(texts, "MAX_EDITS", 2)
    assert len(machine.edits) == 2
    for _ in range(10):
        machine.once("error", f"{PRIVATE}/a", "error")
    assert len(machine._edits) == 2


CHANNELS: list[tuple[Channel, str]] = [
    ("text", f"I am {MODEL}, in <workspace> "),
    ("thinking", f"I am {MODEL}, in <workspace> "),
    ("refusal", "I am Cascade, in <workspace> "),
    ("result", "I am Cascade, in <workspace> "),
    ("error", "I am Cascade, in <workspace> "),
    ("tool_text", "I am Cascade, in <workspace> "),
    ("tool_input", "I am Cascade, in /opt/windsurf "),
]


@pytest.mark.parametrize(("channel", "told"), CHANNELS)
def test_which_layers_run_on_a_channel(channel: Channel, told: str) -> None:
    text = f"I am Cascade, in {PRIVATE} "
    machine = opened()
    assert machine.feed(key(0, channel), text, {}) == told
    if channel == "tool_input":
        assert (
            machine.feed(key(1, channel), f'["{text}"]', {}) == '["I am Cascade, in <workspace> "]'
        )


@pytest.mark.parametrize("channel", [channel for channel, _ in CHANNELS])
def test_layers_that_are_off_do_not_run(channel: Channel) -> None:
    off = Layers(paths=False, identity=False)
    assert not stages(channel, off, model=MODEL, unwrap=True)
    assert len(stages(channel, Layers(), model=None, unwrap=True)) == 1


def test_the_users_own_roots_and_vendors() -> None:
    layers = Layers(private_paths=("/srv/secret",), vendors={"house": "ACME"})
    machine = Texts(
        layers,
        model="house-1",
        want_thinking=False,
        want_json=False,
        keep_visible=False,
        signatures=Signatures(),
    )
    told = machine.feed(key(0), "I am Cascade, made by Codeium. See /srv/secret/a ", {})
    assert told == "I am house-1, made by ACME. See <workspace> "
    assert machine.feed(key(1, "tool_input"), '["/srv/secret/a"]', {}) == '["<workspace>"]'


RECORD = '{"name": "Cascade", "provider": "Codeium", "model": "x", "description": "Hello."}'


@pytest.mark.parametrize(("want_json", "told"), [(False, "Hello."), (True, RECORD)])
def test_a_record_is_unwrapped_if_no_json_was_asked_for(want_json: bool, told: str) -> None:
    machine = opened(want_json=want_json, want_thinking=False)
    out = machine.feed(key(0), RECORD, {})
    assert out + "".join(tail.text for tail in machine.end(ALL, ALL)) == told


def test_blocks_are_removed_from_text_and_not_from_arguments() -> None:
    block = "<workspace_information>\nroot\n</workspace_information>"
    machine = opened()
    assert machine.feed(key(0), f"a {block} b", {}) == "a  b"
    assert machine.feed(key(1, "tool_text"), f"a {block} b", {}) == f"a {block} b"
