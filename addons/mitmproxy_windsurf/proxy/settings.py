"""What the options come to: one frozen `Settings`, read as a whole: a bad value changes nothing.

mitmproxy sets aside what `--set` and config.yaml say about options that no addon has declared yet.
If such a value cannot be converted, the script loader dies without a log line and mitmproxy runs on
as a plain proxy; therefore these values are looked through first (`settle_deferred`).
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from mitmproxy.addonmanager import Loader
from mitmproxy.optmanager import OptManager

from mitmproxy_windsurf.prompts import RuleSet
from mitmproxy_windsurf.prompts.rules import GROUPS
from mitmproxy_windsurf.proxy.compat import OptionsError
from mitmproxy_windsurf.proxy.logs import log, printable
from mitmproxy_windsurf.proxy.options import OPTIONS, PREFIX, Option
from mitmproxy_windsurf.proxy.values import Unsaid, switch_from
from mitmproxy_windsurf.rewriter import Layers
from mitmproxy_windsurf.rewriter.signatures import SignedThinking
from mitmproxy_windsurf.upstream.embedded import Backing
from mitmproxy_windsurf.upstream.model_names import ModelNames
from mitmproxy_windsurf.upstream.target import Target

LAYERS = ("neutralize", "paths", "identity", "dedup")
_LAYER_FIELDS = (*LAYERS, "shadow", "private_paths", "map_workspace", "vendors", "max_frame")
_ON = ("true", "on", "yes", "1", "")
_OFF = ("false", "off", "no", "0")


@dataclass(frozen=True)
class Settings:
    """All options, parsed. A request keeps the settings that it began with."""

    layers: Layers = field(default_factory=Layers)
    upstream: Target | None = None
    hosts: tuple[str, ...] = ()
    allow_remote: bool = False
    signed_thinking: SignedThinking = "auto"
    visible_answer_clients: tuple[str, ...] = ()
    backend: Target | None = None
    backend_model: ModelNames = field(default_factory=ModelNames)
    backend_key_env: str = ""
    demo_pace: float = 0.0
    keep_originals: int = 0
    bisect_requests: int = 60
    bisect_pause: float = 0.5
    bisect_pattern: re.Pattern[bytes] | None = None
    metrics: bool = False

    @property
    def backing(self) -> Backing:
        """What the embedded upstream is to have behind it."""
        return Backing(self.backend, self.backend_model, self.backend_key_env, self.demo_pace)


def declare(loader: Loader, environment: Mapping[str, str]) -> None:
    """Add the options, with defaults that the environment may switch."""
    for option in OPTIONS:
        default = option.default
        if option.environment:
            default, warning = switch_from(environment, option.environment, bool(default))
            if warning:
                log.warning(warning)
        if not isinstance(default, (bool, str)):
            default = list(default)
        loader.add_option(option.name, option.type, default, option.help)
    settle_deferred(loader.master.options)


def read(options: OptManager) -> Settings:
    """Parse all options.

    Raises:
        OptionsError: names the option, its value and what to write instead.
    """
    parsed = {option.field: _parse(option, getattr(options, option.name)) for option in OPTIONS}
    rules = _rules(parsed)
    layers = Layers(rules=rules, **{name: parsed.pop(name) for name in _LAYER_FIELDS})
    return Settings(layers=layers, **parsed)


def _rules(parsed: dict[str, Any]) -> RuleSet:
    files = parsed.pop("rules")
    disabled, enabled = parsed.pop("disabled_rules"), parsed.pop("enabled_rules")
    groups = tuple(name for name in GROUPS if parsed.pop(name))
    return _rule_set(files, disabled, enabled, groups)


@lru_cache(maxsize=8)
def _rule_set(
    files: tuple[str, ...],
    disabled: tuple[str, ...],
    enabled: tuple[str, ...],
    groups: tuple[str, ...],
) -> RuleSet:
    """The same set for the same options, since it keeps the last good version of every file.

    Raises:
        OptionsError: a file cannot be used, or there is no such rule.
    """
    rules = RuleSet(files, groups=groups)
    shipped = RuleSet().problems
    if problems := [problem for problem in rules.refresh() if problem not in shipped]:
        raise OptionsError(f"windsurf_rules: {'; '.join(problems)}")
    known = [rule.id for rule in rules.rules]
    for option, names in (
        ("windsurf_disabled_rules", disabled),
        ("windsurf_enabled_rules", enabled),
    ):
        for name in names:
            if known and name not in known:
                raise OptionsError(f"{option}: no rule is called {name!r}{near(name, known)}")
    for problem in shipped:
        log.warning(printable(problem, 300))
    rules = RuleSet(files, disabled=disabled, enabled=enabled, groups=groups)
    rules.refresh()  # what is wrong with them has been said
    return rules


def _parse(option: Option, value: Any) -> Any:
    try:
        return option.parse(value)
    except Unsaid as error:
        raise OptionsError(f"{option.name}: it {error}") from error
    except ValueError as error:
        shown = value if isinstance(value, str) else ", ".join(value)
        raise OptionsError(f"{option.name}: {printable(shown)!r} {error}") from error


def settle_deferred(options: OptManager) -> None:
    """Convert what was said about our options before they existed; log what makes no sense.

    An error that is logged at the start ends mitmproxy, which is what a mistyped option should do.
    """
    for option in OPTIONS:
        if option.name in options.deferred:
            value = options.deferred.pop(option.name)
            try:
                options.deferred[option.name] = _convert(option, getattr(value, "val", value))
            except ValueError as error:
                log.error("%s: %s", option.name, error)


def unknown_options(options: OptManager) -> list[str]:
    """A line for each option of ours that was set but does not exist; mitmproxy says nothing."""
    known = [option.field for option in OPTIONS]
    lines = []
    for name in options.deferred:
        if name.startswith(PREFIX):
            hint = near(name.removeprefix(PREFIX), known, PREFIX)
            lines.append(f"there is no option {printable(name)}{hint}")
    return lines


def near(name: str, known: Sequence[str], prefix: str = "") -> str:
    """A hint at the known name that was probably meant; may be empty."""
    found = difflib.get_close_matches(name, known, 1)
    return f"; did you mean {prefix}{found[0]}?" if found else ""


def _convert(option: Option, value: Any) -> bool | str | list[str]:
    """`value` is the list of texts that `--set` gave, or anything from config.yaml."""
    if option.type == Sequence[str]:
        return [str(item) for item in value] if isinstance(value, list) else [str(value)]
    if isinstance(value, list):
        if len(value) > 1:
            raise ValueError(f"is set {len(value)} times: set it once")
        value = value[0] if value else ""
    if option.type is str:
        return "" if value is None else str(value)
    word = str(value).lower()
    if word == "toggle":
        return not option.default
    if word not in _ON + _OFF:
        raise ValueError(f"{printable(word)!r} is neither true nor false")
    return word in _ON


def layers_on(layers: Layers) -> list[str]:
    """The names of the layers that run."""
    return [name for name in LAYERS if getattr(layers, name)]
