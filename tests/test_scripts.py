"""The scripts find a Python that works, say what is wrong, and leave nothing half done."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import environment

ROOT = Path(__file__).parent.parent
SCRIPTS = ROOT / "scripts"
SHELL_SCRIPTS = ["run", "test", "lint", "bench", "check", "docs", "screenshots", "python.sh"]
VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"


def fake(place: Path, name: str, script: str) -> Path:
    command = place / name
    command.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    command.chmod(0o755)
    return command


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A directory to be the whole PATH: what the scripts call, and no Python."""
    place = tmp_path / "bin"
    place.mkdir()
    for tool in ("sh", "dirname"):
        found = shutil.which(tool)
        assert found
        (place / tool).symlink_to(found)
    return place


def find_python(tools: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """What the scripts choose."""
    variables = {"PATH": str(tools), "HOME": str(tools), "PYENV_ROOT": str(tools / "no")}
    return subprocess.run(
        ["sh", "-euc", f'. "{SCRIPTS}/python.sh"; find_python; echo "$python"'],
        env=variables | environment,
        capture_output=True,
        text=True,
        check=False,
    )


REAL = f'exec "{sys.executable}" "$@"'
SHIM = "echo 'pyenv: no such version' >&2; exit 127"
NO_VENV = f"""case "$2" in *ensurepip*) exit 1 ;; esac; {REAL}"""


@pytest.mark.parametrize("script", SHELL_SCRIPTS)
def test_shell_scripts_parse(script: str) -> None:
    subprocess.run(["sh", "-n", SCRIPTS / script], check=True)
    assert script == "python.sh" or os.access(SCRIPTS / script, os.X_OK)


def test_the_newest_python_that_starts_is_chosen(tools: Path) -> None:
    fake(tools, "python3.14", SHIM)
    fake(tools, "python3.13", "exit 1")
    fake(tools, "python3.12", REAL)
    fake(tools, "python3.11", REAL)
    assert find_python(tools).stdout == "python3.12\n"


def test_a_python_of_pyenv_is_found_behind_its_failing_shim(tools: Path) -> None:
    fake(tools, "python3.13", SHIM)
    (tools / "versions" / "3.13.0" / "bin").mkdir(parents=True)
    real = fake(tools / "versions" / "3.13.0" / "bin", "python", REAL)
    assert find_python(tools, PYENV_ROOT=str(tools)).stdout == f"{real}\n"


def test_a_python_with_venv_is_preferred(tools: Path) -> None:
    fake(tools, "python3.13", NO_VENV)
    fake(tools, "python3.11", REAL)
    assert find_python(tools).stdout == "python3.11\n"


@pytest.mark.parametrize("wanted", ["3.12", "python3.12", "{tools}/python3.12"])
def test_the_user_chooses_by_version_name_or_path(tools: Path, wanted: str) -> None:
    fake(tools, "python3.14", REAL)
    fake(tools, "python3.12", REAL)
    chosen = find_python(tools, PYTHON=wanted.format(tools=tools)).stdout
    assert chosen.endswith("python3.12\n")


@pytest.mark.parametrize(
    ("pythons", "chosen", "message"),
    [
        ({}, "", "no Python 3.11 or newer was found"),
        ({"python3.12": SHIM}, "", "no Python 3.11 or newer was found"),
        ({"python3.12": SHIM}, "3.12", "no Python 3.12 that starts was found"),
        ({"python3.12": SHIM}, "python3.12", "does not start"),
        ({"python3.12": NO_VENV}, "", "apt install python3-venv"),
        ({"python3": NO_VENV}, "python3", "apt install python3-venv"),
    ],
)
def test_what_is_wrong_is_said(
    tools: Path, pythons: dict[str, str], chosen: str, message: str
) -> None:
    for name, script in pythons.items():
        fake(tools, name, script)
    result = find_python(tools, PYTHON=chosen)
    assert result.returncode == 1
    assert message in result.stderr


def test_uv_makes_up_for_a_missing_venv_module(tools: Path) -> None:
    fake(tools, "python3.12", NO_VENV)
    fake(tools, "uv", "exit 0")
    assert find_python(tools).stdout == "python3.12\n"


def test_requirements_come_from_the_project_file() -> None:
    [mitmproxy] = environment.requirements("run")
    assert mitmproxy.startswith("mitmproxy>=")
    assert {"pytest", "mypy", "mitmproxy"} <= {
        name.partition(">")[0].partition("=")[0] for name in environment.requirements("dev")
    }


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of what the scripts need, in a directory with blanks in its name."""
    root = tmp_path / "a check out"
    root.mkdir()
    shutil.copytree(SCRIPTS, root / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", root)
    monkeypatch.setattr(environment, "ROOT", root)
    monkeypatch.setattr(environment, "CACHE", root / ".cache")
    return root


def test_a_failed_install_is_told_and_leaves_nothing(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = checkout / ".cache" / f"run-{VERSION}"
    broken = [["mkdir", str(place)], ["sh", "-c", "echo no route to host; exit 1"]]
    monkeypatch.setattr(environment, "installers", lambda *_: [broken])
    with pytest.raises(environment.SetupError, match="no route to host"):
        environment.prepare("run")
    assert not place.exists()


def test_the_next_way_is_tried_when_one_fails(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ways = [[["false"]], [["mkdir", "-p", str(checkout / ".cache" / f"run-{VERSION}" / "bin")]]]
    monkeypatch.setattr(environment, "installers", lambda *_: ways)
    assert environment.prepare("run").is_dir()


def test_an_interrupted_setup_is_not_taken_for_a_finished_one(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    builds = []

    def build(place: Path, wanted: list[str]) -> None:
        place.mkdir(exist_ok=True)
        builds.append(wanted)
        if len(builds) == 1:
            raise KeyboardInterrupt

    monkeypatch.setattr(environment, "build", build)
    with pytest.raises(KeyboardInterrupt):
        environment.prepare("run")
    environment.prepare("run")
    assert len(builds) == 2
    environment.prepare("run")
    assert len(builds) == 2, "a finished environment is used again"


def test_a_changed_requirement_makes_a_new_environment() -> None:
    assert environment.stamp(["a>=1"]) == environment.stamp(["a>=1"])
    assert environment.stamp(["a>=1"]) != environment.stamp(["a>=2"])


@pytest.mark.parametrize(
    ("arguments", "started"),
    [(["-p", "80 80"], ["mitmdump", "-p", "80 80"]), (["--web", "-q"], ["mitmweb", "-q"])],
)
def test_run_passes_its_options_on_from_anywhere(
    checkout: Path, tmp_path: Path, arguments: list[str], started: list[str]
) -> None:
    place = checkout / ".cache" / f"run-{VERSION}"
    (place / "bin").mkdir(parents=True)
    tell = f"""exec "{sys.executable}" -c 'import json, sys; print(json.dumps(sys.argv[1:]))'"""
    for tool in ("mitmdump", "mitmweb"):
        fake(place / "bin", tool, f'{tell} {tool} "$@"')
    stamp = environment.stamp(environment.requirements("run"))
    (place / "stamp").write_text(stamp, "utf-8")

    result = subprocess.run(
        [checkout / "scripts" / "run", *arguments],
        cwd=tmp_path,
        env=os.environ | {"PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=True,
    )
    tool, *options = started
    script = ["-s", str(checkout / "addons" / "windsurf.py")]
    assert json.loads(result.stdout) == [tool, *script, *options]


def test_bench_measures_and_writes_figures(tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    result = subprocess.run(
        [SCRIPTS / "bench", "--scale=0.01", "--rounds=1", f"--json={figures}"],
        env=os.environ | {"PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=True,
    )
    tables = json.loads(figures.read_text("utf-8"))
    assert all(table["title"] in result.stdout for table in tables)
    rows = {row["name"]: row["figures"] for table in tables for row in table["rows"]}
    assert {"English prose", "gemini", "196,000 bytes", "anthropic: with the addon"} <= rows.keys()
    assert all(figures for figures in rows.values())
