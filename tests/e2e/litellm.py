"""The LiteLLM proxy, an independent translating handler: with answers of its own, or with the
scripted backend behind it. WINDSURF_LITELLM names its program."""

from __future__ import annotations

import os
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from loopback import free_port

CONFIG = Path(__file__).with_name("litellm.yaml")
PATIENCE = 180
"""Seconds to start: it imports a great deal."""

SETTINGS = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # or it asks GitHub for prices
    "LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY": "true",  # any key will do
}


@dataclass(frozen=True)
class LiteLLM:
    url: str
    backend_port: int
    """Where the model `scripted` is asked for."""


@contextmanager
def running_litellm(log: Path) -> Iterator[LiteLLM]:
    port, backend_port = free_port(), free_port()
    found = LiteLLM(f"http://127.0.0.1:{port}", backend_port)
    scripted = {"SCRIPTED_BACKEND": f"http://127.0.0.1:{backend_port}/v1"}
    command = [os.environ["WINDSURF_LITELLM"], "--config", str(CONFIG)]
    command += ["--host", "127.0.0.1", "--port", str(port), "--telemetry", "False"]
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, env=os.environ | SETTINGS | scripted, stdout=output, stderr=output
        )
        try:
            _wait_for(f"{found.url}/health/liveliness", process, log)
            yield found
        finally:
            process.terminate()
            process.wait(PATIENCE)


def _wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and process.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=5).close()
            return
        except OSError:
            try:
                process.wait(0.2)
            except subprocess.TimeoutExpired:
                continue
    pytest.fail(f"LiteLLM did not start:\n{log.read_text('utf-8', 'replace')[-2000:]}")
