"""What the demo answers to which prompt: a table, and the few answers that depend on more."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mitmproxy_windsurf.upstream.demo import script
from mitmproxy_windsurf.upstream.demo.ask import Ask
from mitmproxy_windsurf.upstream.demo.gates import GATES
from mitmproxy_windsurf.upstream.demo.parts import Cut, Failure, Part, Text, Thinking
from mitmproxy_windsurf.upstream.demo.tools import choose

LONGEST_PROMPT = 400
"""A longer prompt is a real task, in which a keyword means nothing."""

LONGEST_QUOTE = 400

Play = Callable[[Ask], Sequence[Part]]


@dataclass(frozen=True, slots=True)
class Scenario:
    """Played when one of its keywords is in the prompt. The first part being a failure makes it an
    HTTP error."""

    keywords: tuple[str, ...]
    summary: str
    play: Play
    tempo: float = 1.0

    def fits(self, prompt: str) -> bool:
        return any(re.search(bounded(keyword), prompt) for keyword in self.keywords)


def bounded(keyword: str) -> str:
    """Latin words count as whole words only; Chinese is written without spaces."""
    escaped = re.escape(keyword)
    return rf"\b{escaped}\b" if keyword.isascii() else escaped


def says(*parts: Part) -> Play:
    return lambda ask: parts


def welcome(ask: Ask) -> Sequence[Part]:
    thinking = (Thinking(script.WELCOME_THINKING),) if ask.want_thinking else ()
    return (*thinking, Text(script.WELCOME))


def call_tool(ask: Ask) -> Sequence[Part]:
    call = choose(ask.tools)
    if call is None:
        return (Text(script.NO_TOOL),)
    thinking = (Thinking(script.TOOL_THINKING),) if ask.want_thinking else ()
    return (*thinking, Text(script.TOOL), call)


def quote_results(ask: Ask) -> Sequence[Part]:
    quoted = "\n\n".join(ask.results)[:LONGEST_QUOTE]
    return (Text(script.RESULT.format(quoted.replace("\n", "\n> "))),)


def list_scenarios(ask: Ask) -> Sequence[Part]:
    lines = ["The demo backend answers to these words:", ""]
    lines += [
        f"- {', '.join(f'`{word}`' for word in scenario.keywords)}: {scenario.summary}"
        for scenario in SCENARIOS
    ]
    lines += [f"- anything else: {WELCOME.summary}", f"- tool results: {RESULTS.summary}"]
    lines += ["", "It refuses a system prompt or a tool description that contains:", ""]
    for gate in GATES:
        refused, total = gate.share
        often = "" if refused == total else f", {refused} times out of {total}"
        behind = ", behind a status of 200 if streamed" if gate.in_stream else ""
        phrases = " and ".join(f"`{phrase}`" for phrase in gate.phrases)
        lines.append(f"- {phrases}: {gate.failure.status}{often}{behind}")
    return (Text("\n".join(lines) + "\n"),)


SCENARIOS = (
    Scenario(
        ("paths",),
        "private paths in every spelling, and their look-alikes",
        says(Text(script.PATHS)),
    ),
    Scenario(("block", "blocks"), "sandbox blocks in the text", says(Text(script.BLOCK))),
    Scenario(
        ("who are you", "identity", "你是谁"),
        "a false self-introduction",
        says(Text(script.IDENTITY)),
    ),
    Scenario(
        ("think", "thinking"),
        "reasoning first, with leaks in it too",
        says(Thinking(script.THINKING), Text(script.THOUGHT)),
    ),
    Scenario(
        ("double", "twice"),
        "the reasoning again, word for word, as the answer",
        says(Thinking(script.TWICE), Text(script.TWICE)),
    ),
    Scenario(
        ("almost",),
        "nearly the reasoning again, so that nothing may be dropped",
        says(Thinking(script.TWICE), Text(script.ALMOST)),
    ),
    Scenario(("tool", "tools"), "a call of one of the client's tools", call_tool),
    Scenario(("json",), "a JSON answer with paths in it", says(Text(script.JSON))),
    Scenario(("record",), "a record in place of an answer", says(Text(script.RECORD))),
    Scenario(("chinese", "中文"), "an answer in Chinese", says(Text(script.CHINESE))),
    Scenario(("code",), "fenced code, where only paths change", says(Text(script.CODE))),
    Scenario(
        ("http error",),
        "an HTTP error that names a private path",
        says(Failure(502, "api_error", script.NOT_REACHED)),
    ),
    Scenario(
        ("error",),
        "an error frame in mid-stream",
        says(Text(script.UNFINISHED), Failure(500, "api_error", script.WORKER_DIED)),
    ),
    Scenario(
        ("abort",), "a connection that breaks in mid-stream", says(Text(script.UNFINISHED), Cut())
    ),
    Scenario(("long",), "a long answer, fast", says(Text(script.LONG)), tempo=0.1),
    Scenario(("slow",), "a short answer, slowly", says(Text(script.SLOW)), tempo=10),
    Scenario(("help",), "this list", list_scenarios),
)

WELCOME = Scenario((), "one leak of each kind", welcome)
RESULTS = Scenario((), "a quotation of the results", quote_results)


def choose_scenario(ask: Ask) -> Scenario:
    """Tool results come first, then the prompt as a whole, then a word in it."""
    if ask.results:
        return RESULTS
    prompt = " ".join(ask.prompt.casefold().split())
    if len(prompt) > LONGEST_PROMPT:
        return WELCOME
    exact = (scenario for scenario in SCENARIOS if prompt in scenario.keywords)
    fitting = (scenario for scenario in SCENARIOS if scenario.fits(prompt))
    return next(exact, None) or next(fitting, WELCOME)
