"""The client's working directory, found where clients name it."""

from typing import Any

import pytest

from mitmproxy_windsurf.wire.workspace import find_workspace

WORDINGS = {
    "claude code": (" - Primary working directory: /home/me/my app\n - Git: no", "/home/me/my app"),
    "claude --bare": ("CWD: /srv/app\nDate: today", "/srv/app"),
    "opencode": ("<env>\n  Working directory: /srv/app\n  Git: no", "/srv/app"),
    "codex": ("<environment_context>\n  <cwd>/srv/app</cwd>", "/srv/app"),
    "cline": ("# Current Working Directory (/srv/app) Files\na.py", "/srv/app"),
    "gemini": ("I'm currently working in the directory: /srv/app\nIt holds", "/srv/app"),
    "emphasis and backticks": ("**CWD**: `/srv/app`.", "/srv/app"),
    "windows": ("Working directory: C:\\Users\\me\\app\\\n", "C:\\Users\\me\\app"),
    "the root": ("Working directory: /", "/"),
}


@pytest.mark.parametrize(("prompt", "path"), WORDINGS.values(), ids=WORDINGS)
@pytest.mark.parametrize(
    "place",
    [
        *("system", "instructions", "message", "input", "prompt"),
        *("system instruction", "contents", "code assist"),
    ],
)
def test_it_is_found_in_every_wording_and_place(prompt: str, path: str, place: str) -> None:
    bodies: dict[str, dict[str, Any]] = {
        "system": {"system": [{"type": "text", "text": prompt}]},
        "instructions": {"instructions": prompt},
        "message": {"messages": [{"role": "user", "content": [{"type": "text", "text": prompt}]}]},
        "input": {"input": [{"role": "user", "content": prompt}]},
        "prompt": {"prompt": prompt},
        "system instruction": {"system_instruction": {"parts": [{"text": prompt}]}},
        "contents": {"contents": [{"role": "user", "parts": [{"text": prompt}]}]},
        "code assist": {"request": {"contents": [{"parts": [{"text": prompt}]}]}},
    }
    assert find_workspace(bodies[place]) == path


@pytest.mark.parametrize(
    "prompt",
    ["", "Change your working directory often.", "Working directory: unknown", "cwd: ../app"],
)
def test_no_path_is_none(prompt: str) -> None:
    assert find_workspace({"system": prompt}) is None


def test_a_system_prompt_is_believed_before_a_user() -> None:
    body = {"messages": [{"role": "user", "content": "CWD: /user"}], "system": "CWD: /system"}
    assert find_workspace(body) == "/system"


def test_tool_descriptions_name_nothing() -> None:
    assert find_workspace({"tools": [{"description": "Working directory: /example"}]}) is None
