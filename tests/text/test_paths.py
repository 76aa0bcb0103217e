r"""Private paths: where they start, what of them goes, and the laws while the text streams.

In the tables `{P}` is the marker, and a text without it has to come out as it is.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laws import before_end, most_held, stream, undecided_too_long, work
from mitmproxy_windsurf.text.blocks import BlockStream
from mitmproxy_windsurf.text.edits import Edit
from mitmproxy_windsurf.text.path_chars import ENDERS, LOOK_BEHIND, can_start
from mitmproxy_windsurf.text.paths import (
    MARKER,
    PathScrubber,
    PathStream,
    sanitize_arguments,
    sanitize_text,
    sanitize_value,
)
from mitmproxy_windsurf.text.transform import Pipeline, rewrite
from strategies import cuttings, every, pieces

WORK, OPT, USER = "/tmp/windsurf-workspace", "/opt/windsurf", "/home/user/projects/workspace-"

ROOTS = {
    "temporary directory": (f"I opened {WORK}/notes.toml first", "I opened {P} first"),
    "bare root": (f"cwd is {WORK}", "cwd is {P}"),
    "install directory": (f"Copy {WORK}/a.js to {OPT}/lib", "Copy {P} to {P}"),
    "directory of an account": (f"{USER}ab12cd34/package.json ok", "{P} ok"),
    "account with an underscore": (f"{USER}abc_def/secret.txt ok", "{P} ok"),
    "account in upper case": (f"{USER}DevOne/secret.txt ok", "{P} ok"),
    "account with a hyphen": (f"{USER}a-b/secret.txt ok", "{P} ok"),
    "trailing separator": (f"in {WORK}/ now", "in {P} now"),
    "backslashes": (r"at \home\user\projects\workspace-x1\src\a.js ok", "at {P} ok"),
    "mixed separators": (r"at \tmp/windsurf-workspace\src/a.js ok", "at {P} ok"),
    "doubled separators": (r"at \\tmp\\windsurf-workspace\\a.js ok", "at {P} ok"),
    "doubled slashes": ("at //opt//windsurf//a.js ok", "at {P} ok"),
    "two separators after more": ("at ///x and //opt/windsurf/a.js ok", "at ///x and {P} ok"),
    "four separators": (r"at /home////user\\\\projects/workspace-x/a ok", "at {P} ok"),
    "drive": (r"at C:\home\user\projects\workspace-dev1\src\index.js ok", "at {P} ok"),
    "drive and slashes": (f"at D:{WORK}/a.js ok", "at {P} ok"),
    "drive, mixed": (r"at C:\home/user/projects/workspace-dev1/src/a.js ok", "at {P} ok"),
    "drive, escaped": (r"at C:\\tmp\\windsurf-workspace\\a.js ok", "at {P} ok"),
    "drive, escaped twice": (r"at C:\\\\opt\\\\windsurf\\\\a.js ok", "at {P} ok"),
    "other drive stays in front": (r"at E:\opt\windsurf\a.js ok", "at E:{P} ok"),
    "file URI": (f"open file://{WORK}/a%20b.py now", "open file://{P} now"),
    "file URI with a drive": (f"open file:///C:{WORK}/a.py now", "open file:///{P} now"),
    "file URI with a host": (
        f"open file://localhost{WORK}/a.py now",
        "open file://localhost{P} now",
    ),
    "editor URI": (f"open vscode://file{WORK}/a.py:3 now", "open vscode://file{P}:3 now"),
    "verbatim path of Windows": (r"at \\?\C:\opt\windsurf\a.js ok", r"at \\?\{P} ok"),
    "echoed marker": (
        f"In {MARKER}, {MARKER}/a.py and {OPT}/a",
        f"In {MARKER}, {MARKER}/a.py and {{P}}",
    ),
}

NO_ROOTS = {
    "near misses": "/tmp/windows/x /tmp/w /opt/wind /home/user/projects/work",
    "near miss at the end": "ends with /tmp/win",
    "half a root at the end": "ends with /tmp/windsurf-workspac",
    "longer name": "/tmp/windsurf-workspace2/a.py /tmp/windsurf-workspaces/c /opt/windsurfing",
    "hyphenated name": "/tmp/windsurf-workspace-old/b.py /opt/windsurf-next/a",
    "name with an underscore": "/opt/windsurf_x/a",
    "name with an accent": "/opt/windsurfé/a",
    "other case": "/OPT/Windsurf/a /tmp/Windsurf-workspace/b",
    "account without a name": "/home/user/projects/workspace- /home/user/projects/workspace-/a",
    "account in another script": "/home/user/projects/workspace-é",
    "five separators": "/opt/////windsurf/a",
    "other first segment": "/srv/windsurf-workspace/a",
    "bare name": "The project workspace-dev1xse is empty.",
    "percent-encoded": "%2Ftmp%2Fwindsurf-workspace%2Fa.py",
    "relative": "tmp/windsurf-workspace/a and opt/windsurf/b",
}

CAN_START = {
    "start of the text": "",
    "blank": " ",
    "line break": "a\n",
    "double quote": '"',
    "single quote": "x='",
    "backtick": "`",
    "parenthesis": "](",
    "bracket": "[",
    "brace": "{",
    "less than": "2>&1 <",
    "greater than": "echo >",
    "asterisks": "**",
    "bar": "a|",
    "comma": "a,",
    "semicolon": "a;",
    "ampersand": "&&",
    "equals sign": "--prefix=",
    "colon": "PATH=/usr/bin:",
    "hash-bang": "#!",
    "shown line break": r"cat a\n",
    "terminal colour": "\x1b[1;35m",
    "grep's terminal codes": "\x1b[35m\x1b[K",
    "flag": "gcc -I",
    "long flag": "gcc -isystem",
    "double flag": "(--sysroot",
    "flag at the start": "-L",
    "line of a diff": "\n+",
    "removed line of a diff": "\n-",
    "at sign": "curl -d @",
    "Chinese": "请打开",
    "Japanese": "ファイルは",
    "Korean": "파일은",
    "full-width punctuation": "路径：",
    "typographic quote": "“",
    "dash": "there—",
    "emoji": "📁",
}

CANNOT_START = {
    "directory": "/var",
    "mount point": "/mnt",
    "word": "foo",
    "digit": "v2",
    "underscore": "a_",
    "accent": "café",
    "dot": ".",
    "parent": "..",
    "home": "~",
    "command": "$(pwd)",
    "variable": "${ROOT}",
    "plain variable": "$ROOT",
    "array": "roots[0]",
    "percent": "%",
    "version": "c++",
    "address": "me@",
    "hyphenated word": "foo-bar",
    "word and hyphen": "foo-",
    "word with flag": "x-I",
    "marker's tail": f"{MARKER}/a",
}

TAILS = {
    "full stop": (f"I read {WORK}/a.py. Then I ran it.", "I read {P}. Then I ran it."),
    "full stop at the end": (f"I read {WORK}/a.py.", "I read {P}."),
    "full stop and line break": (f"{WORK}/a.py.\nB", "{P}.\nB"),
    "full stop and quote": (f'"{WORK}/a.py."', '"{P}."'),
    "dots": (f"in {OPT}/a... or", "in {P}... or"),
    "question": (f"Is it {OPT}/a?! Yes", "Is it {P}?! Yes"),
    "dots inside": (f"{OPT}/.config/../a.tar.gz b", "{P} b"),
    "backup of the root": (f"{OPT}.bak/a b", "{P} b"),
    "line": (f"{WORK}/a.py:12: B", "{P}:12: B"),
    "line and column": (f"{WORK}/a.py:12:5: error: bad name", "{P}:12:5: error: bad name"),
    "colon": (f"{OPT}: no such file", "{P}: no such file"),
    "colon and another path": (f"PATH={OPT}/bin:/usr/bin", "PATH={P}:/usr/bin"),
    "colon and another root": (f"PATH={OPT}/bin:{WORK}/b", "PATH={P}:{P}"),
    "operators": (f"cd {WORK}/src&&npm test", "cd {P}&&npm test"),
    "semicolon": (f"cd {WORK};ls", "cd {P};ls"),
    "bar": (f"cat {WORK}/a|wc", "cat {P}|wc"),
    "redirection": (f"cat <{WORK}/a>b", "cat <{P}>b"),
    "comma": (f"{WORK}/a,{OPT}/b", "{P},{P}"),
    "glob": (f"ls {WORK}/*.py", "ls {P}*.py"),
    "Markdown": (f"[a]({WORK}/a.py) **{WORK}/b** `{WORK}/c`", "[a]({P}) **{P}** `{P}`"),
    "brackets": (f"[{OPT}/a] {{{OPT}/b}} <{OPT}/c>", "[{P}] {{P}} <{P}>"),
    "quotes": (f"'{OPT}/a' \"{OPT}/b\"", "'{P}' \"{P}\""),
    "typographic quotes": (f"“{OPT}/a” «{OPT}/b» ‘{OPT}/c’", "“{P}” «{P}» ‘{P}’"),
    "escaped quote": (rf"echo \"{WORK}/a.py\" b", r"echo \"{P}\" b"),
    "escaped quote, escaped": (rf"echo \\\"{WORK}/a.py\\\" b", r"echo \\\"{P}\\\" b"),
    "full stop and escaped quote": (rf"\"{WORK}/a.py.\" b", r"\"{P}.\" b"),
    "backslash at the end": (rf"{WORK}\a" + "\\", "{P}"),
    "backslash and blank": (rf"{WORK}\a.\ b", "{P} b"),
    "escape that is shown": (rf"{WORK}\a.\nb", "{P}"),
    "line break": (f"cat {WORK}/a.py\nrm -f x", "cat {P}\nrm -f x"),
    "no-break blank": (f"{WORK}/a\xa0b", "{P}\xa0b"),
    "ideographic blank": (f"{WORK}/a\u3000b", "{P}\u3000b"),
    "control character": (f"\x1b[35m{WORK}/a\x1b[0m", "\x1b[35m{P}\x1b[0m"),
    "ellipsis": (f"{WORK}/a… b", "{P}… b"),
    "dash": (f"{WORK}/a—b", "{P}—b"),
    "arrow": (f"{WORK}/a→{WORK}/b", "{P}→{P}"),
    "emoji": (f"{WORK}/a.py✅ 📁{OPT}", "{P}✅ 📁{P}"),
    "box": (f"│{WORK}/a│", "│{P}│"),
    "Chinese after a name": (
        f"请打开{WORK}/a.py文件，然后运行测试。谢谢",
        "请打开{P}文件，然后运行测试。谢谢",
    ),
    "Chinese after the root": (f"在{OPT}目录", "在{P}目录"),
    "Chinese after a separator": (f"{OPT}/测试/a.py b", "{P} b"),
    "Chinese name with letters": (f"{OPT}/测试a.py b", "{P} b"),
    "Chinese name around letters": (f"{OPT}/测试a文件.py b", "{P} b"),
    "Chinese name, then a name": (f"{OPT}/测试/a.py文件", "{P}文件"),
    "Chinese after a full stop": (f"{OPT}/a.文件", "{P}.文件"),
    "Japanese": (f"{OPT}/a.pyを開く", "{P}を開く"),
    "Korean": (f"{OPT}/a.py을 연다", "{P}을 연다"),
    "full-width punctuation": (f"在{WORK}/src。我会", "在{P}。我会"),
    "full-width brackets": (f"（{WORK}/src）《{OPT}》", "（{P}）《{P}》"),
    "full-width colon": (f"{WORK}：空", "{P}：空"),
    "accents": (f"{OPT}/café/naïve.py b", "{P} b"),
    "combining accent": (f"{OPT}/cafe\u0301/a.py b", "{P} b"),
    "other path characters": (f"{OPT}/a+b=c@d#e%20f~$g^h b", "{P} b"),
    "many stops": (f"{OPT}/a" + "." * 60 + " b", "{P}" + "." * 60 + " b"),
}


def filled(text: str) -> str:
    return text.replace("{P}", MARKER)


def rows(*tables: dict[str, tuple[str, str]]) -> list[Any]:
    return [
        pytest.param(text, filled(out), id=name)
        for table in tables
        for name, (text, out) in table.items()
    ]


@pytest.mark.parametrize(("text", "out"), rows(ROOTS, TAILS))
def test_paths_are_scrubbed(text: str, out: str) -> None:
    assert sanitize_text(text) == out
    assert sanitize_text(out) == out
    assert all(stream(PathStream, chunks) == out for chunks in cuttings(text))
    assert all(stream(PathScrubber, chunks) == out for chunks in cuttings(text))


@pytest.mark.parametrize("text", NO_ROOTS.values(), ids=NO_ROOTS.keys())
def test_what_is_no_root_stays(text: str) -> None:
    assert all(stream(PathStream, chunks) == text for chunks in cuttings(text))


@pytest.mark.parametrize("past", CAN_START.values(), ids=CAN_START.keys())
@pytest.mark.parametrize("root", [WORK, OPT + "/include", r"\opt\windsurf", USER + "a1"])
def test_a_path_starts_after(past: str, root: str) -> None:
    for chunks in cuttings(past + root):
        assert stream(PathStream, chunks) == past + MARKER


@pytest.mark.parametrize("past", CANNOT_START.values(), ids=CANNOT_START.keys())
@pytest.mark.parametrize("root", [WORK, OPT + "/include", r"\opt\windsurf", "///opt/windsurf"])
def test_no_path_starts_after(past: str, root: str) -> None:
    for chunks in cuttings(past + root):
        assert stream(PathStream, chunks) == past + root


@pytest.mark.parametrize("past", [*CAN_START.values(), *CANNOT_START.values()])
def test_whether_a_path_can_start_is_decided_nearby(past: str) -> None:
    for before in ("a" * LOOK_BEHIND, " " * LOOK_BEHIND):
        assert can_start((before + " " + past)[-LOOK_BEHIND:]) == can_start(" " + past)


@pytest.mark.parametrize(
    ("text", "out"),
    [
        ("a/b", "a/b"),
        ("see /", "see "),
        ("see //", "see "),
        ("see ///", "see //"),
        ("file://", "file:"),
        ("file:///", "file://"),
        ("see /t", "see "),
        ("see /x", "see /x"),
        ("see /tmp/wind ", "see /tmp/wind "),
        (f"see {WORK}", "see "),
        (f"see {WORK}/", f"see {MARKER}"),
        (f"see {WORK}.", f"see {MARKER}"),
        (f"see {WORK} ", f"see {MARKER} "),
        (USER, ""),
        (f"{USER}a", MARKER),
        (f"{OPT}/a.py", MARKER),
        (f"{OPT}/a.", MARKER),
        (f"{OPT}/a. ", f"{MARKER}. "),
        ("A C", "A "),
        ("A C:", "A "),
        ("A C: ", "A C: "),
        ("ABC", "ABC"),
        ("A E", "A E"),
        ("A c:", "A c:"),
    ],
    ids=repr,
)
def test_what_is_out_before_the_end(text: str, out: str) -> None:
    assert before_end(PathStream, [text]) == before_end(PathStream, text) == out


@pytest.mark.parametrize(
    ("private", "text", "out"),
    [
        ("/srv/proxy-app", "at /srv/proxy-app/src/server.py:10", "at {P}:10"),
        ("/srv/proxy-app/", "in /srv/proxy-app", "in {P}"),
        ("/srv/proxy-app", "/srv/proxy-app2 /srv/proxy-application /srv/proxy", None),
        ("/app", "/app/a.py and /apps/b", "{P} and /apps/b"),
        ("/srv/my app", "in '/srv/my app/a.py' and /srv/my cat", "in '{P}' and /srv/my cat"),
        ("/srv/项目", "在/srv/项目里 /srv/项目/a.py", "在{P}里 {P}"),
        (r"C:\Users\me\proxy", r"C:\Users\me\proxy\a.js \Users\me\proxy", "{P} {P}"),
        (r"C:\Users\me\proxy", "d/C:/Users/me/proxy/a.js D:/Users/me/proxy", "d/{P} {P}"),
        ("E:/proxy", r"E:\proxy\a.js and F:\proxy", r"{P} and F:{P}"),
        (r"\\host\share", r"\\host\share\a.js", "{P}"),
        ("/opt", "/opt/windsurf/a /opt/b", "{P} {P}"),
        ("/opt/windsurf-server", "/opt/windsurf-server/a /opt/windsurf-x", "{P} /opt/windsurf-x"),
        ("/", "/ /a", None),
        ("", "/ /a", None),
    ],
)
def test_private_paths(private: str, text: str, out: str | None) -> None:
    expected = text if out is None else filled(out)
    for chunks in cuttings(text):
        assert stream(lambda: PathStream(private_paths=[private]), chunks) == expected
    assert sanitize_text(text, private_paths=[private]) == expected


def test_a_root_inside_what_may_become_a_root() -> None:
    private = ("/srv/my /opt/windsurf/x y",)
    text = "/srv/my /opt/windsurf"
    assert sanitize_text(text, private_paths=private) == f"/srv/my {MARKER}"
    assert sanitize_text(f"{text}/a b", private_paths=private) == f"/srv/my {MARKER} b"
    assert sanitize_text(f"{text}/x y z", private_paths=private) == f"{MARKER} z"


def test_long_runs_of_stops_and_backslashes_are_path() -> None:
    assert sanitize_text(f"{OPT}/a" + "." * 70 + " b") == MARKER + "." * 64 + " b"
    assert sanitize_text(f"{OPT}/a" + "\\" * 20 + '"') == MARKER + "\\" * 16 + '"'
    assert sanitize_text(f"{OPT}/a..." + "\\" * 20 + '"') == MARKER + "\\" * 16 + '"'


def test_every_blank_ends_a_tail() -> None:
    blanks = [chr(code) for code in range(0x110000) if chr(code).isspace()]
    assert [
        blank for blank in blanks if sanitize_text(f"{OPT}/a{blank}b") != f"{MARKER}{blank}b"
    ] == []
    assert r"\s" not in ENDERS


@pytest.mark.parametrize("code", [0xD83D, 0xDCFF], ids=hex)
def test_half_of_a_surrogate_pair_ends_a_tail(code: int) -> None:
    assert sanitize_text(f"{OPT}/a{chr(code)}b") == f"{MARKER}{chr(code)}b"


BLOCKS = {
    "block and path": (f"a <workspace_layout>\n{WORK}\n</workspace_layout> {OPT}/x b", "a  {P} b"),
    "path in a mention": (f"`<workspace_layout>` is {WORK}/a b", "`<workspace_layout>` is {P} b"),
    "path in held prose": (
        f"the <workspace_layout> of {WORK}/a b",
        "the <workspace_layout> of {P} b",
    ),
    "path in a fence": (f"```\ncd {WORK}/a\n```", "```\ncd {P}\n```"),
    "path around a block": ("/tmp/windsurf-<workspace_layout/>workspace/a b", "{P} b"),
    "block after a path": (f"{OPT}/a<workspace_layout>x</workspace_layout>/b c", "{P} c"),
}


@pytest.mark.parametrize(("text", "out"), rows(BLOCKS))
def test_blocks_and_paths(text: str, out: str) -> None:
    assert all(stream(PathStream, chunks) == out for chunks in cuttings(text))
    assert sanitize_text(out) == out


def test_release_gives_back_what_is_undecided_and_scrubs_the_rest() -> None:
    stage = PathStream()
    assert stage.feed(f"a <workspace_layout> of {WORK}/a. and /opt/wind") == "a "
    assert stage.held == f"<workspace_layout> of {WORK}/a. and /opt/wind"
    assert stage.release() == f"<workspace_layout> of {MARKER}. and /opt/wind"
    assert stage.held == ""


@pytest.mark.parametrize("rest", ["", "/", "/tmp/windsurf-workspace", "C", "C:", f"{OPT}."])
def test_release_gives_back_undecided_paths(rest: str) -> None:
    stage = PathStream()
    out = stage.feed(f"a {rest}")
    assert out + stage.release() == f"a {rest}".replace(f"{OPT}.", f"{MARKER}.")


@pytest.mark.parametrize("head", [f"{OPT}/a", "/opt/wind", "C", f"{OPT}."])
def test_after_release_nothing_is_pending(head: str) -> None:
    stage = PathStream()
    stage.feed(head)
    stage.release()
    assert stage.feed("surf b") == "surf b"


def test_empty_deltas_change_nothing() -> None:
    stage = PathStream()
    text = f"see foo{OPT} {OPT}/a. b"
    deltas = [delta for char in text for delta in (char, *[""] * LOOK_BEHIND)]
    assert "".join(map(stage.feed, deltas)) == filled(f"see foo{OPT} {{P}}. b")


def test_edits_tell_where_the_input_was_changed() -> None:
    text = f"a <workspace_layout>\nx\n</workspace_layout> C:{OPT}/b, <user_information/> {USER}zed!"
    expected = [
        Edit("block", "<workspace_layout>", "", layer="paths", start=2),
        Edit("path", f"C:{OPT}", MARKER, layer="paths", start=text.index("C:")),
        Edit("block", "<user_information/>", "", layer="paths", start=text.index("<user")),
        Edit("path", f"{USER}z", MARKER, layer="paths", start=text.index(USER)),
    ]
    for chunks in cuttings(text):
        stage = PathStream()
        assert "".join(map(stage.feed, chunks)) + stage.flush() == filled("a  {P},  {P}!")
        assert sorted(stage.edits, key=lambda edit: edit.start) == expected


ARGUMENTS = {
    "path": ({"path": f"{WORK}/f.js"}, {"path": "{P}"}),
    "backslashes": ({"p": r"C:\home\user\projects\workspace-dev1\src\a.js"}, {"p": "{P}"}),
    "quotes": ({"c": f'cat "{WORK}/a.py" | wc -l'}, {"c": 'cat "{P}" | wc -l'}),
    "next command": (
        {"c": f"cat {WORK}/a.py\nrm -f out.txt\necho done"},
        {"c": "cat {P}\nrm -f out.txt\necho done"},
    ),
    "escaped quotes": ({"c": rf"sh -c \"{WORK}/a.py\""}, {"c": r"sh -c \"{P}\""}),
    "nested": (
        {"a": [{"b": f"{OPT}/x"}, [f"{OPT}/y", 1, None]]},
        {"a": [{"b": "{P}"}, ["{P}", 1, None]]},
    ),
    "key": ({f"{WORK}/a": "v", "k": f"{WORK}/a"}, {f"{WORK}/a": "v", "k": "{P}"}),
    "block": ({"c": "<workspace_layout>\nx"}, {"c": "<workspace_layout>\nx"}),
    "Chinese": ({"c": f"打开{WORK}/a.py文件"}, {"c": "打开{P}文件"}),
}


@pytest.mark.parametrize("ascii_only", [True, False], ids=["ASCII", "UTF-8"])
@pytest.mark.parametrize(("value", "out"), ARGUMENTS.values(), ids=ARGUMENTS.keys())
def test_arguments(value: Any, out: Any, ascii_only: bool) -> None:
    expected = json.loads(filled(json.dumps(out)))
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert json.loads(sanitize_arguments(text)) == expected
    assert json.loads(sanitize_arguments(text.replace("/", r"\/"))) == expected
    assert json.loads(sanitize_arguments(text.replace("/", r"\u002f"))) == expected
    assert sanitize_value(value) == expected


def test_arguments_that_were_cut_off_stay_cut_off() -> None:
    assert sanitize_arguments(f'{{"a": "{WORK}/x", "b": "/tmp/wind') == (
        f'{{"a": "{MARKER}", "b": "/tmp/wind'
    )
    assert sanitize_arguments(f'{{"a": "{WORK}/x') == f'{{"a": "{MARKER}'


def test_values_take_private_paths_too() -> None:
    private = ["/srv/app"]
    assert sanitize_value(["/srv/app/x"], private_paths=private) == [MARKER]
    assert sanitize_arguments('["/srv/app/x"]', private_paths=private) == f'["{MARKER}"]'


def test_a_value_is_copied_whatever_its_depth() -> None:
    value: Any = f"{OPT}/x"
    for _ in range(50_000):
        value = {"a": [value]}
    clean = sanitize_value(value)
    for _ in range(50_000):
        clean = clean["a"][0]
        value = value["a"][0]
    assert (clean, value) == (MARKER, f"{OPT}/x")


@pytest.mark.parametrize("value", [None, True, 1, 1.5, "x", [], {}], ids=repr)
def test_other_values_stay(value: Any) -> None:
    assert sanitize_value(value) == value


PARTS = [
    *(WORK, OPT, f"{USER}a1", "/tmp/windsurf-", "/opt", "workspace", "windsurf", "/a.py", "/测试"),
    *("/", "\\", "//", "///", "\\\\", "C:", "C", "D:", "E:", "file:", "localhost", "-", "a", "é"),
    *(" ", "\n", ".", "!", ":", ",", "(", ")", "<", ">", "@", "+", "-I", "文件", "，", "…", MARKER),
    *('"', '\\"', "'", "`", "```\n", r"\n", "\x1b[0m", "<work", "space_layout>"),
    *("<workspace_layout>", "</workspace_layout>", "<user_information/>"),
]
TEXTS = st.lists(st.sampled_from(PARTS), max_size=12).map("".join)
MAKERS = pytest.mark.parametrize("make", [PathStream, PathScrubber])
Make = Callable[[], PathStream | PathScrubber]


def edits_of(stage: PathStream | PathScrubber) -> list[Edit]:
    return sorted(stage.edits, key=lambda edit: (edit.start, edit.rule))


@MAKERS
@given(text=TEXTS, data=st.data())
def test_chunk_invariance(make: Make, text: str, data: st.DataObject) -> None:
    whole = make()
    out = rewrite(whole, text)
    for chunks in (list(text), data.draw(pieces(text))):
        stage = make()
        assert "".join(map(stage.feed, chunks)) + stage.flush() == out
        assert edits_of(stage) == edits_of(whole)


@pytest.mark.parametrize(
    ("private", "alphabet", "length", "ahead"),
    [
        ("/a", "/a. ", 7, 3),
        ("/a", '/a\\".', 6, 3),
        ("/a", "/a:C ", 6, 4),
        ("/a", "/a:C\\", 6, 4),
        ("/a/b", "/a-b", 8, 5),
        ("/a", "/a文.，", 6, 3),
        ("/a", "/a @-I", 5, 3),
        ("/a b/a", "/a b", 8, 6),
    ],
)
def test_minimal_hold(private: str, alphabet: str, length: int, ahead: int) -> None:
    """By brute force, with a root that is short enough."""
    late = undecided_too_long(
        lambda: PathScrubber(private_paths=[private]), alphabet, length, ahead
    )
    assert late == []


PROSE = (
    "The quick brown fox jumps over the lazy dog, and/or sleeps; see https://example.com/a for it. "
)


@MAKERS
@pytest.mark.parametrize(
    ("head", "unit", "most"),
    [
        ("", PROSE, 2),
        ("", "/tmp/wind ", 9),
        ("", "/home/user/projects/workspace ", 30),
        (f"{WORK}/", "a", len(WORK)),
        (f"{WORK}", "/a.py", len(WORK)),
        (f"{OPT}/", ".", 80),
        (f"{OPT}/", "\\", 80),
        (f"{OPT}/", "...\\", 80),
        ("", "/", 1),
        ("", "C:", 2),
        ("", "C:\\", 4),
        ("", f"{OPT}/a b ", len(OPT)),
        ("", "-a", 0),
    ],
    ids=repr,
)
def test_linear_work(make: Make, head: str, unit: str, most: int) -> None:
    once = every(head + unit * (12_000 // len(unit)), 4)
    twice = every(head + unit * (24_000 // len(unit)), 4)
    assert work(make, twice) <= 2.1 * work(make, once)
    assert most_held(make, twice) <= most


def test_prose_costs_one_search() -> None:
    """Feeding a delta in which nothing can start is four calls, and holds nothing."""
    deltas = every("the quick brown fox jumps over the lazy dog and sleeps " * 50, 4)
    stage = PathStream()
    stage.feed("Now ")
    assert work(lambda: stage, deltas) <= 4 * len(deltas) + 1
    assert stage.held == ""


@MAKERS
@given(text=st.text(st.sampled_from("ab /\\:.<>C`\n文é-")))
def test_conservation(make: Make, text: str) -> None:
    stage = make()
    assert rewrite(stage, text) == text
    assert stage.edits == []


@MAKERS
@given(text=TEXTS)
def test_no_loss(make: Make, text: str) -> None:
    """What no edit has removed comes back, and what is held comes back as it was."""
    stage = make()
    out = stage.feed(text)
    held, decided = stage.held, len(stage.edits)
    back = stage.release()
    if len(stage.edits) == decided:
        assert back == held
    if not stage.edits:
        assert out + back == text


@MAKERS
@given(text=TEXTS)
def test_idempotence(make: Make, text: str) -> None:
    once = rewrite(make(), text)
    assert rewrite(make(), once) == once


@given(TEXTS, st.data())
def test_composition(text: str, data: st.DataObject) -> None:
    chunks = data.draw(pieces(text))
    stages = Pipeline([BlockStream(), PathScrubber()])
    piped = "".join(map(stages.feed, chunks)) + stages.flush()
    assert stream(PathStream, chunks) == piped
