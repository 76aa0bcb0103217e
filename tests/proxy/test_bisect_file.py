"""`mitmproxy-windsurf bisect`: on saved flows and on bodies."""

import asyncio
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from mitmproxy import io
from mitmproxy.test import tflow, tutils

from bisect_requests import anthropic, prompt
from mitmproxy_windsurf import cli
from mitmproxy_windsurf.proxy.bisect_file import PATHS, Wishes, bisect_file
from proxy.conftest import StartUpstream
from proxy.http1 import Out, Request, Upstream
from proxy.messages import MESSAGES

HERON = "The copper heron counts the tides at noon."
KEY = "sk-ant-planted-0123456789abcdef"
untyped: Any = io


def body(*planted: str) -> bytes:
    return anthropic(prompt(random.Random(5), 1000, *planted), stream=False)


async def gate(request: Request, out: Out) -> None:
    refused = HERON.encode() in request.body
    await out.body(b'{"error":{"message":"no"}}' if refused else b"{}", 529 if refused else 200)


@pytest.fixture
async def upstream(start_upstream: StartUpstream) -> Upstream:
    return await start_upstream(gate)


def saved(path: Path, *flows: Any) -> Path:
    with path.open("wb") as file:
        writer = untyped.FlowWriter(file)
        for flow in flows:
            writer.add(flow)
    return path


def flow(upstream: Upstream, content: bytes, status: int, path: str = MESSAGES) -> Any:
    request = tutils.treq(
        method=b"POST",
        scheme=b"http",
        host="127.0.0.1",
        port=int(upstream.url.rpartition(":")[2]),
        path=path.encode(),
        headers=((b"x-api-key", KEY.encode()), (b"host", b"elsewhere.example")),
        content=content,
    )
    return tflow.tflow(req=request, resp=tutils.tresp(status_code=status, content=b"{}"))


async def run(*arguments: str) -> int:
    """The command, in a thread: it has an event loop of its own."""
    return await asyncio.to_thread(cli.main, ["bisect", "--pause", "0", *arguments])


async def test_the_last_blocked_flow_is_searched_with_its_key(
    upstream: Upstream, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = saved(
        tmp_path / "flows.mitm",
        flow(upstream, body(), 529),
        flow(upstream, body(HERON), 529),
        flow(upstream, body(), 200),
        flow(upstream, b"{}", 529, "/v1/files"),
    )
    assert await run(str(file)) == 0
    told = capsys.readouterr()
    assert f'# trigger: "{HERON}" at system' in told.out
    assert "request 1 of at most 60: blocked (HTTP 529)" in told.err
    assert {request.headers["x-api-key"] for request in upstream.requests} == {KEY}
    assert KEY not in told.out + told.err
    pack = tmp_path / "found.toml"
    pack.write_text(told.out, "utf-8")
    assert cli.main(["check", str(pack)]) == 0, "what it prints is a pack as it is"


async def test_a_body_gets_its_key_from_the_environment(
    upstream: Upstream,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    file = tmp_path / "body.json"
    file.write_bytes(body(HERON))
    assert await run(str(file), "--url", f"{upstream.url}/v1", "--key-variable", "MY_KEY") == 0
    first = upstream.requests[0]
    assert first.target == "/v1/messages"
    assert first.headers["x-api-key"] == KEY
    assert first.headers["anthropic-version"]
    told = capsys.readouterr()
    assert KEY not in told.out + told.err


async def test_a_saved_flow_can_be_sent_elsewhere(upstream: Upstream, tmp_path: Path) -> None:
    dead = flow(upstream, body(HERON), 529)
    dead.request.port = 1
    file = saved(tmp_path / "flows.mitm", dead)
    assert await run(str(file)) == 1
    assert not upstream.requests
    assert await run(str(file), "--url", upstream.url) == 0


async def test_the_budget_and_the_pattern_are_those_that_are_given(
    upstream: Upstream, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = saved(tmp_path / "flows.mitm", flow(upstream, body(), 200))
    assert await run(str(file), "--requests", "3", "--pattern", r"\{\}") == 1
    assert len(upstream.requests) == 3
    assert "the budget of 3 requests is used up" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("document", "protocol"),
    [
        ('{"system":"a","messages":[]}', "anthropic"),
        ('{"messages":[{"role":"system","content":"a"}]}', "openai_chat"),
        ('{"instructions":"a","input":"b"}', "openai_responses"),
        ('{"model":"m","contents":[],"systemInstruction":{"parts":[{"text":"a"}]}}', "gemini"),
        ('{"messages":[{"role":"system","content":"a"}],"options":{}}', "ollama"),
    ],
)
async def test_the_protocol_of_a_body_is_told_by_its_members(
    document: str, protocol: str, upstream: Upstream, tmp_path: Path
) -> None:
    file = tmp_path / "body.json"
    file.write_text(document, "utf-8")
    assert await run(str(file), "--url", upstream.url) == 1
    assert upstream.requests[0].target == PATHS[protocol].format(model="m")


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (b"{", (), "is no JSON"),
        (b"nothing", (), "is neither a file of flows nor JSON"),
        (b"", (), "has no request for an answer of a model"),
        (b"{}", (), "give --url"),
        (b"{}", ("--url", "x"), "--url is not an http or https URL"),
        (b"{}", ("--url", "http://h", "--protocol", "smtp"), "'smtp' is none of anthropic"),
        (b"{}", ("--url", "http://h"), "no system prompt and no tools"),
        (b"{}", ("--requests", "none"), "--requests: 'none' is not a number"),
        (b"{}", ("--pattern", "("), "--pattern: '(' is not a regular expression"),
        (b"{}", ("--key-variable", "NO_SUCH_KEY"), "NO_SUCH_KEY is not set"),
    ],
)
def test_what_cannot_be_used_is_told(
    content: bytes,
    options: Sequence[str],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "file"
    file.write_bytes(content)
    assert cli.main(["bisect", str(file), *options]) == 2
    assert message in capsys.readouterr().err


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot be read: No such file"):
        bisect_file(Wishes(tmp_path / "none"), lambda line: None)
