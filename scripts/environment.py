"""Make the virtual environment that a script needs, unless it is there already; print its bin.

`run` has mitmproxy and nothing else, `dev` has what tests and checks need too, `litellm` has the
LiteLLM proxy and nothing of ours. What goes in is read from pyproject.toml; the project itself is
not installed, since `-s` loads it from the checkout. One environment per kind and Python version
lies in .cache. It counts only with its stamp, which is written last, so that whatever interrupts
the work leaves nothing that looks finished.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache"
EXTRAS = {"run": (), "dev": ("test", "sdk", "lint"), "litellm": ("litellm",)}
APART = {"litellm"}  # its dependencies and mitmproxy's do not agree


class SetupError(Exception):
    """What went wrong, in words for the person who started the script."""


def requirements(kind: str) -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    own = [] if kind in APART else project["dependencies"]
    return sum((extras[name] for name in EXTRAS[kind]), list(own))


def stamp(wanted: list[str]) -> str:
    """Changes with everything that makes an existing environment the wrong one."""
    facts = [sys.version, sys.base_prefix, str(ROOT), *wanted]
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()


def installers(place: Path, wanted: list[str]) -> list[list[list[str]]]:
    """The ways to build the environment, best first, each as a list of commands."""
    python = str(place / "bin" / "python")
    pip = [python, "-m", "pip", "--disable-pip-version-check", "--no-input"]
    ways = [
        [
            [sys.executable, "-m", "venv", "--clear", str(place)],
            [*pip, "install", "--quiet", "--retries=2", *wanted],
        ]
    ]
    if uv := shutil.which("uv"):
        ways.insert(
            0,
            [
                [uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(place)],
                [uv, "pip", "install", "--quiet", "--python", python, *wanted],
            ],
        )
    return ways


def build(place: Path, wanted: list[str]) -> None:
    log = place.with_name(f"{place.name}.log")
    for commands in installers(place, wanted):
        shutil.rmtree(place, ignore_errors=True)
        with log.open("w", encoding="utf-8") as output:
            for command in commands:
                if subprocess.call(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output):
                    break
            else:
                return
    shutil.rmtree(place, ignore_errors=True)
    tail = "\n".join(log.read_text(encoding="utf-8", errors="replace").split("\n")[-12:])
    raise SetupError(
        f"{tail.strip()}\n\nCould not set up {place}; the whole output is in {log}.\n"
        "Is the network there, and the package index? Nothing was left half done: try again."
    )


def prepare(kind: str) -> Path:
    wanted = requirements(kind)
    expected = stamp(wanted)
    place = CACHE / f"{kind}-{sys.version_info.major}.{sys.version_info.minor}"
    mark = place / "stamp"

    def finished() -> bool:
        return mark.is_file() and mark.read_text(encoding="utf-8") == expected

    if not finished():
        CACHE.mkdir(exist_ok=True)
        with place.with_name(f"{place.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # two scripts at once: the second one waits
            if not finished():
                print(f"Setting up {place} (only once) …", file=sys.stderr)
                build(place, wanted)
                mark.write_text(expected, encoding="utf-8")
    return place / "bin"


def main() -> int:
    # Neither may leak into the environment that is made here.
    for name in ("PYTHONHOME", "PYTHONPATH", "__PYVENV_LAUNCHER__"):
        os.environ.pop(name, None)
    try:
        print(prepare(sys.argv[1]))
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(
            "\nInterrupted. Nothing was left half done: start again at any time.", file=sys.stderr
        )
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
