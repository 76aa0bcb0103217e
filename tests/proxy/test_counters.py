"""What is counted of real exchanges, however they end."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from mitmproxy_windsurf.debug.counters import OUTCOMES, Counters
from mitmproxy_windsurf.proxy.addon import Windsurf
from mitmproxy_windsurf.proxy.exchange import Engine
from mitmproxy_windsurf.rewriter import RequestRewriter, ResponseRewriter
from proxy.conftest import StartProxy, StartUpstream
from proxy.harness import Proxy, until
from proxy.http1 import Out, Request, ask, connected
from proxy.messages import CHAT, DONE, PRIVATE, TRIGGER, chat_answer, chat_request, event

Play = Callable[[Request, Out], Awaitable[None]]


async def complete(request: Request, out: Out) -> None:
    await out.events(f"see {PRIVATE}")
    await out.chunk(DONE)
    await out.end()


async def blocked(request: Request, out: Out) -> None:
    await out.body(b'{"error": {"message": "policy"}}', 403)


async def failed(request: Request, out: Out) -> None:
    await out.body(b'{"error": {"message": "busy"}}', 500)


async def broken(request: Request, out: Out) -> None:
    await out.events("first")
    out.reset()


async def endless(request: Request, out: Out) -> None:
    await out.events("first")
    await out.go_on.wait()


def requests(proxy: Proxy) -> dict[tuple[str, ...], int]:
    return dict(proxy.addon.counters.series("requests"))


@pytest.mark.parametrize(
    "play", [complete, blocked, failed, broken], ids=lambda play: play.__name__
)
async def test_an_exchange_is_counted_by_its_end(
    start_proxy: StartProxy, start_upstream: StartUpstream, play: Play
) -> None:
    upstream = await start_upstream(play)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    for number in (1, 2):
        await ask(proxy.port, "POST", CHAT, chat_request())
        await proxy.flows.count(number)
    counters = proxy.addon.counters
    assert requests(proxy) == {("openai_chat", play.__name__): 2}
    assert counters.total("streams") == (2 if play in (complete, broken) else 0)
    assert counters.total("blocked", verdict="HTTP 403") == (2 if play is blocked else 0)


async def test_a_client_that_leaves_is_counted_as_such(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    upstream = await start_upstream(endless)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    async with connected(proxy.port) as client:
        await client.send("POST", CHAT, chat_request())
        await client.seen(b"first")
    await proxy.flows.count()
    assert requests(proxy) == {("openai_chat", "disconnected"): 1}


async def test_an_upstream_that_is_down_is_counted(start_proxy: StartProxy) -> None:
    proxy = await start_proxy(windsurf_upstream="http://127.0.0.1:1")
    await ask(proxy.port, "POST", CHAT, chat_request())
    await proxy.flows.count()
    assert requests(proxy) == {("openai_chat", "unreachable"): 1}


async def test_other_machines_are_counted(
    start_proxy: StartProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = await start_proxy()
    monkeypatch.setattr("mitmproxy_windsurf.proxy.routing.is_local", lambda flow: False)
    await ask(proxy.port, "POST", CHAT, chat_request())
    await proxy.flows.count()
    assert requests(proxy) == {("openai_chat", "refused"): 1}


async def test_what_is_no_request_of_a_model_is_counted_without_a_protocol(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    upstream = await start_upstream(failed)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    await ask(proxy.port, "GET", "/some/page")
    await proxy.flows.count()
    assert requests(proxy) == {("none", "failed"): 1}


async def test_what_merely_passes_through_is_not_counted(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    upstream = await start_upstream(complete)
    proxy = await start_proxy()
    target = f"{upstream.url}{CHAT}"
    await ask(proxy.port, "POST", target, chat_request(), host=f"127.0.0.1:{upstream.port}")
    await proxy.flows.count()
    assert requests(proxy) == {}
    assert proxy.addon.counters.latency.count == 0


async def test_text_is_counted_as_held_once_and_as_dropped_by_its_layer(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    async def script(request: Request, out: Out) -> None:
        await out.events("see /tmp", "/wind", "surf-", "workspace/a.py now")
        await out.chunk(DONE)
        await out.end()

    upstream = await start_upstream(script)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    await ask(proxy.port, "POST", CHAT, chat_request())
    await proxy.flows.count()
    counters = proxy.addon.counters
    assert counters.total("held_characters") == len("/tmp/windsurf-")
    assert counters.total("dropped_characters", layer="paths") > 0
    assert counters.total("edits", rule="path") == 1
    assert counters.latency.count >= 5


async def test_text_that_is_not_held_is_not_counted(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    async def script(request: Request, out: Out) -> None:
        await out.events("a plain ", "answer ", "in pieces")
        await out.chunk(event(".") + DONE)
        await out.end()

    upstream = await start_upstream(script)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    await ask(proxy.port, "POST", CHAT, chat_request())
    await proxy.flows.count()
    assert proxy.addon.counters.total("held_characters") == 0


class FailingRequest(RequestRewriter):
    def _rewrite(self, *rest: Any) -> str:
        raise RuntimeError("broken")


class FailingAnswer(ResponseRewriter):
    def feed(self, data: bytes) -> list[bytes]:
        raise RuntimeError("broken")


def no_answer(*rest: Any, **options: Any) -> ResponseRewriter:
    raise RuntimeError("broken")


@pytest.mark.parametrize(
    ("engine", "where"),
    [
        (Engine(request=FailingRequest), "request"),
        (Engine(response=FailingAnswer), "answer"),
        (Engine(response=no_answer), "hook"),
    ],
    ids=["request", "answer", "hook"],
)
@pytest.mark.parametrize("stream", [True, False])
async def test_failures_inside_layers_are_counted_where_they_happen(
    start_proxy: StartProxy, start_upstream: StartUpstream, engine: Engine, where: str, stream: bool
) -> None:
    async def script(request: Request, out: Out) -> None:
        if stream:
            await complete(request, out)
        else:
            await out.body(chat_answer(PRIVATE))

    upstream = await start_upstream(script)
    proxy = await start_proxy(Windsurf(engine=engine), windsurf_upstream=upstream.url)
    await ask(proxy.port, "POST", CHAT, chat_request(TRIGGER, stream=stream))
    await proxy.flows.count()
    errors = proxy.addon.counters.series("layer_errors")
    assert {key: number for key, number in errors.items() if number} == {(where,): 1}


async def test_a_replayed_request_is_counted_again(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    upstream = await start_upstream(complete)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    await ask(proxy.port, "POST", CHAT, chat_request())
    flow = await proxy.flow()
    proxy.master.commands.call("replay.client", [flow])
    await until(lambda: requests(proxy) == {("openai_chat", "complete"): 2})


def test_every_outcome_is_a_word_that_is_documented() -> None:
    ends = {play.__name__ for play in (complete, blocked, failed, broken)}
    assert ends | {"disconnected", "unreachable", "refused"} == set(OUTCOMES)
    assert Counters().total("requests") == 0
