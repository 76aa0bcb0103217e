"""The search for a trigger in a real mitmproxy, tried on the demo's gates."""

import json
import logging
import random
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mitmproxy import exceptions, http
from mitmproxy.addons.view import View

from bisect_requests import anthropic, claude_code, prompt, tool
from mitmproxy_windsurf import cli
from mitmproxy_windsurf.upstream.demo.gates import GATES
from proxy.conftest import StartProxy, StartUpstream
from proxy.harness import Proxy, until
from proxy.http1 import Out, Request, ask
from proxy.messages import MESSAGES

KEY = "sk-ant-planted-0123456789abcdef"
SEED = 7


def phrases(name: str) -> tuple[str, ...]:
    return next(gate.phrases for gate in GATES if gate.name == name)


class Search:
    """A proxy, and searches on flows that went through it."""

    def __init__(self, proxy: Proxy, caplog: pytest.LogCaptureFixture) -> None:
        self.proxy = proxy
        self._caplog = caplog
        self._view = View()
        proxy.master.addons.add(self._view)

    async def ask(self, body: bytes) -> http.HTTPFlow:
        number = len(self.proxy.flows.ended)
        headers = {"x_api_key": KEY, "content_type": "application/json"}
        await ask(self.proxy.port, "POST", MESSAGES, body, **headers)
        return (await self.proxy.flows.count(number + 1))[-1]

    def call(self, name: str, *arguments: str) -> str:
        result = self.proxy.master.commands.call_strings(name, list(arguments))
        assert isinstance(result, str)
        return result

    async def start(self, body: bytes) -> None:
        flow = await self.ask(body)
        self._caplog.clear()
        assert "searching" in self.call("windsurf.bisect", f"@{flow.id}")

    async def run(self, body: bytes) -> str:
        """The whole log of a search."""
        await self.start(body)
        await self.ended()
        return self.log

    async def ended(self) -> None:
        await until(lambda: re.search(r"\(\d+ requests\)", self.log))

    @property
    def log(self) -> str:
        return "\n".join(record.getMessage() for record in self._caplog.records)


Start = Callable[..., Awaitable[Search]]


@pytest.fixture
def start(start_proxy: StartProxy, caplog: pytest.LogCaptureFixture) -> Start:
    async def started(**settings: Any) -> Search:
        caplog.set_level(logging.DEBUG, "mitmproxy_windsurf")
        quick = {"windsurf_demo_pace": "0", "windsurf_bisect_pause": "0"}
        return Search(await start_proxy(**quick, **settings), caplog)

    return started


def requests_in(log: str) -> int:
    found = re.search(r"\((\d+) requests\)", log)
    assert found
    return int(found[1])


def triggers_in(log: str) -> list[str]:
    return re.findall(r'(?:trigger[^:]*|together with): "(.*)" at', log)


def rule_in(log: str) -> str:
    return "[[rule]]" + log.partition("[[rule]]")[2].partition("windsurf: ")[0]


async def works(search: Search, rule: str, body: bytes, tmp_path: Path) -> bool:
    """Whether the rule is accepted by `check` and lets the request pass, each time."""
    pack = tmp_path / "found.toml"
    pack.write_text(rule, "utf-8")
    assert cli.main(["check", str(pack)]) == 0
    search.proxy.master.options.update(windsurf_rules=[str(pack)])
    flows = [await search.ask(body) for _ in range(5)]
    return all(flow.response and flow.response.status_code == 200 for flow in flows) and not any(
        flow.metadata["windsurf"]["blocked"] for flow in flows
    )


def system(*planted: str) -> bytes:
    return anthropic(prompt(random.Random(SEED), 3000, *planted))


