"""Recorded answers with leaks, rewritten and then read by the official SDKs."""

import base64
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import leaks
from mitmproxy_windsurf.wire.openai_responses_items import Place
from mitmproxy_windsurf.wire.parts import Key
from playbook import run
from recordings import RECORDINGS, Recording

READABLE = [
    one for one in RECORDINGS if one.protocol != "ollama" and not one.name.endswith(".jsonstream")
]
"""What an official SDK reads; that of Gemini asks for events always."""

SCRIPT = Path(__file__).with_name("read_with_sdks.py")
PATIENCE = 300


def interpreter() -> str:
    named = os.environ.get("WINDSURF_SDK_PYTHON")
    if named:
        return named
    if all(
        importlib.util.find_spec(name) for name in ("anthropic", "openai", "google", "google.genai")
    ):
        return sys.executable
    pytest.skip("not run: WINDSURF_SDK_PYTHON names no interpreter that has the official SDKs")


def read_all(answers: Iterable[tuple[Recording, bytes]]) -> list[Any]:
    """What the SDKs make of each: the texts by name, or the name of an exception."""
    lines = [
        json.dumps(
            {
                "protocol": recording.protocol,
                "streamed": recording.streamed,
                "data": base64.b64encode(data).decode(),
            }
        )
        for recording, data in answers
    ]
    process = subprocess.run(
        [interpreter(), str(SCRIPT)],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    return [json.loads(line) for line in process.stdout.splitlines()]


def name_of(recording: Recording, key: Key) -> str:
    """The SDK's name for a text, as the script prints it."""
    if isinstance(key.item, Place):
        return f"{key.item.events}[{key.item}]"
    names = {"text": "content", "tool_input": "arguments", "thinking": str(key.item)}
    if recording.protocol in ("gemini", "openai_completions"):
        return f"{key.channel}[{key.group}]"
    if recording.protocol == "anthropic":
        return f"{'input' if key.channel == 'tool_input' else key.channel}[{key.item}]"
    item = f"[{key.item}]" if key.channel == "tool_input" else ""
    return f"{names.get(key.channel, key.channel)}[{key.group}]{item}"


def test_the_sdks_read_what_one_shot_makes_of_the_leaks() -> None:
    leaky = [leaks.with_leaks(recording) for recording in READABLE]
    given = [(one, leak.data) for one, leak in zip(READABLE, leaky, strict=True)]
    before = read_all(given)
    after = read_all((one, run(one.rewriter(), [data])) for one, data in given)
    assert sum(isinstance(found, str) for found in before) <= len(READABLE) // 3
    for recording, leak, found, clean in zip(READABLE, leaky, before, after, strict=True):
        if isinstance(found, str):  # an error, or more than this SDK can take
            assert clean == found, recording.name
            continue
        assert clean.keys() == found.keys(), recording.name
        wanted = {name_of(recording, key): text for key, text in leak.wanted.items()}
        for name, text in clean.items():
            if name.startswith("input["):
                assert "windsurf" not in text, recording.name
            else:
                place = name.partition(" ")[0]
                assert text == wanted.get(place, found[name]), (recording.name, name)
