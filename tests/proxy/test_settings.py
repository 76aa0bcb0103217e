"""Options: what they come to, what a bad one says, and the traps that mitmproxy has for them."""

from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from mitmproxy import exceptions
from mitmproxy.addonmanager import Loader
from mitmproxy.optmanager import OptManager
from mitmproxy.test import taddons

from mitmproxy_windsurf.proxy import settings
from mitmproxy_windsurf.proxy.addon import Windsurf
from mitmproxy_windsurf.proxy.options import OPTIONS
from mitmproxy_windsurf.proxy.settings import Settings, declare, layers_on, unknown_options
from mitmproxy_windsurf.rewriter import Layers
from mitmproxy_windsurf.upstream.target import Target

ALL_LAYERS = ["neutralize", "paths", "identity", "dedup"]


def declared(environment: Mapping[str, str] | None = None, **deferred: Any) -> OptManager:
    """Options that were just declared, after `--set` or config.yaml named some."""
    options: Any = OptManager()
    options.deferred.update(deferred)
    new_loader: Any = Loader
    declare(new_loader(SimpleNamespace(options=options)), environment or {})
    options.process_deferred()
    found: OptManager = options
    return found


def from_command_line(*specs: str) -> OptManager:
    """As `--set` leaves them, before our addon is there."""
    options: Any = OptManager()
    options.set(*specs, defer=True)
    return declared(**options.deferred)


@pytest.fixture
async def context() -> AsyncIterator[Any]:
    new_context: Any = taddons.context
    with new_context(Windsurf()) as tctx:
        tctx.configure(tctx.master.addons.get("windsurf"), windsurf_demo_pace="0")
        yield tctx


def test_defaults() -> None:
    found = settings.read(declared())
    assert layers_on(found.layers) == ALL_LAYERS
    assert found.upstream is None
    assert found.layers.max_frame == 8 * 2**20
    assert found.keep_originals == 2**20
    assert found.visible_answer_clients == ("claude-cli", "GeminiCLI")
    assert (found.signed_thinking, found.demo_pace) == ("auto", 0.02)
    assert not found.allow_remote


def test_values() -> None:
    found = settings.read(
        from_command_line(
            "windsurf_upstream=http://127.0.0.1:3003/x",
            "windsurf_hosts=a.b,*.c.d",
            "windsurf_hosts=e.f",
            "windsurf_private_paths=/srv/handler",
            "windsurf_vendors=yi=01.AI",
            "windsurf_keep_originals=off",
            "windsurf_signed_thinking=scrub",
            "windsurf_shadow",
        )
    )
    assert found == Settings(
        layers=Layers(
            shadow=True,
            private_paths=("/srv/handler",),
            vendors={"yi": "01.AI"},
            rules=found.layers.rules,
        ),
        upstream=Target("http", "127.0.0.1", 3003, "/x"),
        hosts=("a.b", "*.c.d", "e.f"),
        visible_answer_clients=("claude-cli", "GeminiCLI"),
        signed_thinking="scrub",
        demo_pace=0.02,
    )


@pytest.mark.parametrize("option", [option for option in OPTIONS if option.environment])
@pytest.mark.parametrize(("value", "expected"), [("0", False), ("1", True)])
def test_the_environment_sets_defaults(option: Any, value: str, expected: bool) -> None:
    options: Any = declared({option.environment: value})
    assert getattr(options, option.name) is expected


def test_an_environment_that_makes_no_sense_is_a_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    options: Any = declared({"WINDSURFAPI_PATH_SANITIZE": "off"})
    assert options.windsurf_paths is True
    assert "WINDSURFAPI_PATH_SANITIZE is neither 0 nor 1" in caplog.text


