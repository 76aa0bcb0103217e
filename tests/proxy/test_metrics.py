"""The metrics on the proxy's own port: who gets them, and that they are what happened."""

import re

import httpx
import pytest

from proxy.conftest import StartProxy, StartUpstream
from proxy.http1 import Out, Request, ask
from proxy.messages import CHAT, DONE, PRIVATE, TRIGGER, chat_answer, chat_request

PATH = "/_windsurf/metrics"
LINE = re.compile(r"([a-z_]+)(?:\{([^}]*)\})? (\S+)")


def read(body: bytes) -> dict[str, float]:
    """Every series with its value; a line that is neither one nor a comment fails."""
    found = {}
    for line in body.decode().splitlines():
        if not line.startswith("# "):
            match = LINE.fullmatch(line)
            assert match, line
            found[line.rpartition(" ")[0]] = float(match[3])
    return found


async def leak(request: Request, out: Out) -> None:
    if b'"stream":true' in request.body:
        await out.events("see /tmp/wind", "surf-workspace/src/a.py", " now")
        await out.chunk(DONE)
        await out.end()
    else:
        await out.body(chat_answer(PRIVATE))


async def test_the_metrics_tell_what_happened(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    upstream = await start_upstream(leak)
    proxy = await start_proxy(windsurf_upstream=upstream.url, windsurf_metrics=True)
    await ask(proxy.port, "POST", CHAT, chat_request(TRIGGER))
    await ask(proxy.port, "POST", CHAT, chat_request(TRIGGER, stream=False))
    await proxy.flows.count(2)
    reply = await ask(proxy.port, "GET", PATH)
    assert reply.status == 200
    assert reply.headers["content-type"].startswith("text/plain; version=0.0.4")
    found = read(reply.body)
    chat = 'protocol="openai_chat",outcome="complete"'
    assert found[f"windsurf_requests_total{{{chat}}}"] == 2
    assert found[f"windsurf_streams_total{{{chat}}}"] == 1
    assert found['windsurf_edits_total{layer="neutralize",rule="a1"}'] == 2
    assert found['windsurf_edits_total{layer="paths",rule="path"}'] == 2
    assert found["windsurf_held_characters_total"] >= len("/tmp/wind")
    assert found['windsurf_layer_errors_total{where="answer"}'] == 0
    pieces = found["windsurf_added_latency_seconds_count"]
    assert pieces == found['windsurf_added_latency_seconds_bucket{le="+Inf"}'] >= 4
    assert len(upstream.requests) == 2


async def test_the_metrics_are_not_counted_themselves(start_proxy: StartProxy) -> None:
    proxy = await start_proxy(windsurf_metrics=True)
    for _ in range(3):
        reply = await ask(proxy.port, "GET", PATH)
    assert not [name for name in read(reply.body) if name.startswith("windsurf_requests")]


async def test_without_the_option_the_upstream_says_that_there_is_no_such_page(
    start_proxy: StartProxy,
) -> None:
    proxy = await start_proxy()
    assert (await ask(proxy.port, "GET", PATH)).status == 404
    proxy.master.options.update(windsurf_metrics=True)
    assert (await ask(proxy.port, "GET", PATH)).status == 200


async def test_other_pages_and_methods_go_to_the_upstream(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    async def script(request: Request, out: Out) -> None:
        await out.body(b"{}")

    upstream = await start_upstream(script)
    proxy = await start_proxy(windsurf_upstream=upstream.url, windsurf_metrics=True)
    for method, path in (("POST", PATH), ("GET", f"{PATH}/x"), ("GET", "/metrics")):
        assert (await ask(proxy.port, method, path)).body == b"{}"


async def test_a_forwarded_request_for_such_a_page_is_not_ours(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    async def script(request: Request, out: Out) -> None:
        await out.body(b"{}")

    other = await start_upstream(script)
    proxy = await start_proxy(windsurf_metrics=True)
    async with httpx.AsyncClient(proxy=proxy.url) as client:
        assert (await client.get(f"{other.url}{PATH}")).content == b"{}"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:1", "[::1]"])
async def test_this_machine_gets_them_by_all_its_names(start_proxy: StartProxy, host: str) -> None:
    proxy = await start_proxy(windsurf_metrics=True)
    assert (await ask(proxy.port, "GET", PATH, host=host)).status == 200


async def test_a_web_page_that_has_rebound_its_name_is_refused(start_proxy: StartProxy) -> None:
    proxy = await start_proxy(windsurf_metrics=True)
    reply = await ask(proxy.port, "GET", PATH, host="evil.example")
    assert (reply.status, b"windsurf_" in reply.body) == (403, False)


@pytest.mark.parametrize("allowed", [False, True])
async def test_other_machines_are_refused_whoever_else_may_use_the_upstream(
    start_proxy: StartProxy, monkeypatch: pytest.MonkeyPatch, allowed: bool
) -> None:
    monkeypatch.setattr("mitmproxy_windsurf.proxy.routing.is_local", lambda flow: False)
    proxy = await start_proxy(windsurf_metrics=True, windsurf_allow_remote=allowed)
    reply = await ask(proxy.port, "GET", PATH)
    assert (reply.status, b"windsurf_" in reply.body) == (403, False)
