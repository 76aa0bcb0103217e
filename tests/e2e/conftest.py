"""Clients, the real proxy, and what stands behind it, once for all tests of a module: a proxy of
its own for each of some hundred tests would take minutes. scripts/e2e says what is needed."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from e2e.backend import ScriptedBackend, scripted_backend
from e2e.litellm import LiteLLM, running_litellm
from proxy.conftest import confdir

__all__ = ["confdir"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.filterwarnings("ignore:Passing pyOpenSSL"))
            if "WINDSURF_LITELLM" not in os.environ:
                item.add_marker(pytest.mark.skip(reason="not run: scripts/e2e runs it"))


@pytest.fixture(scope="session")
def litellm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiteLLM]:
    with running_litellm(tmp_path_factory.mktemp("litellm") / "log") as running:
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_backend(litellm: LiteLLM) -> AsyncIterator[ScriptedBackend]:
    async with scripted_backend(litellm.backend_port) as running:
        yield running


@pytest.fixture
def backend(shared_backend: ScriptedBackend) -> ScriptedBackend:
    """The backend, with nothing of the test before."""
    shared_backend.forget()
    return shared_backend
