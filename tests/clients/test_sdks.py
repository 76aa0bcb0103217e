"""The official SDKs through the real proxy and the demo: every answer is clean and can be read."""

import asyncio
import importlib.util
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from proxy.conftest import StartProxy

ASK = Path(__file__).with_name("ask_sdks.py")
PATIENCE = 120

pytestmark = pytest.mark.filterwarnings("ignore:Passing pyOpenSSL")

LEAK = re.compile(
    r"(?<!\w)[/\\]+(?:tmp[/\\]+windsurf-workspace|opt[/\\]+windsurf)(?![\w-])"
    r"|projects[/\\]+workspace-|<workspace_information|<user_information"
)
"""Private roots, but not their look-alikes."""
CLAIM = re.compile(r"I(?: am|['’]m) \W*Cascade|我是 Cascade|by Codeium\b(?! in 2024)|由 Codeium")


def _interpreter() -> str:
    """One that has the SDKs; they cannot be installed beside every mitmproxy."""
    named = os.environ.get("WINDSURF_SDK_PYTHON")
    if named:
        return named
    if importlib.util.find_spec("anthropic") and importlib.util.find_spec("openai"):
        return sys.executable
    pytest.skip("not run: WINDSURF_SDK_PYTHON names no interpreter that has the official SDKs")


async def test_every_answer_of_the_demo_is_clean_and_the_same_in_both_forms(
    start_proxy: StartProxy,
) -> None:
    proxy = await start_proxy(windsurf_demo_pace="0")
    process = await asyncio.create_subprocess_exec(
        _interpreter(), "-W", "ignore", str(ASK), proxy.url, stdout=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(PATIENCE):
        output, _ = await process.communicate()
    assert process.returncode == 0
    answers: dict[str, Any] = json.loads(output)

    for case, answer in answers.items():
        said = json.dumps(answer, ensure_ascii=False)
        assert LEAK.findall(said) == [], case
        in_json = ["I am Cascade"] if case.endswith("json") else []
        assert CLAIM.findall(said) == in_json, case

    for case in (case for case in answers if ", streamed, " in case):
        assert answers[case] == answers[case.replace(", streamed, ", ", whole, ")], case
    for client in ("anthropic", "openai"):
        doubled = answers[f"{client}, streamed, double"]
        assert doubled["thinking"]
        assert doubled["text"] == ""
        assert answers[f"{client}, streamed, tool"]["tools"] == [
            ["Read", {"file_path": "<workspace>"}]
        ]

    comments = [flow.comment for flow in await proxy.flows.count(len(answers))]
    assert all(comments), "every flow says what was changed"
