"""The command `mitmproxy-windsurf`: start mitmproxy with the addon, or the upstream alone; check
rules, find triggers.

mitmproxy is started by its own console script, found among what is installed, so that everything
that is not ours (options, help, exit codes) is mitmproxy's.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import TypeVar

from mitmproxy_windsurf.prompts import PackError, RulePack, RuleSet, load_packs
from mitmproxy_windsurf.prompts.neutralize import neutralize
from mitmproxy_windsurf.proxy import values
from mitmproxy_windsurf.upstream.backend import DEMO, parse_backend
from mitmproxy_windsurf.upstream.embedded import Backing
from mitmproxy_windsurf.upstream.model_names import ModelNames, parse_model_names
from mitmproxy_windsurf.upstream.standalone import serve

T = TypeVar("T")

LONGEST_LINE = 500
TOOLS = {"run": "mitmdump", "web": "mitmweb"}


def script() -> Path:
    """What mitmproxy loads: beside the package in a checkout, inside of it when installed."""
    package = Path(__file__).parent
    installed = package / "script" / "windsurf.py"
    return installed if installed.exists() else package.parent / "windsurf.py"


def start(tool: str, options: Sequence[str]) -> int:
    """Run mitmdump or mitmweb with the addon and the user's options."""
    [entry] = metadata.entry_points(group="console_scripts", name=tool)
    sys.argv = [tool, "-s", str(script()), *options]
    code = entry.load()()
    return int(code or 0)


def check(paths: Sequence[Path]) -> int:
    """Validate rule packs and run their examples; without files, the shipped packs."""
    problems: list[str] = []
    count = 0
    for path in paths or [Path(pack.path) for pack in load_packs()]:
        try:
            [pack] = load_packs([path])
        except PackError as error:
            problems += error.problems
            continue
        count += len(pack.rules)
        problems += failing_examples(pack)
    for problem in problems:
        print(problem, file=sys.stderr)
    if not problems:
        print(f"{count} rules are well formed, and their examples come out as they say.")
    return 1 if problems else 0


def failing_examples(pack: RulePack) -> Iterator[str]:
    """A line for each example that its rule, alone, does not turn into what it says."""
    known = {rule.id for rule in RuleSet([pack.path]).rules}
    for rule in pack.rules:
        alone = RuleSet([pack.path], enabled=[rule.id], disabled=known - {rule.id})
        for example in rule.examples:
            for target in rule.targets:
                found = neutralize(example.before, target=target, rules=alone).text
                if found != example.after:
                    yield (
                        f"{pack.path}: rule {rule.id!r}: an example becomes\n"
                        f"  {found!r}\nand not\n  {example.after!r}"
                    )


def bisect(arguments: argparse.Namespace) -> int:
    """Find what in a saved request triggers a refusal, and print a rule against it."""
    from mitmproxy_windsurf.proxy.bisect_file import Wishes, bisect_file  # slow: all of mitmproxy
    from mitmproxy_windsurf.proxy.logs import printable

    def tell(line: str) -> None:
        print(printable(line, LONGEST_LINE), file=sys.stderr, flush=True)

    wishes = Wishes(**{name: getattr(arguments, name) for name in Wishes.__dataclass_fields__})
    try:
        result = bisect_file(wishes, tell)
    except ValueError as error:
        tell(f"mitmproxy-windsurf bisect: {error}")
        return 2
    for line in result.lines():
        print(printable(f"# {line}", LONGEST_LINE))
    if result.toml:
        print(f"\n{result.toml}", end="")
    return 0 if result.proven else 1


def _add_bisect(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("bisect", help="find what in a request triggers a refusal")
    parser.add_argument("file", type=Path, metavar="FILE", help="saved flows, or a body as JSON")
    parser.add_argument("--url", default="", help="the upstream, if not that of the flow")
    parser.add_argument("--protocol", default="", help="of a body, if its members do not tell")
    parser.add_argument("--requests", default="60", help="how many may be sent (60)")
    parser.add_argument("--pause", default="0.5", help="seconds between two requests (0.5)")
    parser.add_argument("--pattern", default="", help="an answer in which it is found is a refusal")
    parser.add_argument(
        "--key-variable", default="", metavar="NAME", help="environment variable with the key"
    )


def upstream(arguments: argparse.Namespace) -> int:
    """Serve the upstream alone, until it is interrupted."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    names = ModelNames(tuple(pair for names in arguments.model for pair in names.pairs))
    backing = Backing(arguments.backend, names, arguments.key_env, arguments.pace)

    def say(line: str) -> None:
        print(line, flush=True)

    try:
        asyncio.run(serve(backing, arguments.host, arguments.port, say))
    except KeyboardInterrupt:
        pass
    except OSError as error:
        where = f"{arguments.host} port {arguments.port}"
        print(f"mitmproxy-windsurf upstream: cannot listen on {where}: {error}", file=sys.stderr)
        return 1
    return 0


def _add_upstream(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("upstream", help="start the embedded upstream without mitmproxy")
    parser.add_argument("--port", type=_read(values.port), default=3003, help="0 takes a free one")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (127.0.0.1)")
    parser.add_argument(
        "--backend", type=_read(parse_backend), default=DEMO, help="a base URL, or demo"
    )
    parser.add_argument(
        "--model",
        action="append",
        type=_read(lambda text: parse_model_names([text])),
        default=[],
        metavar="PATTERN=NAME",
        help="what the backend calls the models that the pattern fits",
    )
    parser.add_argument(
        "--key-env",
        type=_read(values.variable),
        default="",
        metavar="NAME",
        help="environment variable with the backend's key; without it clients' keys are passed on",
    )
    parser.add_argument(
        "--pace", type=_read(values.seconds), default="0.02", help="of the demo, in seconds (0.02)"
    )


def _read(parse: Callable[[str], T]) -> Callable[[str], T]:
    """A parser of an option's value, so that argparse says what is wrong in its words."""

    def read(text: str) -> T:
        try:
            return parse(text)
        except values.Unsaid as error:
            raise argparse.ArgumentTypeError(f"it {error}") from error
        except ValueError as error:
            raise argparse.ArgumentTypeError(f"{text!r} {error}") from error

    return read


def main(arguments: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words and words[0] in TOOLS:
        return start(TOOLS[words[0]], words[1:])
    parser = argparse.ArgumentParser(
        prog="mitmproxy-windsurf",
        description="A rewriting proxy for LLM clients, as an addon of mitmproxy.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, tool in TOOLS.items():  # to be listed: their options are not ours to parse
        commands.add_parser(name, help=f"start {tool} with the addon; options are {tool}'s")
    checking = commands.add_parser("check", help="validate rule packs and run their examples")
    checking.add_argument("files", nargs="*", type=Path, metavar="FILE", help="a pack of rules")
    _add_bisect(commands)
    _add_upstream(commands)
    parsed = parser.parse_args(words)
    match parsed.command:
        case "bisect":
            return bisect(parsed)
        case "upstream":
            return upstream(parsed)
        case _:
            return check(parsed.files)


if __name__ == "__main__":
    sys.exit(main())
