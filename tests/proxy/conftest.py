"""What the tests against a real mitmproxy share."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from mitmproxy_windsurf.proxy.options import OPTIONS
from proxy.harness import Proxy, running_proxy
from proxy.http1 import Script, Upstream, running_upstream

StartProxy = Callable[..., Awaitable[Proxy]]
StartUpstream = Callable[..., Awaitable[Upstream]]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """mitmproxy 11 calls pyOpenSSL in a way that is going out of use."""
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.filterwarnings("ignore:Passing pyOpenSSL"))


@pytest.fixture(scope="session")
def confdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """mitmproxy's certificates, made once."""
    return tmp_path_factory.mktemp("mitmproxy")


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for option in OPTIONS:
        if option.environment:
            monkeypatch.delenv(option.environment, raising=False)


@pytest.fixture
async def start_proxy(confdir: Path) -> AsyncIterator[StartProxy]:
    async with AsyncExitStack() as stack:

        async def start(*args: Any, **settings: Any) -> Proxy:
            return await stack.enter_async_context(running_proxy(confdir, *args, **settings))

        yield start


@pytest.fixture
async def start_upstream() -> AsyncIterator[StartUpstream]:
    async with AsyncExitStack() as stack:

        async def start(script: Script, port: int = 0) -> Upstream:
            return await stack.enter_async_context(running_upstream(script, port))

        yield start
