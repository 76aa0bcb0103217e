"""Transforms inside streamed JSON: a small one that swaps a needle stands for the real ones."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.text.edits import Edit
from mitmproxy_windsurf.text.json_strings import JSONStrings
from mitmproxy_windsurf.text.transform import Transform, rewrite
from strategies import cuttings, every, pieces
from swap import Swap

NEEDLE = "/tmp/x"
LINES = "\x85\u2028\u2029"


class SwapInWords(Swap):
    """Replaces the first needle of each word, and decides a whole word at once, at its end."""

    def feed(self, text: str, /) -> str:
        out = ""
        for char in text:
            self.held += char
            if char == " ":
                out += self.flush()
        return out

    def flush(self) -> str:
        word, self.held = self.held, ""
        return word.replace(self.needle, self.new, 1)

    def release(self) -> str:
        word, self.held = self.held, ""
        return word


class HoldAll(Swap):
    """Decides nothing before the end, and then changes nothing."""

    def feed(self, text: str, /) -> str:
        self.held += text
        return ""


class Through(Swap):
    """Neither changes nor holds anything."""

    def feed(self, text: str, /) -> str:
        return text


def common_prefix(texts: list[str]) -> str:
    least, most = min(texts), max(texts)
    return next((least[:i] for i, char in enumerate(least) if most[i : i + 1] != char), least)


def feed_all(transform: Transform, chunks: list[str]) -> str:
    return "".join(map(transform.feed, chunks)) + transform.flush()


# Documents in random spellings: each is a list of syntax (str) and of strings, which are lists of
# spelled characters.
Document = list[str | list[str]]


def spellings(char: str) -> list[str]:
    """All ways in which JSON may spell a character."""
    units = char.encode("utf-16-be", "surrogatepass").hex()
    code = "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))
    short = json.dumps(char)[1:-1]
    found = [code, code.upper().replace("\\U", "\\u")]
    if char == "/":
        found.append("\\/")
    if len(short) == 2:
        found.append(short)
    if char >= " " and char not in '"\\':
        found += [char] * 3
    return found


def spell(value: object, rng: random.Random, style: Callable[[list[str]], str]) -> Document:
    def walk(value: object) -> Iterator[str | list[str]]:
        blank = rng.choice(["", "", " ", "\n  "])
        if isinstance(value, str):
            yield '"'
            yield [style(spellings(char)) for char in value]
            yield '"' + blank
        elif isinstance(value, list):
            yield "[" + blank
            for i, item in enumerate(value):
                yield "," + blank if i else ""
                yield from walk(item)
            yield "]"
        elif isinstance(value, dict):
            yield "{" + blank
            for i, (key, item) in enumerate(value.items()):
                yield f"{',' if i else ''}{json.dumps(key)}:{blank}"
                yield from walk(item)
            yield "}"
        else:
            yield json.dumps(value)

    return list(walk(value))


def joined(document: Document) -> str:
    return "".join("".join(part) for part in document)


texts = st.lists(
    st.sampled_from(
        [
            *(NEEDLE, NEEDLE, "/tmp/", "/t", "x", "a", " ", '{"p":"/tmp/x"}'),
            *("<", "/", "&", '"', "\\", "\n", "é", "你", "😀", "\ud83d", *LINES),
        ]
    ),
    max_size=12,
).map("".join)
values = st.recursive(
    texts | st.none() | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    rng = random.Random(draw(st.integers(0, 2**32)))
    style = draw(st.sampled_from([rng.choice, lambda found: found[-1], lambda found: found[0]]))
    return spell(draw(values), rng, style)


# What should come out, worked out character by character.
class Speller:
    SETS = ("/", "<>&")

    def __init__(self) -> None:
        self.raw: set[str] = set()
        self.escaped: set[str] = set()

    def group(self, char: str) -> str | None:
        if "\ud800" <= char <= "\udfff" or char in LINES:
            return None
        return next((s for s in self.SETS if char in s), "wide" if char > "\x7f" else None)

    def see(self, text: list[str], spelling: list[str]) -> None:
        for char, raw in zip(text, spelling, strict=True):
            group = self.group(char)
            if group and raw == char:
                self.raw.add(group)
            elif group and (group != "/" or raw == "\\/"):
                self.escaped.add(group)

    def spell(self, char: str) -> str:
        group = self.group(char)
        if char in LINES or (group in self.escaped and group not in self.raw):
            return "\\/" if char == "/" else spellings(char)[0]
        return json.dumps(char, ensure_ascii=False)[1:-1]


def expected(document: Document, new: str, needle: str) -> str:
    """`needle` is a pattern whose group 1 is replaced when its match is complete."""
    speller = Speller()
    out: list[str] = []
    for part in document:
        if isinstance(part, str):
            out.append(part)
            continue
        text = [meaning(raw) for raw in part]
        done = seen = 0
        for match in re.finditer(needle, "".join(text), re.DOTALL):
            speller.see(text[seen : match.end()], part[seen : match.end()])
            start, end = match.span(1)
            out += part[done:start]
            out += map(speller.spell, new)
            done, seen = end, match.end()
        speller.see(text[seen:], part[seen:])
        out += part[done:]
    return "".join(out)


def meaning(raw: str) -> str:
    return str(json.loads(f'"{raw}"', strict=False)) if raw.startswith("\\") else raw


def walk(value: object, new: str) -> object:
    if isinstance(value, str):
        return value.replace(NEEDLE, new)
    if isinstance(value, list):
        return [walk(item, new) for item in value]
    if isinstance(value, dict):
        return {key: walk(item, new) for key, item in value.items()}
    return value


NEWS = ["<w>", "", "é/\u2028😀&"]


@pytest.mark.parametrize("new", NEWS)
@given(documents())
def test_the_parsed_output_is_the_rewritten_document(new: str, document: Document) -> None:
    out = rewrite(JSONStrings(lambda: Swap(new=new)), joined(document))
    assert json.loads(out) == walk(json.loads(joined(document)), new)


WAYS: list[tuple[type[Swap], str, str]] = [
    *((Swap, f"({NEEDLE})", new) for new in NEWS),
    *((SwapInWords, f"({NEEDLE})[^ ]*(?: |$)", new) for new in NEWS if new),
]


@pytest.mark.parametrize(("inner", "pattern", "new"), WAYS)
@given(documents())
def test_what_does_not_change_keeps_its_spelling(
    inner: type[Swap], pattern: str, new: str, document: Document
) -> None:
    out = rewrite(JSONStrings(lambda: inner(new=new)), joined(document))
    assert out == expected(document, new, pattern)


def test_spelling_between_two_changes() -> None:
    text = '["/tmp/x\\u0061 /tmp/x b"]'
    for chunks in cuttings(text):
        assert feed_all(JSONStrings(SwapInWords), chunks) == '["<w>\\u0061 <w> b"]'


@pytest.mark.parametrize(("inner", "pattern", "new"), WAYS)
@given(documents(), st.data())
def test_chunk_invariance(
    inner: type[Swap], pattern: str, new: str, document: Document, data: st.DataObject
) -> None:
    def stage() -> JSONStrings:
        return JSONStrings(lambda: inner(new=new))

    text = joined(document)
    cut_off = st.integers(0, len(text)).map(lambda end: joined(document)[:end])
    text = data.draw(st.sampled_from([text, text, text.replace(":", "", 1)]) | cut_off)
    one = stage()
    whole = rewrite(one, text)
    for chunks in (list(text), *(data.draw(pieces(text)) for _ in range(3))):
        other = stage()
        assert feed_all(other, chunks) == whole
        assert other.edits == one.edits


@pytest.mark.parametrize("inner", [Through, HoldAll, lambda: Swap(needle="nowhere")])
@given(st.one_of(documents().map(joined), st.text('{}[]",:\\/u0dae n\n\ud83d😀')))
def test_conservation(inner: Callable[[], Swap], text: str) -> None:
    for chunks in cuttings(text):
        assert feed_all(JSONStrings(inner), chunks) == text


@given(documents().map(joined))
def test_no_loss(text: str) -> None:
    """Whenever it breaks off, what came out and what comes back are the input."""
    for end in range(len(text) + 1):
        stage = JSONStrings(HoldAll)
        out = stage.feed(text[:end])
        assert out + stage.held == text[:end]
        assert out + stage.release() == text[:end]
        assert stage.held == ""


def test_no_loss_after_a_change() -> None:
    stage = JSONStrings(Swap)
    assert stage.feed('["/tmp/x and \\/tm\\u0070') == '["<w> and '
    assert stage.release() == "\\/tm\\u0070"


def test_minimal_hold() -> None:
    """What has come out is what all possible continuations have in common."""

    def stage() -> JSONStrings:
        return JSONStrings(lambda: Swap("ab", "<"))

    alphabet = 'ab\\"\n'  # "\n" breaks the JSON
    futures = ["".join(f) for n in range(4) for f in product(alphabet, repeat=n)]
    for n in range(5):
        for chars in product(alphabet[:-1], repeat=n):
            text = '["' + "".join(chars)
            if re.fullmatch(r"([^\\]|\\.)*", text) is None:
                continue  # an escape that is not finished: see the next test
            out = stage().feed(text)
            assert out == common_prefix([rewrite(stage(), text + f) for f in futures])


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("a\\", "\\"),
        ("a\\u", "\\u"),
        ("a\\u00e", "\\u00e"),
        ("a\\u00e9", ""),
        ("a\\\\", ""),
        ("a\\n", ""),
        ("\\ud83", "\\ud83"),
        ("\\ud83d", "\\ud83d"),
        ("\\uD83D\\", "\\uD83D\\"),
        ("\\ud83d\\u", "\\ud83d\\u"),
        ("\\ud83d\\ud", "\\ud83d\\ud"),
        ("\\ud83d\\uDc", "\\ud83d\\uDc"),
        ("\\ud83d\\ude0", "\\ud83d\\ude0"),
        ("\\ud83d\\ude00", ""),
        # These can no longer become a pair.
        ("\\ud83da", ""),
        ("\\ud83d\\n", ""),
        ("\\ud83d\\u0", "\\u0"),
        ("\\ud83d\\ud8", "\\ud8"),
        ("\\ud83d\\ud83d", "\\ud83d"),
        ("\\ude00", ""),
    ],
)
def test_holds_no_more_than_an_unfinished_escape(text: str, held: str) -> None:
    for chunks in cuttings(text):
        stage = JSONStrings(Through)
        out = stage.feed('{"k":"') + "".join(map(stage.feed, chunks))
        assert stage.held == held
        assert out + held == '{"k":"' + text
        assert stage.flush() == held


@given(documents(), st.sampled_from([1, 4, 10**6]))
def test_linear_work(document: Document, size: int) -> None:
    """Every character is fed once, and never in more feeds than there are characters."""
    made: list[Swap] = []

    def factory() -> Swap:
        made.append(Swap())
        return made[-1]

    text = joined(document)
    feed_all(JSONStrings(factory), every(text, size))
    strings = ["".join(map(meaning, part)) for part in document if not isinstance(part, str)]
    assert ["".join(inner.fed) for inner in made] == [text for text in strings if text]
    assert all(all(inner.fed) for inner in made)


def test_linear_work_on_a_long_plain_string() -> None:
    inner = Swap()
    rewrite(JSONStrings(lambda: inner), '["\\/tmp\\n' + "some/words < é " * 1000 + '"]')
    # One by one while it holds what was an escape; then the style is settled three times.
    assert [text[:6] for text in inner.fed] == [*"/tmp\n", "some", "/words", "< ", "é some"]


@given(st.lists(texts, max_size=6))
def test_isolation(strings: list[str]) -> None:
    """A string is rewritten as if it were alone: what is cut in two is no needle."""
    out = rewrite(JSONStrings(Swap), json.dumps(strings))
    assert json.loads(out) == [rewrite(Swap(), text) for text in strings]
    assert rewrite(JSONStrings(Swap), '["/tmp/", "x", {"/tmp/x": "/tmp/"}]x') == (
        '["/tmp/", "x", {"/tmp/x": "/tmp/"}]x'
    )


@given(documents().map(joined))
def test_idempotence(text: str) -> None:
    once = rewrite(JSONStrings(Swap), text)
    assert rewrite(JSONStrings(Swap), once) == once


@pytest.mark.parametrize(
    ("text", "out"),
    [
        ('{"p":"/tmp/x/a"}', '{"p":"<w>/a"}'),
        ('{"p":"\\/tmp\\/x\\/a"}', '{"p":"<w>\\/a"}'),
        ('{"p":"\\u002ftmp/x\\u002fa"}', '{"p":"<w>\\u002fa"}'),
        ('{"p":"\\u002ftmp/y\\u002fa"}', '{"p":"\\u002ftmp/y\\u002fa"}'),
        ('{"p":"a \\u003e b /tmp/x"}', '{"p":"a \\u003e b \\u003cw\\u003e"}'),
        ('{"p":"a > \\u003e /tmp/x"}', '{"p":"a > \\u003e <w>"}'),
        ('{"p":"cat \\"/tmp/x\\"\\nrm -f y"}', '{"p":"cat \\"<w>\\"\\nrm -f y"}'),
        ('{"/tmp/x":["/tmp/x",{"a":"/tmp/x"}]}', '{"/tmp/x":["<w>",{"a":"<w>"}]}'),
        ('{"json":"{\\"p\\":\\"/tmp/x\\"}"}', '{"json":"{\\"p\\":\\"<w>\\"}"}'),
        ('"/tmp/x" ', '"<w>" '),
        ('{"p":"/tmp/x"}\n{"p":"/tmp/x"}', '{"p":"<w>"}\n{"p":"<w>"}'),
        # Cut off by a token limit.
        ('{"a":"/tmp/x","b":"/tmp/x and /tm', '{"a":"<w>","b":"<w> and /tm'),
        ('{"a":"/tmp/x\\', '{"a":"<w>\\'),
        ('{"a":"/tmp/x\\ud83d\\u', '{"a":"<w>\\ud83d\\u'),
        # Not JSON from some character on.
        ("/tmp/x", "/tmp/x"),
        ("{'p': '/tmp/x'}", "{'p': '/tmp/x'}"),
        ('{"a":"/tmp/x /tmp/\\x/tmp/x"}', '{"a":"<w> /tmp/\\x/tmp/x"}'),
        ('{"a":"/tmp/x /tm\n/tmp/x"}', '{"a":"<w> /tm\n/tmp/x"}'),
        ('{"a":"/tmp/x"; "b":"/tmp/x"}', '{"a":"<w>"; "b":"/tmp/x"}'),
    ],
)
def test_examples(text: str, out: str) -> None:
    for chunks in cuttings(text):
        assert feed_all(JSONStrings(Swap), chunks) == out


@pytest.mark.parametrize(
    ("before", "new"),
    [
        ("", "é 😀 / <&>"),
        ("é", "é 😀 / <&>"),
        ("\\u4f60", "\\u00e9 \\ud83d\\ude00 / <&>"),
        ("\\ud83d\\ude00", "\\u00e9 \\ud83d\\ude00 / <&>"),
        ("\\u4f60 é", "é 😀 / <&>"),
        ("\\u2028 \\ud83d.", "é 😀 / <&>"),  # escaped by everyone, so no sign of a style
        ("\\/", "é 😀 \\/ <&>"),
        ("\\/ /", "é 😀 / <&>"),
        ("\\u002f", "é 😀 / <&>"),
        ("\\u0026", "é 😀 / \\u003c\\u0026\\u003e"),
        ("\\u003C >", "é 😀 / <&>"),
        ("\\u003C", "é 😀 / \\u003c\\u0026\\u003e"),
    ],
)
def test_changes_are_written_in_the_style_of_the_document(before: str, new: str) -> None:
    stage = JSONStrings(lambda: Swap("needle", "é 😀 / <&>"))
    assert rewrite(stage, f'["{before}", "needle"]') == f'["{before}", "{new}"]'


def test_the_caller_can_ask_for_the_style_of_go() -> None:
    assert rewrite(JSONStrings(Swap, escape_html=True), '"/tmp/x"') == '"\\u003cw\\u003e"'
    assert rewrite(JSONStrings(Swap, escape_html=True), '"< /tmp/x"') == '"< <w>"'


def test_what_must_be_escaped_always_is() -> None:
    new = '"\\\b\f\n\r\t\x00\x1f\x7f\x85\u2028\u2029\ud83d.\ude00'
    out = rewrite(JSONStrings(lambda: Swap(new=new)), '"é/<" "/tmp/x"'.replace('" "', ""))
    assert out == (
        '"é/<\\"\\\\\\b\\f\\n\\r\\t\\u0000\\u001f\x7f\\u0085\\u2028\\u2029\\ud83d.\\ude00"'
    )


def test_edits_are_those_of_all_strings_as_they_are_made() -> None:
    stage = JSONStrings(Swap)
    edits = stage.edits
    stage.feed('["/tmp/x", "none", "/tmp/x /tmp/x')
    assert len(edits) == 3
    stage.feed(' /tmp/x"]')
    stage.flush()
    assert stage.edits == [Edit("swap", NEEDLE, "<w>")] * 4
    assert edits is stage.edits


def test_empty_fragments_change_nothing() -> None:
    assert feed_all(JSONStrings(Swap), ["", '["/tm', "", "p/x", "", '"]', ""]) == '["<w>"]'
