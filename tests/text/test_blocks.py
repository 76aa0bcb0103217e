"""Sandbox blocks: what is a block, what is a mention, and the laws while the text streams."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laws import before_end, most_held, shared_output, stream, work
from mitmproxy_windsurf.text.blocks import LIMIT, BlockStream
from mitmproxy_windsurf.text.edits import Edit
from mitmproxy_windsurf.text.transform import rewrite
from strategies import cuttings, every, pieces

OPEN, CLOSE = "<workspace_layout>", "</workspace_layout>"
MANY = "word " * 2000

REMOVED = {
    "injected data": (
        "before <workspace_information>\nfile:///x -> y\n</workspace_information> after",
        "before  after",
    ),
    "line break after the tag": (f"A {OPEN}\na\nb\n{CLOSE} B", "A  B"),
    "blanks before the line break": (f"A {OPEN} \t\na\n{CLOSE} B", "A  B"),
    "CRLF": (f"A {OPEN}\r\na\r\n{CLOSE}\r\nB", "A \r\nB"),
    "on one line": (f"A {OPEN}tree{CLOSE} B", "A  B"),
    "text, then lines": (f"A {OPEN}tree\nleaf\n{CLOSE} B", "A  B"),
    "no content": (f"A {OPEN}{CLOSE} B", "A  B"),
    "other names": ("<user_information>os linux</user_information> C", " C"),
    "any case": ("A <Workspace_LAYOUT>x</WORKSPACE_layout> B", "A  B"),
    "attributes": (f'A <workspace_layout workspace="/opt/x">\ntree\n{CLOSE} B', "A  B"),
    "attributes over two lines": (f'A <workspace_layout\n  a="b">tree{CLOSE} B', "A  B"),
    "blanks in the closing tag": (f"A {OPEN}tree</ workspace_layout \n> B", "A  B"),
    "self-closing": ("A <workspace_layout/> B", "A  B"),
    "self-closing with attributes": ('A <workspace_layout a="b" /> B', "A  B"),
    "self-closing, blank before the end": ("A <workspace_layout / > B", "A  B"),
    "nested": (f"A {OPEN}a{OPEN}b{CLOSE}c{CLOSE} B", "A  B"),
    "nested data": (f"A {OPEN}\na\n{OPEN}\nb\n{CLOSE}\nc\n{CLOSE} B", "A  B"),
    "nested in data on one line": (f"A {OPEN}\n{OPEN}b{CLOSE}\nc\n{CLOSE} B", "A  B"),
    "another block inside": (f"A {OPEN}\n<user_information>\nb\n{CLOSE} B", "A  B"),
    "data in a block on one line": (f"A {OPEN}a <user_information>\nb\n{CLOSE} B", "A  B"),
    "self-closing inside data": (f"A {OPEN}\n<workspace_layout/>\n{CLOSE} B", "A  B"),
    "other tags inside": (f"A {OPEN}\n<p>a</p> < b </b>\n{CLOSE} B", "A  B"),
    "data without an end": (f"A {OPEN}\nsecret tree\n", "A "),
    "two blocks": (f"{OPEN}a{CLOSE}-{OPEN}\nb\n{CLOSE}-", "--"),
    "after inline code": (f"`a` {OPEN}\nx\n{CLOSE} B", "`a`  B"),
    "after a fence": (f"```\na\n```\n{OPEN}\nx\n{CLOSE} B", "```\na\n```\n B"),
    "code inside": (f"A {OPEN}`a`\n```\nb\n```\n{CLOSE} B", "A  B"),
    "closing tag in code inside": (f"A {OPEN}`{CLOSE}` x{CLOSE} B", "A  B"),
    "backtick in data": (f"A {OPEN}\n` ```\n{CLOSE} {OPEN}\nx\n{CLOSE} B", "A   B"),
    "content straight after a tag that leads its line": (
        f"A\n{OPEN}tree line\n" + "tree line\n" * 1000 + f"{CLOSE} B",
        "A\n B",
    ),
    "a tag in a tag": ("A <work<workspace_layout/>space_layout>x</workspace_layout> B", "A  B"),
    "a tag in a closing tag": (f"A {OPEN}x</workspace_<user_information/>layout> B", "A  B"),
    "a tag behind a closing name": (f"A {OPEN}x</workspace_layout <user_information/>> B", "A  B"),
    "a block at the start of a fence line": (
        f"{OPEN}x{CLOSE}```\n{OPEN}\n```\nB",
        f"```\n{OPEN}\n```\nB",
    ),
    "a block between a tag and its line break": (f"A {OPEN}{OPEN}x{CLOSE}\nb\n{CLOSE} B", "A  B"),
}

KEPT = {
    "no block": "a <b> c </b> < d <e/> f",
    "mention in inline code": f"The `{OPEN}` tag lists files.\nMore.",
    "mention in a longer code span": f"The ``a ` {OPEN}`` tag\nMore.",
    "mention in a fence": f"```xml\n{OPEN}\nx\n{CLOSE}\n```\nMore.",
    "mention in a tilde fence": f"~~~\n{OPEN}\nx\n{CLOSE}\n~~~\nMore.",
    "mention in a quoted fence": f"> ```\n> {OPEN}\n> x\n> ```\nMore.",
    "mention, then prose": f"The {OPEN} tag lists files.",
    "mention, then much prose": f"The {OPEN} tag lists files.\n{MANY}",
    "a tag that leads its line, then a sentence": f"{OPEN}, the tag, lists\nfiles.\n{MANY}",
    "a tag that leads its line, then a blank": f"{OPEN} lists\nfiles.",
    "content straight after a tag within its line": f"The {OPEN}s are\nmany.",
    "less-than sign and line break": f"The {OPEN}<\nfiles.",
    "a tag that leads its line, then Chinese": f"{OPEN}标签\n列出文件。\n{MANY}",
    "closing tag alone": f"A {CLOSE} B",
    "closing tag of another block": f"A {OPEN}x</user_information> B",
    "longer name": "<workspace_layouts>\nx\n</workspace_layouts>",
    "shorter name": "<workspace>\nx\n</workspace>",
    "blank before the name": "< workspace_layout>\nx",
    "half a tag": "A <workspace_lay",
    "a tag without an end": 'A <workspace_layout a="b"',
    "too long a tag": f"A <workspace_layout {MANY}",
    "interrupted tag": "A <workspace_layout <b> B",
    "slash in the closing tag": f"A {OPEN}x</workspace_layout/> B",
}


@pytest.mark.parametrize(("text", "out"), REMOVED.values(), ids=REMOVED.keys())
def test_blocks_are_removed(text: str, out: str) -> None:
    assert rewrite(BlockStream(), text) == out
    assert rewrite(BlockStream(), out) == out


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT.keys())
def test_mentions_are_kept(text: str) -> None:
    assert rewrite(BlockStream(), text) == text


@pytest.mark.parametrize(
    "text", [text for text in (*KEPT.values(), *dict(REMOVED.values())) if len(text) < 1000]
)
def test_chunk_invariance_of_every_row(text: str) -> None:
    out = rewrite(BlockStream(), text)
    assert all(stream(BlockStream, chunks) == out for chunks in cuttings(text))


@pytest.mark.parametrize(
    ("text", "out"),
    [
        ("A ", "A "),
        ("A <", "A "),
        ("A <b", "A <b"),
        ("A <w", "A "),
        ("A <workspace_layout", "A "),
        ("A <workspace_layouts", "A <workspace_layouts"),
        (f"A {OPEN}", "A "),
        (f"A {OPEN} tag lists", "A "),
        (f"A {OPEN}\nx", "A "),
        (f"A {OPEN}\nx{CLOSE}", "A "),
        (f"A {OPEN}\nx{CLOSE} B", "A  B"),
        (f"A `{OPEN}", f"A `{OPEN}"),
        ("A </", "A </"),
        (f"A {OPEN} x </", "A "),
    ],
    ids=repr,
)
def test_what_is_out_before_the_end(text: str, out: str) -> None:
    assert before_end(BlockStream, [text]) == before_end(BlockStream, text) == out


def test_a_held_block_is_prose_beyond_the_limit() -> None:
    head = f"A {OPEN} "
    stage = BlockStream()
    assert stage.feed(head) == "A "
    rest = "x" * (LIMIT - len(stage.held))
    assert stage.feed(rest) == ""
    assert len(stage.held) == LIMIT
    assert stage.feed("y") == head[2:] + rest + "y"
    assert stage.held == ""
    assert stage.feed(f"{CLOSE} B") == f"{CLOSE} B"
    assert stage.edits == []


def test_beyond_the_limit_the_outermost_goes_first() -> None:
    stage = BlockStream(limit=42)
    assert stage.feed(f"{OPEN} a {OPEN} b") == ""
    assert stage.feed(" c") == f"{OPEN} a "
    assert stage.held == f"{OPEN} b c"
    assert stage.feed(f"{CLOSE} d") == " d"


@pytest.mark.parametrize("limit", [0, 1, 17, 18, 19, 37])
def test_limits_are_met_however_the_text_is_cut(limit: int) -> None:
    text = f"A {OPEN}  \nx{CLOSE} {OPEN}xy{CLOSE} <user_information a='b'/> {OPEN} xyz{CLOSE} B"
    whole = rewrite(BlockStream(limit=limit), text)
    for size in (1, 2, 3, 5):
        chunks = every(text, size)
        assert stream(lambda: BlockStream(limit=limit), chunks) == whole
        assert most_held(lambda: BlockStream(limit=limit), chunks) <= limit


def test_edits() -> None:
    text = f"A {OPEN}\nx{CLOSE} <user_information>y</user_information> B"
    stage = BlockStream()
    rewrite(stage, text)
    user = "<user_information>y</user_information>"
    assert stage.edits == [
        Edit("block", OPEN, "", layer="paths", start=2),
        Edit("block", user, "", layer="paths", start=text.index(user)),
    ]


def test_origin_tells_where_the_output_comes_from() -> None:
    nested = f"{OPEN}x<user_information/>y{CLOSE}"
    text = f"ab {OPEN}\nx{CLOSE} cd {nested} ef"
    stage = BlockStream()
    out = "".join(map(stage.feed, every(text, 3))) + stage.flush()
    assert out == "ab  cd  ef"
    assert [text[stage.origin(out.index(char))] for char in "abcdef"] == list("abcdef")


def test_after_release_nothing_is_open() -> None:
    for head in (f"A {OPEN} x", f"A {OPEN}\nx <", f"A {OPEN} x <work"):
        stage = BlockStream()
        stage.feed(head)
        stage.release()
        assert stage.feed(f"space_layout> <w> {CLOSE} B") == f"space_layout> <w> {CLOSE} B"


TAGS = ("a", "b")
PARTS = ("<", "a", ">", "/", "\n", "x", " ", "`", "<a>", "</a>", "<a/>", "<b>", "</b>", "<b>\n")
TEXTS = st.lists(st.sampled_from(PARTS), max_size=12).map("".join)


def small() -> BlockStream:
    return BlockStream(tags=TAGS)


@given(TEXTS, st.data())
def test_chunk_invariance(text: str, data: st.DataObject) -> None:
    stage = small()
    whole = rewrite(stage, text)
    for chunks in (list(text), data.draw(pieces(text))):
        other = small()
        assert "".join(map(other.feed, chunks)) + other.flush() == whole
        assert other.edits == stage.edits


CONTINUATIONS = [
    "".join(more)
    for count in range(4)
    for more in product(("a/>", "a>\n", "</a>", "/a>", "</b>", ">", "x", "`", "\n"), repeat=count)
]


@pytest.mark.parametrize("first", PARTS, ids=repr)
def test_minimal_hold(first: str) -> None:
    """By brute force: all texts of up to three parts, each with all these continuations."""
    for count in range(3):
        for parts in product(PARTS, repeat=count):
            text = first + "".join(parts)
            out = before_end(small, text)
            assert shared_output(small, text, CONTINUATIONS, at_least=out) == out, text


@pytest.mark.parametrize(
    ("head", "unit", "most"),
    [
        ("", "word ", 0),
        ("", "a < b\n", 1),
        ("", f"`{OPEN}` ", 1),
        (f"{OPEN}\n", "tree line\n", len(OPEN)),
        (OPEN, "tree line\n", len(OPEN) + 10),
        (f"x {OPEN} ", "tree line\n", LIMIT),
        ("<workspace_layout ", "a", LIMIT),
        ("", OPEN, LIMIT),
        ("", f"{OPEN} ", LIMIT),
        ("", "<", LIMIT),
        ("", "<workspace_", LIMIT),
        (f"{OPEN}\n", "<", len(OPEN)),
        (f"{OPEN}\n", OPEN, len(OPEN)),
        (f"{OPEN}\n", f"{OPEN}<user_information>{CLOSE}", len(OPEN)),
    ],
    ids=repr,
)
def test_linear_work(head: str, unit: str, most: int) -> None:
    once = every(head + unit * (12_000 // len(unit)), 4)
    twice = every(head + unit * (24_000 // len(unit)), 4)
    assert work(BlockStream, twice) <= 2.1 * work(BlockStream, once)
    assert most_held(BlockStream, twice) <= most


@given(st.text(st.sampled_from("<>/ab \n`é")))
def test_conservation(text: str) -> None:
    stage = BlockStream()
    assert rewrite(stage, text) == text
    assert stage.edits == []


@given(TEXTS)
def test_no_loss(text: str) -> None:
    stage = small()
    out = stage.feed(text)
    held = stage.held
    assert stage.release() == held
    assert stage.held == ""
    if not stage.edits:
        assert out + held == text


@given(TEXTS)
def test_idempotence(text: str) -> None:
    once = rewrite(small(), text)
    assert rewrite(small(), once) == once


@given(TEXTS, TEXTS)
def test_skipped_text_need_not_be_shown(before: str, after: str) -> None:
    shown, spared = small(), small()
    shown.feed(before)
    spared.feed(before)
    if spared.calm:
        shown.feed("plain")
        spared.skip(len("plain"))
    assert shown.feed(after) == spared.feed(after)
    assert shown.edits == spared.edits