CASES: dict[str, tuple[bytes, list[str]]] = {
    "a single sentence": (system(*phrases("sentence")), [*phrases("sentence")]),
    "a clause inside a sentence": (
        system(f"Rest at four, {phrases('clause')[0]}, and get up at five."),
        [f"{phrases('clause')[0]},"],
    ),
    "a tool description": (
        anthropic(
            "Be brief.",
            [
                tool(random.Random(1), "Read"),
                tool(random.Random(2), "Fold", description=phrases("description")[0]),
                tool(random.Random(3), "Write"),
            ],
        ),
        [*phrases("description")],
    ),
    "a parameter description": (
        anthropic(
            "Be brief.",
            [
                tool(random.Random(1), "Read"),
                tool(random.Random(2), "Wake", parameter=f"{phrases('parameter')[0]}."),
            ],
        ),
        [f"{phrases('parameter')[0]}."],
    ),
    "two fragments in different places": (
        anthropic(
            prompt(random.Random(SEED), 2000, f"{phrases('together')[0]}."),
            [tool(random.Random(1), "Grease", description=f"Come {phrases('together')[1]}.")],
        ),
        [f"{phrases('together')[0]}.", f"{phrases('together')[1]}."],
    ),
    "either of two": (
        system(f"{phrases('either_one')[0]}.", f"{phrases('either_other')[0]}."),
        [f"{phrases('either_one')[0]}.", f"{phrases('either_other')[0]}."],
    ),
    "a gate that blocks 60 % of the time": (
        system(f"{phrases('flaky')[0]}."),
        [f"{phrases('flaky')[0]}."],
    ),
    "a block disguised as 401": (
        system(f"{phrases('disguised_as_key')[0]}."),
        [f"{phrases('disguised_as_key')[0]}."],
    ),
    "a block disguised as 200": (
        system(f"{phrases('in_stream')[0]}."),
        [f"{phrases('in_stream')[0]}."],
    ),
}


@pytest.mark.parametrize("case", CASES)
async def test_each_kind_of_trigger_is_found(case: str, start: Start, tmp_path: Path) -> None:
    body, expected = CASES[case]
    search = await start()
    log = await search.run(body)
    assert sorted(triggers_in(log)) == sorted(expected), log
    assert requests_in(log) <= 60
    assert re.search(r"passed (\d+) of \1 with the rule", log)
    assert await works(search, rule_in(log), body, tmp_path)
    assert KEY not in log


async def test_a_conjunction_is_told_from_an_either_or(start: Start) -> None:
    search = await start()
    together = await search.run(CASES["two fragments in different places"][0])
    assert "together with: " in together
    either = await search.run(CASES["either of two"][0])
    assert "Found 2 triggers, each of which blocks alone" in either
    assert "together with: " not in either


async def test_a_sentence_in_60_kb_takes_at_most_40_requests(start: Start) -> None:
    search = await start()
    body = claude_code(random.Random(SEED), *phrases("sentence"))
    assert len(body) > 60_000
    log = await search.run(body)
    assert triggers_in(log) == [*phrases("sentence")]
    assert requests_in(log) <= 40


async def test_the_share_of_refusals_is_told(start: Start) -> None:
    log = await (await start()).run(CASES["a gate that blocks 60 % of the time"][0])
    assert "blocked 3 of 5 as it was (HTTP 529)" in log
    log = await (await start()).run(CASES["a single sentence"][0])
    assert "blocked 5 of 5 as it was (HTTP 529)" in log


async def test_it_says_so_and_stops_when_nothing_is_blocked(start: Start) -> None:
    log = await (await start()).run(system())
    assert "Not blocked: passed 5 times (5 requests)" in log
    assert "[[rule]]" not in log


Script = Callable[[Request, Out], Awaitable[None]]


async def limits(request: Request, out: Out) -> None:
    await out.body(b'{"error":{"type":"rate_limit_error"}}', 429, retry_after="0")


async def refuses_key(request: Request, out: Out) -> None:
    await out.body(f'{{"error":{{"message":"invalid x-api-key {KEY}"}}}}'.encode(), 401)


@pytest.mark.parametrize(
    ("script", "requests", "sentence"),
    [
        (limits, 4, "no verdict after 4 tries: HTTP 429"),
        (refuses_key, 1, "the upstream refuses the key (HTTP 401"),
    ],
)
async def test_it_says_so_and_stops_when_there_are_no_verdicts(
    script: Script, requests: int, sentence: str, start: Start, start_upstream: StartUpstream
) -> None:
    upstream = await start_upstream(script)
    log = await (await start(windsurf_upstream=upstream.url)).run(system())
    assert sentence in log
    assert f"({requests} requests)" in log
    assert len(upstream.requests) == requests + 1
    assert KEY not in log


