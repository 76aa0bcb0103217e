"""Layer 1: the rules that rewrite prompts, as data, and what applies them."""

from mitmproxy_windsurf.prompts.loader import load_packs
from mitmproxy_windsurf.prompts.neutralize import Neutralized, neutralize_parts
from mitmproxy_windsurf.prompts.rules import Example, PackError, Rule, RulePack
from mitmproxy_windsurf.prompts.ruleset import RuleSet

__all__ = [
    "Example",
    "Neutralized",
    "PackError",
    "Rule",
    "RulePack",
    "RuleSet",
    "load_packs",
    "neutralize_parts",
]
