"""Write the generated parts of docs/reference anew: what the code knows, as tables.

A page has them between two comments, `<!-- options -->` and `<!-- /options -->`; what stands around
them is written by hand. tests/test_docs.py fails when a page is not what this would write.
"""

from collections.abc import Callable, Iterable
from importlib import import_module
from inspect import Parameter, signature
from operator import attrgetter
from pathlib import Path

from mitmproxy_windsurf.debug.counters import FAMILIES, Family
from mitmproxy_windsurf.debug.metrics import LATENCY, LATENCY_HELP, PREFIX
from mitmproxy_windsurf.prompts import Example, Rule, load_packs
from mitmproxy_windsurf.proxy.addon import Windsurf
from mitmproxy_windsurf.proxy.options import OPTIONS, Option

REFERENCE = Path(__file__).resolve().parent.parent / "docs" / "reference"
LONGEST_EXAMPLE = 320


def options() -> str:
    rows = [
        f"| `{option.name}` | {kind(option)} | {default(option)} | {cell(option.help)} |"
        for option in OPTIONS
    ]
    return table("option", "type", "default", "does", rows=rows)


def kind(option: Option) -> str:
    return {bool: "switch", str: "text"}.get(option.type, "list")


def default(option: Option) -> str:
    value = option.default
    if isinstance(value, bool):
        return "on" if value else "off"
    shown = value if isinstance(value, str) else ", ".join(value)
    return f"`{shown}`" if shown else "–"


def environment() -> str:
    rows = [
        f"| `{option.environment}` | `{option.name}` | {default(option)} |"
        for option in OPTIONS
        if option.environment
    ]
    return table("variable", "option", "default", rows=rows)


def rules() -> str:
    parts = []
    for pack in load_packs():
        parts.append(f"### {Path(pack.path).name}")
        parts += [described(rule) for rule in pack.rules]
    return "\n\n".join(parts)


def described(rule: Rule) -> str:
    state = "on" if rule.default else "off"
    group = f", with the group `{rule.group}`" if rule.group else ""
    kinds = ", ".join(dict.fromkeys(match.kind for match in rule.matches))
    facts = f"{kinds} in {' and '.join(rule.targets)} · {state} by default{group}"
    lines = [f"#### `{rule.id}`", f"{rule.summary}.", facts + "."]
    if rule.evidence:
        lines.append(f"Evidence: {rule.evidence}")
    shown = next(filter(is_short, rule.examples), None)
    if shown:
        lines.append(f"```diff\n{diff(shown)}\n```")
    return "\n\n".join(lines)


def is_short(example: Example) -> bool:
    return example.before != example.after and len(example.before) <= LONGEST_EXAMPLE


def diff(example: Example) -> str:
    before = [f"- {line}".rstrip() for line in example.before.strip("\n").split("\n")]
    after = [f"+ {line}".rstrip() for line in example.after.strip("\n").split("\n")]
    return "\n".join([*before, *after])


