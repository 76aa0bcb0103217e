"""What was changed, told from the account of an exchange."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debug.answers import FORMS, Step
from mitmproxy_windsurf.debug.changes import Side, changes, difference, edits_of

BEFORE = "You are Claude Code, Anthropic's official CLI for Claude."
AFTER = "You are an AI coding assistant."
TOOLS = [{"name": name, "description": "As it was."} for name in ("Read", "Write", "Bash")]
PRIVATE = "/tmp/windsurf-workspace/src/app.py"


def entry(rule: str, before: str, after: str, **more: Any) -> dict[str, Any]:
    edit = {"side": "request", "layer": "neutralize", "place": "system", "count": 1}
    sizes = {"bytes_before": len(before.encode()), "bytes_after": len(after.encode())}
    return {**edit, "rule": rule, "before": before, "after": after, **sizes, **more}


def request(system: str, **more: Any) -> bytes:
    message = {"role": "user", "content": "hello"}
    body = {"model": "m", "system": system, "tools": TOOLS, "messages": [message], **more}
    return json.dumps(body).encode()


def record(side: Side, original: bytes, sent: bytes, *edits: Any, **more: Any) -> dict[str, Any]:
    return {
        "protocol": "anthropic",
        "edits": list(edits),
        f"{side}_bytes": [len(original), len(sent)],
        f"original_{side}": original,
        **more,
    }


def test_a_changed_request() -> None:
    original, sent = request(f"{BEFORE}\nBe brief.\n"), request(f"{AFTER}\nBe brief.\n")
    account = record("request", original, sent, entry("a1", BEFORE, AFTER, count=2))
    assert changes(account, "request", sent) == (
        f"# Changed in the request: {len(original)} → {len(sent)} bytes, −26\n"
        "#   a1  neutralize  system  ×2  −26 B\n"
        "\n"
        "--- what the client sent\n"
        "+++ what went to the upstream\n"
        "@@ -1,6 +1,6 @@ system · a1\n"
        " model: m\n"
        " system: |\n"
        f"-  {BEFORE}\n"
        f"+  {AFTER}\n"
        "   Be brief.\n"
        " tools:\n"
        "   - name: Read"
    )


def test_the_descriptions_of_tools_are_compared_to_their_last_word() -> None:
    tools = [*TOOLS[:2], TOOLS[2] | {"input_schema": {"properties": {"x": {"title": BEFORE}}}}]
    original = request("", tools=tools)
    sent = original.replace(BEFORE.encode(), AFTER.encode())
    account = record("request", original, sent, entry("a1", BEFORE, AFTER, place="tools[2]"))
    shown = changes(account, "request", sent)
    assert "@@ tools · a1" in shown
    assert f'-          title: "{BEFORE}"' in shown or f"-          title: {BEFORE}" in shown


def test_each_hunk_names_the_rules_that_made_it() -> None:
    filler = "\n".join(f"Line {number}." for number in range(20))
    original = request(f"{BEFORE}\n{filler}\nSee https://example.org/claude-code today.")
    sent = request(f"{AFTER}\n{filler}\n")
    edits = [
        entry("a1", BEFORE, AFTER),
        entry("a4", "See https://example.org/claude-code today.", ""),
    ]
    heads = [
        line
        for line in changes(record("request", original, sent, *edits), "request", sent).split("\n")
        if line.startswith("@@")
    ]
    assert [head.rpartition(" · ")[2] for head in heads] == ["a1", "a4"]


def test_a_sentence_in_a_long_line_is_shown_alone() -> None:
    long = "This sentence is one of many that stay as they are, whatever happens. " * 40
    original, sent = request(f"{long}{BEFORE} {long}"), request(f"{long}{AFTER} {long}")
    shown = changes(record("request", original, sent, entry("a1", BEFORE, AFTER)), "request", sent)
    assert f"-  {BEFORE} \n+  {AFTER} \n" in shown
    assert len(shown) < 1200


SAID: list[Step] = [
    ("thinking", f"It is in {PRIVATE}."),
    ("text", "I am Cascade.\n"),
    ("call", "Read", {"path": PRIVATE}),
]


def clean(step: Step) -> Step:
    text = json.dumps(step).replace(PRIVATE, "<workspace>").replace("Cascade", "m")
    return tuple(json.loads(text))


@pytest.mark.parametrize("protocol", sorted(FORMS))
@pytest.mark.parametrize("streamed", [False, True])
def test_an_answer_is_compared_as_a_conversation(protocol: str, streamed: bool) -> None:
    form = FORMS[protocol][0]
    if streamed:
        original, sent = form.streamed(SAID, 3), form.streamed([*map(clean, SAID)], 7)
    else:
        original, sent = form.whole(SAID), form.whole([*map(clean, SAID)])
    edits = [
        entry("path", PRIVATE, "<workspace>", side="response", layer="paths", place="text"),
        entry("name", "Cascade", "m", side="response", layer="identity", place="text"),
    ]
    account = record("response", original, sent, *edits, protocol=protocol)
    shown = changes(account, "response", sent)
    assert "--- what the upstream sent\n+++ what went to the client\n@@ -1," in shown
    assert "-  I am Cascade.\n+  I am m.\n" in shown
    if protocol != "openai_completions":
        assert f"-  It is in {PRIVATE}.\n+  It is in <workspace>.\n" in shown
        assert f"-  path: {PRIVATE}\n" in shown
        assert "path, name" in shown


def test_an_answer_that_says_the_same_is_compared_member_by_member() -> None:
    original, sent = (
        json.dumps({"choices": [{"message": {"content": "hi", "annotations": [title]}}]}).encode()
        for title in (PRIVATE, "<workspace>")
    )
    account = record("response", original, sent, protocol="openai_chat")
    assert f"-        - {PRIVATE}" in changes(account, "response", sent)


def test_an_answer_that_is_no_json_is_compared_line_by_line() -> None:
    original, sent = f"<p>\n{PRIVATE}\n</p>".encode(), b"<p>\n<workspace>\n</p>"
    shown = changes(record("response", original, sent), "response", sent)
    assert f"-{PRIVATE}\n+<workspace>\n" in shown


def test_a_change_between_the_texts_is_said() -> None:
    account = record("request", b'{"a":  1}', b'{"a": 1}')
    assert "only the bytes around them differ" in changes(account, "request", b'{"a": 1}')


@pytest.mark.parametrize("side", ["request", "response"])
def test_nothing_changed(side: Side) -> None:
    shown = changes({"edits": []}, side, b"{}")
    assert shown.startswith("# Nothing was changed in the ")
    assert "\n" not in shown


def test_an_original_that_was_not_kept_is_made_up_for_by_excerpts() -> None:
    sent = request(AFTER)
    account = record("request", request(BEFORE), sent, entry("a1", BEFORE, AFTER))
    account["original_request"] = None
    shown = changes(account, "request", sent)
    assert "# The original was not kept" in shown
    assert f"@@ system · a1 @@\n-{BEFORE}\n+{AFTER}" in shown


def test_what_shadow_mode_would_have_changed() -> None:
    account = {"shadow": True, "edits": [entry("a1", BEFORE, AFTER)], "request_bytes": None}
    shown = changes(account, "request", request(BEFORE))
    assert "# Nothing was changed in the request (windsurf_shadow); this would have been:" in shown
    assert "a1  neutralize  system  ×1  −26 B" in shown
    assert f"-{BEFORE}\n+{AFTER}" in shown


def test_edits_of_the_other_message_are_not_shown() -> None:
    account = {"edits": [entry("path", PRIVATE, "", side="response")]}
    assert changes(account, "request", b"{}") == "# Nothing was changed in the request."
    assert len(edits_of(account, "response")) == 1


def test_edits_that_were_not_noted_are_counted() -> None:
    sent = request(AFTER)
    account = record("request", request(BEFORE), sent, entry("a1", BEFORE, AFTER))
    assert "and 1,234 more" in changes(account | {"edits_left_out": 1234}, "request", sent)


def test_a_key_that_was_cut_out_of_the_original_is_no_change() -> None:
    sent = request(f"{AFTER}\nkey: hunter2-hunter2\n")
    original = request(f"{BEFORE}\nkey: ***\n")
    account = record("request", original, sent, entry("a1", BEFORE, AFTER))
    shown = changes(
        account, "request", sent, cut=lambda text: text.replace("hunter2-hunter2", "***")
    )
    assert "hunter2" not in shown
    assert "   key: ***" in shown
    assert "-  key" not in shown


def test_a_diff_without_end_is_cut() -> None:
    original, sent = request("a\n" * 5000), request("b\n" * 5000)
    assert "the rest is left out" in changes(record("request", original, sent), "request", sent)


plain = st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.binary(max_size=5)
anything = st.recursive(
    plain, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2)
)
entries = st.fixed_dictionaries(
    {"side": st.just("request")},
    optional=dict.fromkeys(
        ("rule", "layer", "place", "count", "bytes_before", "before", "after"), anything
    ),
)
accounts = st.fixed_dictionaries(
    {},
    optional={
        "edits": st.lists(entries | anything, max_size=3) | anything,
        "request_bytes": st.lists(anything, max_size=3) | anything,
        "original_request": st.binary() | anything,
        "protocol": st.sampled_from(sorted(FORMS)) | anything,
        "edits_left_out": anything,
        "shadow": anything,
    },
)


@given(accounts, st.binary())
def test_any_account_has_a_text(account: dict[str, Any], sent: bytes) -> None:
    assert isinstance(changes(account, "request", sent), str)


@given(st.lists(st.text("ab\n /", max_size=9), max_size=4), st.lists(st.text("ab\n /"), max_size=4))
def test_a_diff_is_empty_only_for_equal_texts(old: list[str], new: list[str]) -> None:
    bodies = [json.dumps({"messages": texts}).encode() for texts in (old, new)]
    found = difference({}, "request", *bodies)
    assert any(line.startswith("@@") for line in found) or ends_alike(old, new)


def ends_alike(old: list[str], new: list[str]) -> bool:
    """The line end at the end of a text is not shown."""
    return [text.removesuffix("\n") for text in old] == [text.removesuffix("\n") for text in new]
