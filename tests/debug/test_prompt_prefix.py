"""Where a request leaves the one before: path, byte and both excerpts, in the vendor's order."""

import json
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mitmproxy_windsurf.debug.prompt_prefix import dotted, first_break

USER: dict[str, Any] = {"role": "user", "content": "hi"}
REPLY: dict[str, Any] = {"role": "assistant", "content": [{"type": "text", "text": "hello"}]}
TOOL: dict[str, Any] = {"name": "Read", "description": "reads", "input_schema": {"type": "object"}}
BASE: dict[str, Any] = {"model": "m", "system": "Be brief.", "tools": [TOOL], "messages": [USER]}


def place(old: dict[str, Any], new: dict[str, Any], protocol: str = "anthropic") -> str | None:
    found = first_break(protocol, json.dumps(old).encode(), json.dumps(new).encode())
    return dotted(found.path) if found else None


MARKED = [{"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}}]

GOES_ON = {
    "nothing new": {},
    "more messages": {"messages": [USER, REPLY, USER]},
    "other parameters": {"max_tokens": 7, "stream": True, "metadata": {}},
    "a mark for the cache": {"messages": [{"role": "user", "content": MARKED}]},
    "a text as a block": {"system": [{"type": "text", "text": "Be brief."}]},
    "the order of the members": dict(reversed(BASE.items())),
}


@pytest.mark.parametrize("change", GOES_ON.values(), ids=GOES_ON.keys())
def test_what_leaves_the_prompt_alone_breaks_nothing(change: dict[str, Any]) -> None:
    assert place(BASE, change if len(change) == len(BASE) else BASE | change) is None


BREAKS: dict[str, tuple[dict[str, Any], str]] = {
    "another model": ({"model": "n"}, "model"),
    "a system prompt": ({"system": "Be brief!"}, "system"),
    "one tool more": ({"tools": [TOOL, TOOL]}, "tools[1]"),
    "one tool less": ({"tools": []}, "tools"),
    "no tools": ({"tools": None}, "tools"),
    "a description": ({"tools": [TOOL | {"description": "Reads"}]}, "tools[0].description"),
    "a member of a tool": ({"tools": [TOOL | {"strict": True}]}, "tools[0].strict"),
    "the order in a tool": ({"tools": [dict(reversed(TOOL.items()))]}, "tools[0].input_schema"),
    "a message": ({"messages": [USER | {"content": "ho"}, REPLY]}, "messages[0].content"),
    "no messages": ({"messages": []}, "messages"),
    "tools before messages": (
        {"tools": [TOOL | {"name": "Write"}], "messages": [REPLY]},
        "tools[0].name",
    ),
    "system before messages": ({"messages": [REPLY], "system": "x"}, "system"),
    "true is not one": ({"tools": [TOOL | {"input_schema": True}]}, "tools[0].input_schema"),
}


@pytest.mark.parametrize(("change", "where"), BREAKS.values(), ids=BREAKS.keys())
def test_the_first_difference_is_named(change: dict[str, Any], where: str) -> None:
    assert place(BASE, BASE | change) == where


def test_the_order_is_the_vendors() -> None:
    old = {"contents": [USER], "tools": [TOOL], "systemInstruction": {"parts": []}}
    new = old | {"systemInstruction": {"parts": [{"text": "x"}]}, "contents": []}
    assert place(old, new, "gemini") == "systemInstruction.parts[0]"
    old = {"instructions": "a", "input": "b", "tools": []}
    assert place(old, old | {"input": "c", "instructions": "d"}, "openai_responses") == (
        "instructions"
    )


def test_both_excerpts_show_the_difference() -> None:
    old = BASE | {"system": "x" * 500 + " Monday, and so on"}
    new = BASE | {"system": "x" * 500 + " Tuesday, and so on"}
    found = first_break("anthropic", json.dumps(old).encode(), json.dumps(new).encode())
    assert found
    assert found.before == f'"{"x" * 19} Monday, and so on"'
    assert found.after == f'"{"x" * 19} Tuesday, and so on"'
    gone = first_break("anthropic", json.dumps(old).encode(), b'{"model": "m", "tools": []}')
    assert gone
    assert gone.after == "nothing"


def test_a_difference_within_a_key_shows_no_part_of_it() -> None:
    keys = [f"sk-ant-api03-0123456789abcdefghijklmnop{end}" for end in ("qrstuv", "QRSTUV")]
    bodies = [json.dumps(BASE | {"system": f"The key is {key}."}).encode() for key in keys]
    found = first_break("anthropic", *bodies)
    assert found
    assert found.before == found.after == '"The key is ***."'


@given(st.text(), st.text(), st.text(), st.booleans(), st.sampled_from([None, 2]))
def test_the_byte_is_where_the_texts_part(
    same: str, old_end: str, new_end: str, ascii_only: bool, indent: int | None
) -> None:
    assume(old_end[:1] != new_end[:1])
    assume(not any("\ud800" <= char <= "\udfff" for char in same + old_end + new_end))
    bodies = [
        json.dumps(
            BASE | {"system": [{"type": "text", "text": same + end}]},
            ensure_ascii=ascii_only,
            indent=indent,
        ).encode()
        for end in (old_end, new_end)
    ]
    found = first_break("anthropic", *bodies)
    assert found
    before, after = (body[: found.byte] for body in bodies)
    assert before == after
    assert before.endswith(json.dumps(same, ensure_ascii=ascii_only)[:-1].encode())
    assert dotted(found.path) == "system[0].text"


@pytest.mark.parametrize("body", [b"[]", b"1", b"{", b"\xff"])
def test_what_is_no_object_is_refused(body: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        first_break("anthropic", b"{}", body)
