"""The command line: it starts mitmproxy's own tools, and checks packs of rules."""

import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest

from mitmproxy_windsurf import cli

RULE = """\
[[rule]]
id = "acme"
kind = "phrase"
words = "Acme Pilot"
replacement = "an assistant"
[[rule.examples]]
before = "You are Acme Pilot."
after = "{after}"
"""


@pytest.mark.parametrize(("command", "tool"), [("run", "mitmdump"), ("web", "mitmweb")])
def test_mitmproxy_gets_the_script_and_all_options(
    command: str, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[list[str]] = []

    class Entry:
        def load(self) -> Callable[[], None]:
            return lambda: started.append(sys.argv)

    def entry_points(group: str, name: str) -> list[Entry]:
        assert (group, name) == ("console_scripts", tool)
        return [Entry()]

    monkeypatch.setattr(sys, "argv", ["mitmproxy-windsurf"])
    monkeypatch.setattr(metadata, "entry_points", entry_points)
    assert cli.main([command, "--set", "a=b", "-h", "--", "-n"]) == 0
    [[name, dash_s, script, *options]] = started
    assert (name, dash_s, options) == (tool, "-s", ["--set", "a=b", "-h", "--", "-n"])
    assert Path(script).name == "windsurf.py"


def test_the_script_is_there() -> None:
    assert cli.script().is_file()


def test_mitmproxys_tools_are_installed() -> None:
    for tool in cli.TOOLS.values():
        assert list(metadata.entry_points(group="console_scripts", name=tool))


def test_the_shipped_packs_are_right(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check"]) == 0
    assert "rules are well formed" in capsys.readouterr().out


def test_a_good_pack_is_right(tmp_path: Path) -> None:
    pack = tmp_path / "acme.toml"
    pack.write_text(RULE.format(after="You are an assistant."), "utf-8")
    assert cli.main(["check", str(pack)]) == 0


def test_an_example_that_comes_out_differently_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pack = tmp_path / "acme.toml"
    pack.write_text(RULE.format(after="You are it."), "utf-8")
    assert cli.main(["check", str(pack)]) == 1
    told = capsys.readouterr().err
    assert f"{pack}: rule 'acme'" in told
    assert "'You are an assistant.'" in told


def test_problems_of_all_files_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = tmp_path / "broken.toml"
    broken.write_text('[[rule]]\nid = "x"\nkind = "phrase"\n', "utf-8")
    assert cli.main(["check", str(broken), str(tmp_path / "missing.toml")]) == 1
    told = capsys.readouterr().err
    assert f"{broken}: rule 'x'" in told
    assert "missing.toml: cannot be read" in told
