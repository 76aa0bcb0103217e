"""Prompts made of triggers, halves of triggers, and what may stand around and in them."""

from hypothesis import strategies as st

from mitmproxy_windsurf.prompts import RuleSet

RULES = RuleSet().rules
EVERYTHING = RuleSet(enabled=[rule.id for rule in RULES])
"""All shipped rules, those too that are off by default."""

EXAMPLES = sorted(
    {
        text
        for rule in RULES
        for example in rule.examples
        for text in (example.before, example.after)
    }
)
GLUE = [
    *(" ", "\n", "\n\n", "\r\n", "\t", "\u00a0", ". ", "; ", ", ", ",", "'", "’", '"', "(", ")"),
    *("\n - ", "\n1. ", "\n# ", ":\n    ", "    ", "**", "*", "_", "`", "```\n", "\n```\n"),
    *("<executing_actions_with_care>", "</executing_actions_with_care>\n", "/", "-", "$ "),
    *("x-anthropic-billing-header: cc_version=1;", "released by xAI", "use cases", "Claude"),
    *("You are ", "The exact model ID is ", "You are powered by the model named X"),
    *("Fast mode for Claude Code", "Fast mode for Claude Code is on.", "security research."),
    *("Claude Code is available as a CLI", "IMPORTANT: Assist with authorized security testing"),
    *("FREEFORM tool", "Keep this rule.", "Never push to main", "naïve 你好 🙂"),
]


@st.composite
def _piece(draw: st.DrawFn) -> str:
    text = draw(st.sampled_from(EXAMPLES))
    start = draw(st.integers(0, len(text)))
    kind = draw(st.sampled_from(["whole", "part", "interrupted"]))
    if kind == "part":
        return text[start : start + draw(st.integers(0, len(text)))]
    if kind == "interrupted":
        return text[:start] + draw(st.sampled_from(GLUE + EXAMPLES)) + text[start:]
    return text


prompts = st.lists(st.one_of(_piece(), st.sampled_from(GLUE)), max_size=7).map("".join)

harmless = st.text(st.characters(exclude_characters="CFGIRTYWacdeorx", codec="utf-8"), max_size=80)
"""Texts without the letters that rules begin with, and without others that they need."""
