"""Cases of layer 2 that are told in a sentence: private paths in all that an answer holds."""

import json
import subprocess
from pathlib import Path

import pytest

import strategies
from casebook import case, covers
from mitmproxy_windsurf.text.paths import (
    MARKER,
    PathStream,
    sanitize_arguments,
    sanitize_text,
    sanitize_value,
)
from traffic import PRIVATE, Said, each_protocol, render, rewrite, rewrite_whole, said, texts


@pytest.mark.parametrize("name", ["P-25", "P-29", "P-32"])
@covers("P-25", "P-29", "P-32")
def test_what_is_no_private_path_stays(name: str) -> None:
    assert sanitize_text(case(name).text) == case(name).text


@covers("P-33")
def test_the_handlers_own_directory_is_an_option() -> None:
    text = case("P-33").text
    assert sanitize_text(text) == text
    assert sanitize_text(text, private_paths=("/srv/proxy-app",)) == f"at {MARKER}:10"


@covers("P-39")
def test_an_unclosed_block_is_never_given_back() -> None:
    stream = PathStream()
    out = stream.feed(case("P-39").text)
    assert out + stream.release() == "x "


@covers("P-59")
def test_keys_stay_and_values_change() -> None:
    given = {f"{PRIVATE}/a": f"{PRIVATE}/b"}
    assert sanitize_value(given) == {f"{PRIVATE}/a": MARKER}


@covers("P-61", "P-64")
def test_the_marker_is_no_path_and_no_answer() -> None:
    argument = json.loads(sanitize_arguments(case("P-61").input["tool"]["argumentsJson"]))
    assert not Path(argument["file_path"]).is_absolute()
    assert sanitize_text(case("P-64").text).endswith(MARKER)
    assert "…" not in MARKER
    assert "." not in MARKER


@covers("P-63")
def test_a_shell_runs_nothing_with_the_marker(tmp_path: Path) -> None:
    command = sanitize_text(case("P-63").text) + " && touch made"
    shell = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, check=False)
    assert shell.returncode
    assert not list(tmp_path.iterdir())


@each_protocol
@covers("P-67")
def test_thinking_is_scrubbed_with_a_state_of_its_own(protocol: str) -> None:
    events = [{"text": "a /tmp/win"}, *case("P-67").input["events"]]
    stream = rewrite(protocol, render(protocol, events))
    assert texts(protocol, stream, "reasoning") == f"look in {MARKER} ok"
    assert texts(protocol, stream, "text") == "a /tmp/win"


@each_protocol
@pytest.mark.parametrize("name", ["P-68", "P-71"])
@covers("P-68", "P-71")
def test_error_bodies_are_scrubbed(protocol: str, name: str) -> None:
    response = case(name).input["response"]
    answer = rewrite_whole(protocol, response["body"], status=response["status"])
    wanted = response["body"]["error"]["message"].replace(f"{PRIVATE}/a.py", MARKER)
    assert answer == {"error": response["body"]["error"] | {"message": wanted}}
    stream = rewrite(protocol, render(protocol, [{"error": response["body"]["error"]["message"]}]))
    assert said(protocol, stream) == [Said("error", wanted)]


@each_protocol
@covers("P-69")
def test_a_failure_releases_what_is_held_once(protocol: str) -> None:
    stream = rewrite(protocol, render(protocol, case("P-69").input["events"]))
    assert [(piece.channel, piece.text) for piece in said(protocol, stream)] == [
        ("text", "Part one. "),
        ("reasoning", "look in /tmp/wind"),
        ("error", "boom"),
    ]


@each_protocol
@covers("P-70")
def test_arguments_are_scrubbed_across_fragments(protocol: str) -> None:
    frames = render(protocol, case("P-70").input["events"])
    for pieces in [frames, strategies.every(b"".join(frames), 1)]:
        stream = rewrite(protocol, pieces)
        assert json.loads(texts(protocol, stream, "tool_args_delta")) == {"file_path": MARKER}


@each_protocol
@covers("X-20")
def test_a_long_error_body_is_scrubbed_whole(protocol: str) -> None:
    message = f"open {PRIVATE}/a.py: denied; " * 60_000
    answer = rewrite_whole(protocol, {"error": {"message": message}}, status=400)
    assert answer["error"]["message"] == message.replace(f"{PRIVATE}/a.py", MARKER)
