"""A private root can be mapped onto the client's own directory; then the tail stays."""

import pytest

from mitmproxy_windsurf.text.json_strings import JSONStrings
from mitmproxy_windsurf.text.paths import PathScrubber
from mitmproxy_windsurf.text.transform import rewrite
from strategies import cuttings

HOME = "/home/me/my app"

MAPPED = {
    "a file": ("/tmp/windsurf-workspace/src/a.py", "/home/me/my app/src/a.py"),
    "the root itself": ("/opt/windsurf", "/home/me/my app"),
    "two in a command": (
        "cd /opt/windsurf && cat /tmp/windsurf-workspace/a.py\nrm -f x",
        "cd /home/me/my app && cat /home/me/my app/a.py\nrm -f x",
    ),
    "a named workspace": ("/home/user/projects/workspace-ab-1_c/a.py", "/home/me/my app/a.py"),
    "a named workspace at the end": ("/home/user/projects/workspace-ab", "/home/me/my app"),
    "punctuation": ("see /opt/windsurf/a.py.", "see /home/me/my app/a.py."),
    "windows": (r"C:\opt\windsurf\src\a", r"/home/me/my app\src\a"),
    "a near miss": ("/opt/windsurf-next/a", "/opt/windsurf-next/a"),
}


@pytest.mark.parametrize(("text", "expected"), MAPPED.values(), ids=MAPPED)
def test_the_root_is_mapped_however_it_is_cut(text: str, expected: str) -> None:
    for pieces in cuttings(text):
        scrubber = PathScrubber(workspace=HOME)
        assert "".join(map(scrubber.feed, pieces)) + scrubber.flush() == expected


def test_arguments_stay_json() -> None:
    arguments = '{"file_path": "\\/opt\\/windsurf\\/a.py", "n": 1}'
    mapped = rewrite(JSONStrings(lambda: PathScrubber(workspace='/me/"quoted"')), arguments)
    assert mapped == '{"file_path": "\\/me\\/\\"quoted\\"\\/a.py", "n": 1}'


def test_what_is_mapped_is_an_edit() -> None:
    scrubber = PathScrubber(workspace=HOME)
    rewrite(scrubber, "ls /opt/windsurf/a")
    (edit,) = scrubber.edits
    assert (edit.before, edit.after, edit.start) == ("/opt/windsurf", HOME, 3)
