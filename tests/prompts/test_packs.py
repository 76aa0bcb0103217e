"""The shipped packs: each rule has examples of both kinds, and each example comes out."""

import pytest

from mitmproxy_windsurf.prompts import Example, Rule, RuleSet, load_packs
from mitmproxy_windsurf.prompts.neutralize import neutralize
from mitmproxy_windsurf.prompts.rules import GROUPS

PACKS = load_packs()
RULES = [rule for pack in PACKS for rule in pack.rules]
EXAMPLES = [
    pytest.param(rule, example, id=f"{rule.id}-{number}")
    for rule in RULES
    for number, example in enumerate(rule.examples, 1)
]
OPENINGS = {"cline", "codex", "gemini", "qwen", "opencode", "crush"}


def alone(rule: Rule) -> RuleSet:
    return RuleSet(enabled=[rule.id], disabled=[other.id for other in RULES if other != rule])


def everything() -> RuleSet:
    return RuleSet(enabled=[rule.id for rule in RULES])


@pytest.mark.parametrize(("rule", "example"), EXAMPLES)
def test_an_example_comes_out_as_it_says(rule: Rule, example: Example) -> None:
    for target in rule.targets:
        assert neutralize(example.before, target=target, rules=alone(rule)).text == example.after


@pytest.mark.parametrize(("rule", "example"), EXAMPLES)
def test_what_came_out_stays(rule: Rule, example: Example) -> None:
    for target in rule.targets:
        for rules in (alone(rule), everything()):
            once = neutralize(example.before, target=target, rules=rules)
            again = neutralize(once.text, target=target, rules=rules)
            assert again.text == once.text
            assert not again.edits


@pytest.mark.parametrize(("rule", "example"), EXAMPLES)
def test_a_rule_leaves_the_targets_alone_that_it_does_not_name(
    rule: Rule, example: Example
) -> None:
    for target in {"system", "tools"} - set(rule.targets):
        result = neutralize(example.before, target="tools" if target == "tools" else "system")
        assert rule.id not in {edit.rule for edit in result.edits}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_says_what_it_is_and_shows_both_sides(rule: Rule) -> None:
    assert rule.summary
    assert rule.evidence
    changing = [example for example in rule.examples if example.before != example.after]
    assert changing
    assert len(changing) < len(rule.examples)


def test_the_rules_of_the_reference_system_are_on() -> None:
    assert {rule.id for rule in RULES if rule.default} == {
        *("a1", "a2", "a3", "a4", "a5", "a6", "a7", "b"),
    }


def test_what_is_not_known_to_trigger_anything_is_off_and_says_so() -> None:
    off = [rule for rule in RULES if not rule.default and not rule.group]
    assert {f"{client}-opening" for client in OPENINGS} <= {rule.id for rule in off}
    assert all(rule.summary.startswith("OFF unless enabled by id") for rule in off)
    assert all("Not known to trigger" in rule.evidence for rule in off)


def test_the_groups() -> None:
    grouped = {group: [r.id for r in RULES if r.group == group] for group in GROUPS}
    assert grouped == {"cline_objective": ["cline-objective"], "cc_aggressive": []}


def test_ids_are_unique_over_all_packs() -> None:
    assert len({rule.id for rule in RULES}) == len(RULES)


def test_no_rule_is_a_regular_expression() -> None:
    assert not [rule.id for rule in RULES for match in rule.matches if match.kind == "regex"]