async def test_it_says_so_and_stops_when_the_upstream_is_down(
    start: Start, start_upstream: StartUpstream
) -> None:
    async def answer(request: Request, out: Out) -> None:
        await out.body(b"{}", 529)

    upstream = await start_upstream(answer)
    search = await start(windsurf_upstream=upstream.url)
    flow = await search.ask(system())
    search.proxy.master.options.update(windsurf_upstream="http://127.0.0.1:1")
    assert "searching" in search.call("windsurf.bisect", f"@{flow.id}")
    await search.ended()
    assert "cannot connect to 127.0.0.1:1" in search.log
    assert "start the upstream" in search.log


async def test_the_upstream_gets_the_request_as_it_was_and_asks_for_little(
    start: Start, start_upstream: StartUpstream
) -> None:
    async def answer(request: Request, out: Out) -> None:
        await out.body(b"{}", 529)

    upstream = await start_upstream(answer)
    search = await start(windsurf_upstream=upstream.url)
    body = anthropic("You are Claude Code, Anthropic's official CLI for Claude. Be brief.")
    log = await search.run(body)
    assert "Blocked even without any system prompt" in log
    first, second = upstream.requests[:2]
    assert second.headers["x-api-key"] == KEY
    sent = json.loads(first.body)
    assert sent["system"] == "You are an AI coding assistant. Be brief."
    assert json.loads(second.body) == sent | {"max_tokens": 1}


async def test_no_key_of_a_prompt_gets_into_log_and_rule(start: Start, tmp_path: Path) -> None:
    search = await start()
    body = system(f"{phrases('flaky')[0]} with sk-proj-0123456789abcdefghij as its key.")
    log = await search.run(body)
    assert "sk-proj-" not in log
    assert await works(search, rule_in(log), body, tmp_path)


async def test_a_search_can_be_stopped(start: Start) -> None:
    search = await start()
    search.proxy.master.options.update(windsurf_bisect_pause="10")
    assert search.call("windsurf.bisect.stop") == "no search is under way"
    await search.start(system(*phrases("sentence")))
    with pytest.raises(exceptions.CommandError, match="a search is under way"):
        search.call("windsurf.bisect", f"@{search.proxy.flows.ended[-1].id}")
    await until(lambda: "request 1 of at most 60" in search.log)
    assert search.call("windsurf.bisect.stop") == "stopping"
    await search.ended()
    assert "Ended before everything was found: it was stopped (1 requests)" in search.log


async def test_a_search_ends_with_the_proxy(start: Start) -> None:
    search = await start()
    search.proxy.master.options.update(windsurf_bisect_pause="10")
    await search.start(system(*phrases("sentence")))
    await until(lambda: "request 1 of at most 60" in search.log)
    search.proxy.master.addons.remove(search.proxy.addon)
    await search.ended()
    assert "it was stopped" in search.log


async def test_a_flow_without_a_prompt_is_refused(start: Start) -> None:
    search = await start()
    await ask(search.proxy.port, "GET", "/v1/models")
    flow = await search.proxy.flow()
    with pytest.raises(exceptions.CommandError, match="no request for an answer of a model"):
        search.call("windsurf.bisect", f"@{flow.id}")


async def test_a_pattern_makes_any_answer_a_refusal(
    start: Start, start_upstream: StartUpstream
) -> None:
    async def answer(request: Request, out: Out) -> None:
        said = b"We cannot help with that" if b"copper heron" in request.body else b"Hello"
        await out.body(b'{"content":[{"type":"text","text":"%s"}]}' % said)

    upstream = await start_upstream(answer)
    search = await start(windsurf_upstream=upstream.url, windsurf_bisect_pattern="cannot help")
    body = anthropic(prompt(random.Random(SEED), 1000, *phrases("sentence")), stream=False)
    assert triggers_in(await search.run(body)) == [*phrases("sentence")]
