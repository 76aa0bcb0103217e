"""Responses over a WebSocket, through a real mitmproxy."""

import contextlib
import gc
import json
import warnings
from collections.abc import AsyncIterator
from typing import Any

import pytest
from wsproto.events import BytesMessage, Ping, Pong

from mitmproxy_windsurf.proxy.record import recorded
from proxy.conftest import StartProxy
from proxy.harness import Flows, Proxy, until
from proxy.websocket_ends import End, Script, compact, socket_client, socket_server

PATH = "/tmp/windsurf-workspace/src/a.py"
FINGERPRINT = "You are Claude Code, Anthropic's official CLI for Claude."
MODEL = "gpt-5.5"


def request(text: str = "hi", **more: Any) -> dict[str, Any]:
    return {"type": "response.create", "model": MODEL, "input": text, **more}


def created(number: int = 0, **more: Any) -> dict[str, Any]:
    response = {"id": "resp_1", "object": "response", "status": "in_progress", "output": []}
    return {"type": "response.created", "sequence_number": number, "response": response | more}


def delta(text: str, number: int, **more: Any) -> dict[str, Any]:
    return {
        "type": "response.output_text.delta",
        "sequence_number": number,
        "item_id": "msg_0",
        "output_index": 0,
        "content_index": 0,
        "delta": text,
        **more,
    }


def done(text: str, number: int, **more: Any) -> dict[str, Any]:
    head = delta(text, number, **more)
    del head["delta"]
    return head | {"type": "response.output_text.done", "text": text}


def completed(text: str, number: int, **more: Any) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    item = {"id": "msg_0", "type": "message", "role": "assistant", "content": content}
    response = {"id": "resp_1", "object": "response", "status": "completed", "output": [item]}
    return {
        "type": "response.completed",
        "sequence_number": number,
        "response": response,
        **more,
    }


def answering(*answers: list[dict[str, Any]], seen: list[Any] | None = None) -> Script:
    """A server that sends one of the answers for each request."""

    async def script(end: End) -> None:
        for answer in answers:
            text = await end.receive()
            if text is None:
                return
            if seen is not None:
                seen.append(json.loads(text))
            await end.send(*answer)
        await end.receive()
        await end.close()

    return script


@contextlib.asynccontextmanager
async def connected(proxy: Proxy) -> AsyncIterator[End]:
    """A client of the proxy; afterwards mitmproxy has let go of its connections too."""
    async with socket_client(proxy.port) as client:
        yield client
    server = proxy.master.addons.get("proxyserver")
    await until(lambda: not server.connections)
    with warnings.catch_warnings():
        # A connection that both sides close at once mitmproxy leaves to the garbage collector.
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


async def turn(client: End, asked: dict[str, Any], last: str = "response.completed") -> list[Any]:
    """Ask, and take all messages up to the last event of the answer."""
    await client.send(asked)
    found: list[Any] = []
    while True:
        text = await client.receive()
        assert text is not None, f"closed after {found}"
        found.append(json.loads(text))
        if found[-1]["type"] == last:
            return found


async def closed(proxy: Proxy) -> Any:
    """The record of the first flow, once its socket has been closed."""
    flows: Flows = proxy.flows
    await until(lambda: flows.ended and recorded(flows.ended[0])["outcome"])
    return recorded(flows.ended[0])


def texts(events: list[Any]) -> str:
    return "".join(event["delta"] for event in events if "delta" in event)


async def test_an_answer_is_rewritten_and_all_its_copies_agree(start_proxy: StartProxy) -> None:
    said = f"I look at {PATH} now. /opt/"
    pieces = [said[i : i + 5] for i in range(0, len(said), 5)]
    answer = [
        created(),
        *(delta(piece, n) for n, piece in enumerate(pieces, 1)),
        done(said, len(pieces) + 1),
        completed(said, len(pieces) + 2),
    ]
    async with socket_server(answering(answer)) as url:
        proxy = await start_proxy(windsurf_upstream=url)
        async with connected(proxy) as client:
            events = await turn(client, request())
            await client.close()
        record = await closed(proxy)
    wanted = "I look at <workspace> now. /opt/"
    assert texts(events) == wanted
    assert events[-2]["text"] == wanted
    assert events[-1]["response"]["output"][0]["content"][0]["text"] == wanted
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    assert record["model"] == MODEL
    assert [edit["layer"] for edit in record["edits"]] == ["paths"]
    assert "windsurf-workspace" not in json.dumps(events)


async def test_what_no_rule_matches_passes_message_for_message(start_proxy: StartProxy) -> None:
    answer = [
        "not json",
        compact(created()),
        ' {"type": "x",  "a":"/opt/"}',
        compact(delta("/o", 1)),
    ]
    answer += [compact(delta("pt/x", 2)), compact(completed("/opt/x", 3))]

    async def script(end: End) -> None:
        await end.receive()
        await end.send(*answer)
        await end.receive()

    async with socket_server(script) as url:
        proxy = await start_proxy(windsurf_upstream=url)
        async with connected(proxy) as client:
            await client.send(request())
            assert [await client.receive() for _ in answer] == answer