@pytest.mark.parametrize(
    ("name", "value", "parts"),
    [
        ("windsurf_upstream", "localhost:3003", ["'localhost:3003'", "http://127.0.0.1:3003"]),
        ("windsurf_backend", "ollama", ["'ollama'", "demo", "http://127.0.0.1:11434/v1"]),
        ("windsurf_backend_model", ["qwen"], ["'qwen'", "*=qwen3:8b"]),
        ("windsurf_backend_key_env", "NO_SUCH_VARIABLE", ["names no environment variable"]),
        ("windsurf_max_frame", "8 potatoes", ["'8 potatoes'", '"8 MiB"']),
        ("windsurf_keep_originals", "much", ["'much'", '"8 MiB"']),
        ("windsurf_demo_pace", "slow\n", [r"'slow\\n'", '"0.02"']),
        ("windsurf_signed_thinking", "maybe", ["'maybe'", "auto, pass or scrub"]),
        ("windsurf_hosts", ["https://a.b"], ["'https://a.b'", "*.example.com"]),
        ("windsurf_private_paths", ["here"], ["'here'", "/srv/handler"]),
        ("windsurf_vendors", ["yi"], ["'yi'", "yi=01.AI"]),
        ("windsurf_rules", ["/no/such/file.toml"], ["/no/such/file.toml"]),
        ("windsurf_disabled_rules", ["no-such-rule"], ["'no-such-rule'"]),
        ("windsurf_disabled_rules", ["a1", "a33"], ["'a33'", "did you mean a3?"]),
        ("windsurf_enabled_rules", ["no-such-rule"], ["'no-such-rule'"]),
    ],
)
async def test_a_bad_value_names_option_value_and_cure(
    context: Any, name: str, value: Any, parts: list[str]
) -> None:
    with pytest.raises(exceptions.OptionsError) as caught:
        context.configure(context.master.addons.get("windsurf"), **{name: value})
    assert str(caught.value).startswith(f"{name}: ")
    for part in parts:
        assert part in str(caught.value)


async def test_a_key_in_the_place_of_its_variables_name_is_not_said_back(context: Any) -> None:
    with pytest.raises(exceptions.OptionsError) as caught:
        context.configure(
            context.master.addons.get("windsurf"), windsurf_backend_key_env="sk-secret"
        )
    assert "secret" not in str(caught.value)


async def test_configure_is_idempotent(context: Any) -> None:
    addon = context.master.addons.get("windsurf")
    context.configure(addon, windsurf_upstream="http://127.0.0.1:3003")
    first = addon.settings
    addon.configure(set(context.options.keys()))
    addon.configure(set())
    assert addon.settings == first


async def test_the_same_options_keep_their_rules(context: Any, tmp_path: Path) -> None:
    pack = tmp_path / "mine.toml"
    pack.write_text("", "utf-8")
    addon = context.master.addons.get("windsurf")
    context.configure(addon, windsurf_rules=[str(pack)])
    rules = addon.settings.layers.rules
    pack.write_text("[[", "utf-8")
    context.configure(addon, windsurf_paths=False)
    assert addon.settings.layers.rules is rules


# What mitmproxy would take without a word, and then run on without the addon


@pytest.mark.parametrize("word", ["off", "0", "no", "False", "false"])
def test_ways_to_say_off(word: str) -> None:
    options: Any = from_command_line(f"windsurf_paths={word}")
    assert options.windsurf_paths is False


@pytest.mark.parametrize("word", ["on", "1", "YES", "true", ""])
def test_ways_to_say_on(word: str) -> None:
    options: Any = from_command_line(f"windsurf_shadow={word}")
    assert options.windsurf_shadow is True


def test_toggle() -> None:
    options: Any = from_command_line("windsurf_shadow=toggle", "windsurf_paths=toggle")
    assert (options.windsurf_shadow, options.windsurf_paths) == (True, False)


@pytest.mark.parametrize(
    ("specs", "message"),
    [
        (["windsurf_paths=maybe"], "windsurf_paths: 'maybe' is neither true nor false"),
        (["windsurf_upstream=a", "windsurf_upstream=b"], "windsurf_upstream: is set 2 times"),
    ],
)
def test_what_cannot_be_converted_is_an_error_in_the_log(
    caplog: pytest.LogCaptureFixture, specs: list[str], message: str
) -> None:
    from_command_line(*specs)
    assert message in caplog.text
    assert [record.levelname for record in caplog.records] == ["ERROR"]


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("windsurf_demo_pace", 0, "0"),
        ("windsurf_demo_pace", 0.5, "0.5"),
        ("windsurf_keep_originals", None, ""),
        ("windsurf_paths", 0, False),
        ("windsurf_hosts", "a.b", ["a.b"]),
        ("windsurf_hosts", ["a.b", 1], ["a.b", "1"]),
    ],
)
def test_config_yaml_may_use_its_own_types(name: str, value: Any, expected: Any) -> None:
    assert getattr(declared(**{name: value}), name) == expected


def test_an_option_that_does_not_exist_gets_a_hint() -> None:
    options = from_command_line("windsurf_pathz=false", "windsurf_zzz=1", "other=2")
    assert sorted(unknown_options(options)) == [
        "there is no option windsurf_pathz; did you mean windsurf_paths?",
        "there is no option windsurf_zzz",
    ]


def test_names_types_and_help() -> None:
    names = [option.name for option in OPTIONS]
    assert len(set(names)) == len(names)
    for option in OPTIONS:
        assert option.name.startswith("windsurf_")
        assert "\n" not in option.help
        assert option.help.endswith(".")