def table(*heads: str, rows: Iterable[str]) -> str:
    return "\n".join([f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}", *rows])


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def limits() -> str:
    rows = [
        f"| {what} | {amount(attrgetter(name)(import_module(f'mitmproxy_windsurf.{module}')))} |"
        for what, module, name in LIMITS
    ]
    return table("limit", "value", rows=rows)


LIMITS = [
    ("an event of a stream (`windsurf_max_frame`)", "rewriter", "Layers.max_frame"),
    ("reasoning that an answer is compared with", "text.dedup", "LIMIT"),
    ("a sandbox block that goes on in the line of its tag", "text.blocks", "LIMIT"),
    ("a model's name in an answer", "text.identity_leads", "MAX_NAME"),
    ("texts of one answer that are open at once", "rewriter.texts", "MAX_OPEN"),
    ("events that wait for a text to be decided", "rewriter.waiting", "MAX_WAITING"),
    ("changes that are remembered per answer", "rewriter.texts", "MAX_EDITS"),
    ("changes that are noted on a flow", "proxy.record", "MAX_EDITS"),
    ("characters of a change that are noted", "text.edits", "EXCERPT"),
    ("warnings on a flow", "proxy.record", "MAX_WARNINGS"),
    ("bytes that one match of a rule removes without a warning", "prompts.neutralize", "LARGE"),
    ("bytes of a rule pack", "prompts.loader", "MAX_BYTES"),
    ("characters that a `regex` rule matches", "prompts.kinds", "REGEX_REACH"),
    ("characters of signed thinking that are remembered", "rewriter.signatures", "MAX_REMEMBERED"),
    ("series of one counter; further ones are counted together", "debug.counters", "MAX_SERIES"),
    ("rules that nearly matched and are told of", "debug.explain", "MAX_MISSES"),
    ("bytes of a streamed body that can be looked at", "proxy.streaming", "SHOWN"),
    ("bytes of a request to the embedded upstream", "upstream.admission", "MAX_BODY"),
    ("bytes of a backend's whole answer", "upstream.answering", "MAX_WHOLE"),
    ("bytes of the head of a backend's answer", "upstream.client_connection", "MAX_HEAD"),
    ("idle connections to backends", "upstream.connection_pool", "MAX_IDLE"),
    ("bytes of a body that the view LLM reads", "debug.conversation.bodies", "LARGEST"),
    ("characters of one text that the view LLM shows", "debug.outline", "LONGEST"),
    ("lines of a diff that are shown", "debug.changes", "LONGEST"),
]


def amount(value: int) -> str:
    for unit, size in (("Mi", 2**20), ("Ki", 2**10)):
        if value % size == 0:
            return f"{value // size:,} {unit}"
    return f"{value:,}"


def commands() -> str:
    rows = [
        f"| `{usage(command)}` | {cell(' '.join((command.__doc__ or '').split()))} |"
        for command in all_commands()
    ]
    return table("command", "does", rows=rows)


def all_commands() -> list[Callable[..., object]]:
    """Every command of the addon and of those below it, by name."""
    addon = Windsurf()
    members = [member for part in (addon, *addon.addons) for member in vars(type(part)).values()]
    found = [member for member in members if hasattr(member, "command_name")]
    return sorted(found, key=attrgetter("command_name"))


def usage(command: Callable[..., object]) -> str:
    _, *parameters = signature(command).parameters.values()  # without self
    words = [
        parameter.name.upper()
        if parameter.default is Parameter.empty
        else f"[{parameter.name.upper()}]"
        for parameter in parameters
    ]
    return " ".join([attrgetter("command_name")(command), *words])


def metrics() -> str:
    rows = [
        f"| `{PREFIX}{family.name}_total` | counter | {labels(family)} | {cell(family.help)} |"
        for family in FAMILIES
    ]
    rows.append(f"| `{LATENCY}` | histogram | `le` | {cell(LATENCY_HELP)} |")
    return table("metric", "type", "labels", "counts", rows=rows)


def labels(family: Family) -> str:
    return ", ".join(f"`{label}`" for label in family.labels) or "–"


GENERATED: dict[str, dict[str, Callable[[], str]]] = {
    "options.md": {"options": options, "environment": environment},
    "rules.md": {"rules": rules},
    "limits.md": {"limits": limits},
    "commands.md": {"commands": commands},
    "metrics.md": {"metrics": metrics},
}


def current(page: str, text: str) -> str:
    """The page with its generated parts as they should be."""
    for name, write in GENERATED[page].items():
        before, opening, rest = text.partition(f"<!-- {name} -->\n")
        _, closing, after = rest.partition(f"<!-- /{name} -->")
        if not closing:
            raise ValueError(f"{page} has no place for {name}")
        text = f"{before}{opening}\n{write()}\n\n{closing}{after}"
    return text


def main() -> None:
    for page in GENERATED:
        path = REFERENCE / page
        path.write_text(current(page, path.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