async def test_the_prompt_is_neutralized_and_comes_back_as_it_was_said(
    start_proxy: StartProxy,
) -> None:
    seen: list[Any] = []

    async def script(end: End) -> None:
        asked = json.loads(await end.receive() or "")
        seen.append(asked)
        await end.send(created(instructions=asked["instructions"]), completed("ok", 1))
        seen.append(json.loads(await end.receive() or ""))
        await end.send(created(instructions=asked["instructions"]), completed("ok", 1))
        await end.receive()

    said = FINGERPRINT + " Be brief."
    async with socket_server(script) as url:
        proxy = await start_proxy(windsurf_upstream=url)
        async with connected(proxy) as client:
            first = await turn(client, request(instructions=said))
            again = await turn(client, request("more", previous_response_id="resp_1"))
    assert FINGERPRINT not in seen[0]["instructions"]
    assert first[0]["response"]["instructions"] == said
    assert again[0]["response"]["instructions"] == said, "said once per connection"


async def test_lanes_do_not_mix(start_proxy: StartProxy) -> None:
    a, b = {"stream_id": "a"}, {"stream_id": "b"}
    answer = [
        created() | a,
        created() | b,
        delta("one /opt/wind", 1, **a),
        delta("two /tmp/wind", 1, **b),
        delta("surf/x!", 2, **a),
        delta("ow", 2, **b),
        completed("two /tmp/window", 3, **b),
        completed("one /opt/windsurf/x!", 3, **a),
    ]

    async def script(end: End) -> None:
        await end.receive()
        await end.receive()
        await end.send(*answer)
        await end.receive()

    async with socket_server(script) as url:
        proxy = await start_proxy(windsurf_upstream=url)
        async with connected(proxy) as client:
            await client.send(request(**a), request(**b))
            got: list[Any] = []
            while [event["type"] for event in got].count("response.completed") < 2:
                got.append(json.loads(await client.receive() or ""))
    assert texts([event for event in got if event["stream_id"] == "a"]) == "one <workspace>!"
    assert texts([event for event in got if event["stream_id"] == "b"]) == "two /tmp/window"


async def test_a_large_message_that_is_not_ascii_stays_whole(start_proxy: StartProxy) -> None:
    said = f"日本語{PATH}。" + "これは長い文章です。" * 4000
    async with socket_server(answering([created(), delta(said, 1), completed(said, 2)])) as url:
        proxy = await start_proxy(windsurf_upstream=url)
        async with connected(proxy) as client:
            events = await turn(client, request())
    assert texts(events) == said.replace(PATH, "<workspace>")
    assert "\ufffd" not in json.dumps(events, ensure_ascii=False)


@pytest.mark.parametrize("ending", ["close", "cut"])
async def test_what_is_held_goes_out_before_the_close(start_proxy: StartProxy, ending: str) -> None:
    async def script(end: End) -> None:
        await end.receive()
        await end.send(created(), delta("in /opt/wind", 1))
        if ending == "close":
            await end.close(1011)

    async with socket_server(script) as url:
        proxy = await start_proxy(windsurf_upstream=url)
        async with connected(proxy) as client:
            await client.send(request())
            events = []
            while (text := await client.receive()) is not None:
                events.append(json.loads(text))
        record = await closed(proxy)
    assert texts(events) == "in /opt/wind"
    # How mitmproxy tells of a cut is its own affair; the answer lacks its last event either way.
    assert ending == "cut" or client.closed == 1011
    assert record["edits"] == []


async def test_binary_messages_and_pings_pass(start_proxy: StartProxy) -> None:
    async def script(end: End) -> None:
        await end.event(BytesMessage(data=b"/opt/windsurf/\xff"))
        await end.expect(Ping)
        await end.event(Pong(payload=b"p"))
        await end.receive()

    async with socket_server(script) as url:
        proxy = await start_proxy(windsurf_upstream=url)
        async with connected(proxy) as client:
            message = await client.expect(BytesMessage)
            assert bytes(message.data) == b"/opt/windsurf/\xff"
            await client.event(Ping(payload=b"p"))
            await client.expect(Pong)


async def test_shadow_counts_and_changes_nothing(start_proxy: StartProxy) -> None:
    said = f"see {PATH}"
    answer = [created(), delta(said, 1), completed(said, 2)]
    async with socket_server(answering(answer)) as url:
        proxy = await start_proxy(windsurf_upstream=url, windsurf_shadow=True)
        async with connected(proxy) as client:
            assert await turn(client, request()) == answer
            await client.close()
        record = await closed(proxy)
    assert record["shadow"]
    assert [edit["rule"] for edit in record["edits"]] != []


async def test_saved_sockets_show_what_was_sent(start_proxy: StartProxy) -> None:
    said = f"see {PATH} ok"
    async with socket_server(answering([created(), delta(said, 1), completed(said, 2)])) as url:
        proxy = await start_proxy(windsurf_upstream=url)
        async with connected(proxy) as client:
            await turn(client, request())
            await client.close()
        await closed(proxy)
    websocket = proxy.flows.ended[0].websocket
    assert websocket is not None
    assert all(type(message.content) is bytes for message in websocket.messages)
    assert not any(b"windsurf-workspace" in m.content for m in websocket.messages)
