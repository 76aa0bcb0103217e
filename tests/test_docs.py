"""The documentation says what there is, in words of today, and its examples run."""

import doctest
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

import reference
from mitmproxy_windsurf import cli
from mitmproxy_windsurf.debug.counters import FAMILIES
from mitmproxy_windsurf.debug.metrics import LATENCY, PREFIX
from mitmproxy_windsurf.prompts import load_packs
from mitmproxy_windsurf.proxy.options import OPTIONS, Option

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.rglob("*.md"), *ROOT.glob("*.md")])
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def read(*parts: str) -> str:
    return DOCS.joinpath(*parts).read_text("utf-8")


def without_code(text: str) -> str:
    return FENCED.sub("", text)


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = HEADING.findall(without_code(page.read_text("utf-8")))
    return {
        re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings
    }


@pytest.mark.parametrize("page", sorted(reference.GENERATED))
def test_generated_tables_are_current(page: str) -> None:
    text = read("reference", page)
    assert text == reference.current(page, text), "run scripts/docs"


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_every_option_and_environment_switch_is_in_the_reference(option: Option) -> None:
    text = read("reference", "options.md")
    assert f"`{option.name}`" in text
    assert option.environment is None or f"`{option.environment}`" in text


def test_every_rule_is_in_the_reference() -> None:
    text = read("reference", "rules.md")
    for pack in load_packs():
        for rule in pack.rules:
            assert f"#### `{rule.id}`" in text
            assert rule.summary in text


def test_every_command_is_in_the_reference(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    commands = re.findall(r"^    (\w+)  ", capsys.readouterr().out, re.MULTILINE)
    assert commands
    for command in commands:
        assert f"| `{command} [" in read("reference", "command-line.md")


@pytest.mark.parametrize("command", reference.all_commands(), ids=reference.usage)
def test_every_mitmproxy_command_is_in_the_reference(command: Callable[..., object]) -> None:
    assert f"| `{reference.usage(command)}` |" in read("reference", "commands.md")


def test_commands_can_be_called_by_the_web_api() -> None:
    """Its route takes lower-case letters and dots."""
    for command in reference.all_commands():
        name = reference.usage(command).partition(" ")[0]
        assert re.fullmatch(r"windsurf\.[a-z.]+", name), name


def test_mitmproxy_commands_named_in_the_docs_exist() -> None:
    known = {reference.usage(command).partition(" ")[0] for command in reference.all_commands()}
    for page in PAGES:
        named = re.findall(r"`:?(windsurf\.[a-z.]+)\b(?!\.py)", page.read_text("utf-8"))
        assert set(named) - {"windsurf.py"} <= known, page


def test_options_named_in_the_docs_exist() -> None:
    known = {option.name for option in OPTIONS}
    known |= {f"{PREFIX}{family.name}_total" for family in FAMILIES}
    known |= {f"{LATENCY}{part}" for part in ("", "_bucket", "_sum", "_count")}
    switches = {option.environment for option in OPTIONS}
    for page in PAGES:
        text = page.read_text("utf-8")
        assert set(re.findall(r"\bwindsurf_\w+", text)) - {"windsurf_"} <= known, page
        assert set(re.findall(r"\bWINDSURFAPI_\w+", text)) <= switches, page


@pages
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(without_code(page.read_text("utf-8"))):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


@pages
def test_commands_exist(page: Path) -> None:
    """Whatever a page tells to run from the checkout is there."""
    for language, code in FENCED.findall(page.read_text("utf-8")):
        if language == "sh":
            for word in shlex.split(code, comments=True):
                if word.startswith(("scripts/", ".ci/", "addons/")):
                    assert (ROOT / word).exists(), word


@pytest.mark.parametrize("name", ["reference/api.md"])
def test_python_examples_run(name: str) -> None:
    results = doctest.testfile(str(DOCS / name), module_relative=False, encoding="utf-8")
    assert results.attempted
    assert not results.failed


def test_every_page_is_in_the_table_of_contents() -> None:
    contents = read("README.md")
    for page in DOCS.rglob("*.md"):
        if page != DOCS / "README.md":
            assert f"({page.relative_to(DOCS)})" in contents
