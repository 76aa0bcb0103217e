"""Which rules are in use, and how files are taken up while the proxy runs."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from mitmproxy_windsurf.prompts import PackError, RuleSet, loader, ruleset
from mitmproxy_windsurf.prompts.neutralize import neutralize

Write: TypeAlias = Callable[[str], None]

TRIGGER = "You are Claude Code, Anthropic's official CLI for Claude."


def rule(name: str, words: str, replacement: str, extra: str = "") -> str:
    return (
        f'[[rule]]\nid = "{name}"\nkind = "phrase"\nwords = "{words}"\n'
        f'replacement = "{replacement}"\n{extra}\n'
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "mine.toml"


@pytest.fixture
def write(file: Path) -> Write:
    """Writes the file; each time with a later time stamp, however coarse the clock is."""
    stamp = 1_000_000_000

    def save(text: str) -> None:
        nonlocal stamp
        stamp += 1
        file.write_text(text, "utf-8")
        os.utime(file, ns=(stamp, stamp))

    return save


def text(rules: RuleSet, given: str) -> str:
    return neutralize(given, rules=rules).text


def test_users_rules_stand_beside_the_shipped_ones(file: Path, write: Write) -> None:
    write(rule("mine", "Foo", "Bar"))
    assert text(RuleSet([file]), f"Foo. {TRIGGER}") == "Bar. You are an AI coding assistant."


def test_a_users_rule_replaces_a_shipped_one_of_its_id(file: Path, write: Write) -> None:
    write(rule("a1", "Foo", "Bar"))
    rules = RuleSet([file])
    assert text(rules, f"Foo. {TRIGGER}") == f"Bar. {TRIGGER}"
    assert rules.source("a1") == str(file)
    assert rules.source("a2").endswith("claude-code.toml")


def test_of_two_files_the_later_one_counts(tmp_path: Path) -> None:
    paths = [tmp_path / "1.toml", tmp_path / "2.toml"]
    for number, path in enumerate(paths, 1):
        path.write_text(rule("mine", "Foo", f"Bar{number}"), "utf-8")
    assert text(RuleSet(paths), "Foo") == "Bar2"


def test_rules_are_switched_by_id() -> None:
    assert text(RuleSet(disabled=["a1"]), TRIGGER) == TRIGGER
    given = "You are Crush, a powerful AI Assistant that runs in the CLI."
    assert text(RuleSet(), given) == given
    assert text(RuleSet(enabled=["crush-opening"]), given) == "You are an AI coding assistant."


def test_disabled_beats_enabled_and_a_group() -> None:
    given = "Remember, you have extensive capabilities here."
    on = RuleSet(groups=["cline_objective"])
    assert text(RuleSet(), given) == given
    assert text(on, given) == "Use your tools as each goal needs."
    off = RuleSet(groups=["cline_objective"], disabled=["cline-objective"])
    assert text(off, given) == given
    both = RuleSet(enabled=["cline-objective"], disabled=["cline-objective"])
    assert text(both, given) == given


def test_users_put_unproven_rules_in_a_group(file: Path, write: Write) -> None:
    write(rule("mine", "Foo", "Bar", 'group = "cc_aggressive"'))
    assert text(RuleSet([file]), "Foo") == "Foo"
    assert text(RuleSet([file], groups=["cc_aggressive"]), "Foo") == "Bar"


def test_an_unknown_group_is_an_error() -> None:
    with pytest.raises(ValueError, match="no such group"):
        RuleSet(groups=["cc_agressive"])


def test_an_unknown_id_is_said_once() -> None:
    rules = RuleSet(disabled=["a1", "a9"], enabled=["zz"])
    assert rules.refresh() == ["no rule is called 'a9'", "no rule is called 'zz'"]
    assert rules.refresh() == []
    assert rules.problems == ["no rule is called 'a9'", "no rule is called 'zz'"]


def test_a_file_that_changes_is_taken_up(file: Path, write: Write) -> None:
    write(rule("mine", "Foo", "Bar"))
    rules = RuleSet([file])
    assert rules.refresh() == []
    assert text(rules, "Foo") == "Bar"
    write(rule("mine", "Foo", "Baz"))
    assert rules.refresh() == []
    assert text(rules, "Foo") == "Baz"


def test_a_change_counts_only_after_a_refresh(file: Path, write: Write) -> None:
    write(rule("mine", "Foo", "Bar"))
    rules = RuleSet([file])
    assert text(rules, "Foo") == "Bar"
    write(rule("mine", "Foo", "Baz"))
    assert text(rules, "Foo") == "Bar"


def test_a_bad_version_is_said_once_and_the_last_good_one_stays(file: Path, write: Write) -> None:
    write(rule("mine", "Foo", "Bar"))
    rules = RuleSet([file])
    rules.refresh()
    write("[[rule")
    [message] = rules.refresh()
    assert str(file) in message
    assert message.endswith("; its last good rules stay in use")
    assert rules.refresh() == []
    assert text(rules, "Foo") == "Bar"
    write(rule("mine", "Foo", "Baz"))
    assert rules.refresh() == []
    assert rules.problems == []
    assert text(rules, "Foo") == "Baz"


def test_the_same_fault_is_said_again_after_it_was_mended(file: Path, write: Write) -> None:
    rules = RuleSet([file])
    write("[[rule")
    assert len(rules.refresh()) == 1
    write(rule("mine", "Foo", "Bar"))
    assert rules.refresh() == []
    write("[[rule")
    assert len(rules.refresh()) == 1


def test_a_file_that_is_bad_from_the_start_costs_only_itself(file: Path, write: Write) -> None:
    write("[[rule")
    rules = RuleSet([file])
    [message] = rules.refresh()
    assert "last good" not in message
    assert text(rules, TRIGGER) != TRIGGER


def test_a_missing_file_is_said_and_taken_up_when_it_comes(file: Path, write: Write) -> None:
    rules = RuleSet([file])
    [message] = rules.refresh()
    assert "cannot be read" in message
    write(rule("mine", "Foo", "Bar"))
    assert rules.refresh() == []
    assert text(rules, "Foo") == "Bar"


def test_faults_are_said_although_rules_were_used_before(file: Path, write: Write) -> None:
    write("[[rule")
    rules = RuleSet([file])
    text(rules, "Foo")
    assert len(rules.refresh()) == 1


def test_an_unchanged_file_is_not_read_again(
    file: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(rule("mine", "Foo", "Bar"))
    rules = RuleSet([file])
    rules.refresh()
    monkeypatch.setattr(ruleset, "load_pack", lambda path: pytest.fail("it is read again"))
    assert [rules.refresh() for _ in range(3)] == [[], [], []]


def test_nothing_is_read_before_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ruleset, "load_pack", lambda path: pytest.fail("it is read"))
    RuleSet(["missing.toml"])


def test_shipped_packs_that_cannot_be_loaded_are_a_message(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail() -> None:
        raise PackError(["no tomllib"])

    monkeypatch.setattr(ruleset, "load_packs", fail)
    ruleset._shipped.cache_clear()
    try:
        rules = RuleSet()
        assert rules.refresh() == ["no tomllib"]
        assert text(rules, TRIGGER) == TRIGGER
    finally:
        ruleset._shipped.cache_clear()


def test_a_path_may_start_with_a_tilde(
    file: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(file.parent))
    monkeypatch.setenv("USERPROFILE", str(file.parent))
    write(rule("mine", "Foo", "Bar"))
    assert text(RuleSet(["~/mine.toml"]), "Foo") == "Bar"


def test_the_shipped_packs_are_data_of_the_package() -> None:
    assert all(path.parent == loader.SHIPPED for path in loader.SHIPPED.glob("*.toml"))
    assert list(loader.SHIPPED.glob("*.toml"))


def test_a_switched_set_differs_in_what_was_switched_only(file: Path, write: Write) -> None:
    write(rule("mine", "Foo", "Bar"))
    rules = RuleSet([file], disabled=["a1"])
    switched = rules.switched(on=["a1"], off=["mine"])
    assert text(rules, f"Foo. {TRIGGER}") == f"Bar. {TRIGGER}"
    assert text(switched, f"Foo. {TRIGGER}") == "Foo. You are an AI coding assistant."
    states = [{rule.id: each.is_on(rule) for rule in each.rules} for each in (rules, switched)]
    assert states[0] | {"a1": True, "mine": False} == states[1]
