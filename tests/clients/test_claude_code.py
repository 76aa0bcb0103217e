"""A real Claude Code through the real proxy and the demo."""

import json

import pytest

from clients import driver
from clients.test_sdks import CLAIM, LEAK
from proxy.conftest import StartProxy
from proxy.harness import Proxy, until

pytestmark = pytest.mark.filterwarnings("ignore:Passing pyOpenSSL")


@pytest.mark.parametrize("prompt", ["say hi", "tool", "double", "think", "paths", "show code"])
async def test_claude_code_gets_a_clean_answer(start_proxy: StartProxy, prompt: str) -> None:
    driver.required("claude")
    proxy = await start_proxy(windsurf_demo_pace="0")
    events = list(driver.events(await driver.run("claude", proxy.url, prompt)))
    (result,) = [event for event in events if event["type"] == "result"]
    assert result["is_error"] is False
    assert result["result"]
    answers = [event for event in events if event["type"] in ("assistant", "result")]
    for said in (json.dumps(event, ensure_ascii=False) for event in answers):
        assert LEAK.findall(said) == []
        assert CLAIM.findall(said) == []
    first = next(flow for flow in proxy.flows.ended if "/v1/messages" in flow.request.path)
    assert {"a2", "a3", "b", "a4"} <= {edit["rule"] for edit in first.metadata["windsurf"]["edits"]}


async def test_without_layer_1_it_is_refused_until_that_is_switched_on(
    start_proxy: StartProxy,
) -> None:
    driver.required("claude")
    proxy = await start_proxy(windsurf_demo_pace="0", windsurf_neutralize=False)
    async with driver.running("claude", proxy.url, "say hi") as process:
        await until(lambda: 529 in _statuses(proxy))
        assert proxy.flows.ended[-1].metadata["windsurf"]["blocked"]
        proxy.master.options.update(windsurf_neutralize=True)
        assert await process.wait() == 0  # Claude Code tries again by itself
    assert _statuses(proxy)[-1] == 200


def _statuses(proxy: Proxy) -> list[int]:
    return [flow.response.status_code for flow in proxy.flows.ended if flow.response]
