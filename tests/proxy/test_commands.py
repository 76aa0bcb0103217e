"""The commands in a real mitmproxy: on flows of the session and on flows from a file."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mitmproxy import exceptions
from mitmproxy.test import tflow

from mitmproxy_windsurf.debug.case import replay
from mitmproxy_windsurf.debug.switches import parse
from mitmproxy_windsurf.proxy.record import recorded
from proxy.conftest import StartProxy, StartUpstream
from proxy.http1 import Out, Request
from proxy.messages import (
    CHAT,
    DONE,
    MARKER,
    NEUTRAL,
    PRIVATE,
    TRIGGER,
    chat_answer,
    chat_request,
)
from proxy.session import Session

NEARLY = "You are Claude Code, the command-line tool."
RULE = '[[rule]]\nid = "{}"\nsummary = "s"\nkind = "phrase"\nwords = "{}"\nreplacement = "hello"\n'


async def leak(request: Request, out: Out) -> None:
    if b'"stream":true' in request.body:
        await out.events("see /tmp/wind", "surf-workspace/src/a.py", " now")
        await out.chunk(DONE)
        await out.end()
    else:
        await out.body(chat_answer(PRIVATE))


@pytest.fixture
async def start(start_proxy: StartProxy, start_upstream: StartUpstream) -> Callable[..., Any]:
    async def started(script: Any = leak, **settings: Any) -> Session:
        upstream = await start_upstream(script)
        return Session(await start_proxy(windsurf_upstream=upstream.url, **settings), upstream)

    return started


Start = Callable[..., Any]


async def test_explain_names_what_was_changed_by_which_rule(start: Start) -> None:
    session = await start()
    flow = await session.ask(chat_request(f"{TRIGGER} {NEARLY}"))
    told = session.call("explain", f"@{flow.id}")
    assert "request: 1 change made" in told
    assert "neutralize rule a1 changed messages[0], 56 → 30 bytes" in told
    assert "    - You are Claude Code, Anthropic's official CLI for Claude" in told
    assert "    + You are an AI coding assistant" in told
    assert "paths rule path changed text" in told
    assert "    + <workspace>" in told
    assert "rule a1 in messages[0]: it goes on in other words" in told
    assert "    > You are Claude" in told


async def test_the_diff_is_text(start: Start) -> None:
    session = await start()
    flow = await session.ask(chat_request(TRIGGER))
    diff = session.call("diff", f"@{flow.id}").split("\n")
    assert "-    content: " + TRIGGER in diff
    assert "+    content: " + NEUTRAL in diff
    assert f"-  see {PRIVATE} now" in diff
    assert f"+  see {MARKER} now" in diff


async def test_in_shadow_mode_everything_says_would_have(start: Start) -> None:
    session = await start(windsurf_shadow=True)
    flow = await session.ask(chat_request(TRIGGER))
    assert session.upstream.requests[0].body == chat_request(TRIGGER)
    assert flow.comment == "shadow, would have: a1×1 · paths×1"
    assert session.view.resolve("~marker :eyes:") == [flow]
    told = session.call("explain", f"@{flow.id}")
    assert "Shadow mode: nothing was changed." in told
    assert "neutralize rule a1 would have changed messages[0]" in told
    assert "this would have been" in session.call("diff", f"@{flow.id}")
    status = session.call("status")
    assert "shadow mode: nothing is changed" in status
    assert "edits that would have been made: 2" in status


async def test_status_tells_what_runs_and_what_has_happened(start: Start) -> None:
    session = await start(windsurf_dedup=False)
    await session.ask(chat_request(TRIGGER))
    status = session.call("status").split("\n")
    assert f"clients: {session.proxy.url}" in status
    assert f"upstream: {session.upstream.url}" in status
    assert "layers: neutralize, paths, identity" in status
    assert "  requests: 1 (openai_chat 1 complete)" in status
    assert "  edits made: 2 (neutralize 1 a1; paths 1 path)" in status


async def test_rules_tell_where_they_come_from_and_what_they_hit(
    start: Start, tmp_path: Path
) -> None:
    own = tmp_path / "own.toml"
    own.write_text(RULE.format("mine", "hi there"), "utf-8")
    session = await start(windsurf_rules=[str(own)], windsurf_disabled_rules=["a2"])
    await session.ask(chat_request(f"{TRIGGER} hi there"))
    rules = {line.split()[0]: line for line in session.call("rules").split("\n")}
    assert re.search(r" on +1 hit  claude-code.toml  ", rules["a1"])
    assert re.search(r" off +0 hits  claude-code.toml  ", rules["a2"])
    assert f" 1 hit  {own}  " in rules["mine"]


async def test_a_flow_that_passed_by_is_explained_as_such(start: Start) -> None:
    session = await start()
    flow = tflow.tflow()
    session.view.add([flow])
    assert "did not go through" in session.call("explain", f"@{flow.id}")
    assert "did not go through" in session.call("diff", f"@{flow.id}")


@pytest.mark.parametrize("name", ["explain", "diff", "recheck", "resend", "cache"])
async def test_flows_that_are_none_of_http_are_refused_in_words(start: Start, name: str) -> None:
    session = await start()
    flow = tflow.ttcpflow()
    session.view.add([flow])
    with pytest.raises(exceptions.CommandError, match="no HTTP flow"):
        session.call(name, f"@{flow.id}")


# Today's rules over what was recorded


async def test_recheck_finds_what_a_change_of_rules_would_change(start: Start) -> None:
    session = await start()
    await session.ask(chat_request(TRIGGER))
    await session.ask(chat_request("Be brief."))
    report = session.call("recheck", "@all")
    assert report.endswith("2 exchanges: 2 as they were sent, 0 would differ, 0 cannot be told")
    session.proxy.master.options.update(windsurf_disabled_rules=["a1"], windsurf_paths=False)
    report = session.call("recheck", "@all")
    assert "2 exchanges: 0 as they were sent, 2 would differ" in report
    assert "rule neutralize a1: 1 then, 0 today" in report
    assert f"+{TRIGGER}" in report
    assert f"-{NEUTRAL}" in report
    assert "rule paths path: 1 then, 0 today" in report


async def test_recheck_says_what_was_not_kept(start: Start) -> None:
    session = await start(windsurf_keep_originals="off")
    await session.ask(chat_request(TRIGGER))
    await session.ask(chat_request("Be brief."))
    report = session.call("recheck", "@all")
    assert "the client's request was not kept" in report
    assert "the upstream's answer was not kept, only the request is compared" in report
    assert "1 as they were sent, 0 would differ, 1 cannot be told" in report


async def test_recheck_reads_traffic_that_was_captured_without_the_addon(start: Start) -> None:
    session = await start()
    flow = tflow.tflow(resp=True)
    flow.request.method, flow.request.path = "POST", CHAT
    flow.request.content = chat_request(TRIGGER)
    session.view.add([flow])
    assert "rule neutralize a1: 0 then, 1 today" in session.call("recheck", "@all")


# Sent again


@pytest.mark.parametrize(
    ("layers", "sent", "said"),
    [
        ("", NEUTRAL, MARKER),
        ("neutralize=off", TRIGGER, MARKER),
        ("-a1", TRIGGER, MARKER),
        ("all=off,paths=on", TRIGGER, MARKER),
        ("paths=off", NEUTRAL, PRIVATE),
        ("shadow=on", TRIGGER, PRIVATE),
    ],
)
async def test_resend_switches_layers_and_rules(
    start: Start, layers: str, sent: str, said: str
) -> None:
    session = await start()
    flow = await session.ask(chat_request(TRIGGER, stream=False), authorization="Bearer abcdefgh")
    told = session.call("resend", f"@{flow.id}", *([layers] if layers else []))
    copy = (await session.proxy.flows.count(2))[-1]
    assert copy.id != flow.id
    assert f"@{copy.id}" in told
    assert session.upstream.requests[1].body == chat_request(sent, stream=False)
    assert session.upstream.requests[1].headers["authorization"] == "Bearer abcdefgh"
    assert copy.response
    assert copy.response.content == chat_answer(said)
    switches = str(parse(layers))
    assert recorded(copy)["switches"] == switches
    assert switches in session.call("explain", f"@{copy.id}")
    assert flow.response  # the first one stays what it was
    assert recorded(flow)["switches"] == ""


async def test_a_rule_that_is_off_can_be_switched_on(start: Start) -> None:
    session = await start(windsurf_disabled_rules=["a1"])
    flow = await session.ask(chat_request(TRIGGER))
    session.call("resend", f"@{flow.id}", "+a1")
    await session.proxy.flows.count(2)
    bodies = [request.body for request in session.upstream.requests]
    assert bodies == [chat_request(TRIGGER), chat_request(NEUTRAL)]


async def test_what_was_switched_holds_when_the_copy_is_replayed(
    start: Start, tmp_path: Path
) -> None:
    session = await start()
    flow = await session.ask(chat_request(TRIGGER))
    session.call("resend", f"@{flow.id}", "neutralize=off")
    await session.proxy.flows.count(2)
    session.save(tmp_path / "flows.mitm")
    later = await start()
    _, copy = later.load(tmp_path / "flows.mitm")
    later.proxy.master.commands.call("replay.client", [copy])
    await later.proxy.flows.count(1)
    assert later.upstream.requests[0].body == chat_request(TRIGGER)


async def test_a_base_path_of_the_upstream_is_not_doubled(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    upstream = await start_upstream(leak)
    session = Session(await start_proxy(windsurf_upstream=f"{upstream.url}/base"), upstream)
    flow = await session.ask(chat_request())
    session.call("resend", f"@{flow.id}")
    await session.proxy.flows.count(2)
    assert [request.target for request in upstream.requests] == [f"/base{CHAT}"] * 2


async def test_without_the_original_resend_says_so(start: Start) -> None:
    session = await start(windsurf_keep_originals="off")
    flow = await session.ask(chat_request(TRIGGER))
    assert "the client's own body was not kept" in session.call("resend", f"@{flow.id}", "all=off")


@pytest.mark.parametrize(
    ("layers", "words"),
    [
        ("neutralise=off", "did you mean neutralize"),
        ("paths", "neither on nor off"),
        ("-a99", "no rule is called 'a99'"),
    ],
)
async def test_a_mistyped_switch_is_an_error_that_helps(
    start: Start, layers: str, words: str
) -> None:
    session = await start()
    flow = await session.ask(chat_request())
    with pytest.raises(exceptions.CommandError, match=words):
        session.call("resend", f"@{flow.id}", layers)
    assert len(session.upstream.requests) == 1


async def test_a_flow_that_passed_by_is_not_sent_again(start: Start) -> None:
    session = await start()
    flow = tflow.tflow()
    session.view.add([flow])
    with pytest.raises(exceptions.CommandError, match=r"replay\.client"):
        session.call("resend", f"@{flow.id}")


# Conversations and cases


async def test_cache_finds_what_the_client_changed(start: Start) -> None:
    session = await start()
    for day in ("Monday", "Tuesday", "Tuesday"):
        await session.ask(chat_request(f"{TRIGGER} It is {day}."))
    report = session.call("cache", "@all")
    assert "conversation 1, 3 requests to claude-opus-4-6" in report
    place = session.upstream.requests[1].body.index(b"Tuesday")
    assert f"at messages[0].content, byte {place}, as in the client's own requests" in report
    assert "2 continuations, 1 of them broken" in report


@pytest.mark.parametrize("stream", [True, False])
async def test_a_case_runs_without_mitmproxy(start: Start, tmp_path: Path, stream: bool) -> None:
    session = await start()
    flow = await session.ask(chat_request(TRIGGER, stream=stream))
    path = tmp_path / "case.json"
    assert "2 changes expected" in session.call("case", f"@{flow.id}", str(path))
    case = json.loads(path.read_text("utf-8"))
    assert replay(case) == []
    assert len(case["response"]) == (4 if stream else 1)
    case["expected"]["edits"].pop()
    assert replay(case)


async def test_a_case_never_overwrites_a_file(start: Start, tmp_path: Path) -> None:
    session = await start()
    flow = await session.ask(chat_request(TRIGGER))
    path = tmp_path / "case.json"
    path.write_text("mine", "utf-8")
    for target, words in ((path, "exists already"), (tmp_path / "no" / "x", "cannot be written")):
        with pytest.raises(exceptions.CommandError, match=words):
            session.call("case", f"@{flow.id}", str(target))
    assert path.read_text("utf-8") == "mine"


async def test_a_case_needs_the_originals(start: Start, tmp_path: Path) -> None:
    session = await start(windsurf_keep_originals="off")
    flow = await session.ask(chat_request(TRIGGER))
    with pytest.raises(exceptions.CommandError, match="windsurf_keep_originals"):
        session.call("case", f"@{flow.id}", str(tmp_path / "case.json"))


# Another session


async def test_all_commands_work_on_flows_from_a_file(start: Start, tmp_path: Path) -> None:
    session = await start()
    flow = await session.ask(chat_request(f"{TRIGGER} {NEARLY}"))
    await session.ask(chat_request("Be brief."))
    file = tmp_path / "flows.mitm"
    session.save(file)
    later = await start()
    loaded, _ = later.load(file)
    assert (loaded.comment, loaded.marked) == (flow.comment, flow.marked)
    assert recorded(loaded) == recorded(flow)
    for name in ("explain", "diff", "recheck", "cache"):
        specification = f"@{flow.id}" if name in ("explain", "diff") else "@all"
        assert later.call(name, specification) == session.call(name, specification)
    later.call("case", f"@{flow.id}", str(tmp_path / "case.json"))
    assert replay(json.loads((tmp_path / "case.json").read_text("utf-8"))) == []
    later.call("resend", f"@{flow.id}", "neutralize=off")
    await later.proxy.flows.count(1)
    assert later.upstream.requests[0].body == chat_request(f"{TRIGGER} {NEARLY}")
