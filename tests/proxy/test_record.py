"""The account on a flow: capped, savable, and in one line."""

from typing import Any

import pytest
from mitmproxy.io import tnetstring
from mitmproxy.test import tflow, tutils

from mitmproxy_windsurf.proxy.record import (
    BLOCKED,
    MAX_EDITS,
    MAX_WARNING,
    MAX_WARNINGS,
    REWRITTEN,
    WARNED,
    WOULD_BE_REWRITTEN,
    Record,
    recorded,
)
from mitmproxy_windsurf.proxy.secrets import Secrets
from mitmproxy_windsurf.text.edits import Edit

NONE = Secrets(tutils.treq())


def edit(rule: str, layer: str, place: str = "text") -> Edit:
    return Edit(rule, "before", "after", layer=layer, place=place)


def record(**fields: Any) -> Record:
    made = Record(**fields)
    made.add_edits("request", [edit("a1", "neutralize"), edit("a3", "neutralize")], NONE)
    made.add_edits("response", [edit("path", "paths"), edit("block", "paths")], NONE)
    made.add_edits("response", [edit("dedup", "dedup")], NONE)
    return made


@pytest.mark.parametrize(
    ("fields", "comment", "mark"),
    [
        ({}, "a1×1 a3×1 · paths×2", REWRITTEN),
        (
            {"request_bytes": [1100, 25], "dedup": {"dropped": 1204, "kept": 0}},
            "a1×1 a3×1 −1,075 B · paths×2 · dedup dropped 1,204",
            REWRITTEN,
        ),
        ({"request_bytes": [1, 3]}, "a1×1 a3×1 +2 B · paths×2", REWRITTEN),
        ({"shadow": True}, "shadow, would have: a1×1 a3×1 · paths×2", WOULD_BE_REWRITTEN),
        (
            {"shadow": True, "blocked": "HTTP 529"},
            "shadow, would have: a1×1 a3×1 · paths×2 · blocked: HTTP 529",
            BLOCKED,
        ),
        (
            {"blocked": "HTTP 529", "warnings": ["w"]},
            "a1×1 a3×1 · paths×2 · blocked: HTTP 529 · 1 warning",
            BLOCKED,
        ),
        ({"warnings": ["v", "w"]}, "a1×1 a3×1 · paths×2 · 2 warnings", WARNED),
        (
            {"dedup": {"dropped": 200, "kept": 1}},
            "a1×1 a3×1 · paths×2 · dedup dropped 200, kept the answer",
            REWRITTEN,
        ),
    ],
)
def test_comment_and_mark(fields: dict[str, Any], comment: str, mark: str) -> None:
    made = record(**fields)
    assert made.comment() == comment
    assert made.mark() == mark


def test_an_exchange_in_which_nothing_happened_says_nothing() -> None:
    flow = tflow.tflow()
    Record(protocol="anthropic").write(flow)
    assert (flow.comment, flow.marked) == ("", "")
    assert recorded(flow)["protocol"] == "anthropic"


def test_edits_of_one_rule_at_one_place_are_one_entry() -> None:
    made = Record()
    made.add_edits("response", [edit("path", "paths")] * 3 + [edit("path", "paths", "b")], NONE)
    first, second = made.edits
    assert (first["count"], first["bytes_before"], first["bytes_after"]) == (3, 18, 15)
    assert (second["count"], second["place"]) == (1, "b")


def test_what_dedup_did() -> None:
    made = Record()
    made.add_dedup([edit("path", "paths")], 0)
    assert not made.comment()
    made.add_dedup([Edit("dedup", "x" * 30, "", layer="dedup")], 1)
    assert made.dedup == {"dropped": 30, "kept": 1}
    made.add_dedup([Edit("dedup", "x" * 3000, "", layer="dedup")], 0)
    assert made.dedup == {"dropped": 3000, "kept": 0}


def test_everything_is_capped() -> None:
    made = Record()
    edits = [edit("path", "paths", str(n)) for n in range(MAX_EDITS + 5)]
    made.add_edits("response", edits, NONE)
    assert (len(made.edits), made.edits_left_out) == (MAX_EDITS, 5)
    for number in range(MAX_WARNINGS + 5):
        made.add_warning(f"{number}\n" + "x" * 1000, NONE)
    assert len(made.warnings) == MAX_WARNINGS
    assert all(len(line) <= MAX_WARNING + 1 for line in made.warnings)
    assert made.warnings[0].startswith(r"0\nxx")


def test_the_same_warning_is_noted_once() -> None:
    made = Record()
    assert made.add_warning("w", NONE)
    assert not made.add_warning("w", NONE)


def test_the_account_can_always_be_saved() -> None:
    flow = tflow.tflow()
    made = Record(original_request=b"\xff", model="日本")
    made.add_edits("response", [Edit("r", "\ud800", "\udc80", place="\ud800")], NONE)
    made.write(flow)
    saved: Any = tnetstring.loads(tnetstring.dumps(flow.get_state()))
    assert saved["metadata"] == flow.metadata


def test_a_second_account_replaces_comment_and_mark_of_the_first() -> None:
    flow = tflow.tflow()
    record().write(flow)
    assert flow.marked == REWRITTEN
    Record().write(flow)
    assert (flow.comment, flow.marked) == ("", "")
    flow.comment = "mine"
    record().write(flow)
    assert (flow.comment, flow.marked) == ("mine", REWRITTEN)


def test_metadata_of_others_is_no_account() -> None:
    flow = tflow.tflow()
    flow.metadata["windsurf"] = "something else"
    assert recorded(flow) == {}
    Record().write(flow)
