"""Every option, as data: name, type, default, environment, help and how its value is read.

Only text, switches and lists of text: mitmproxy's other types make a mistyped value unload the
addon without a word, or break mitmweb's option editor. The names without their prefix are the names
of the fields in `settings`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from mitmproxy_windsurf.proxy import values
from mitmproxy_windsurf.upstream.backend import parse_backend
from mitmproxy_windsurf.upstream.model_names import parse_model_names
from mitmproxy_windsurf.upstream.target import parse_target

PREFIX = "windsurf_"


@dataclass(frozen=True, slots=True)
class Option:
    """`parse` turns the option's value into what stands in the settings, or raises ValueError.

    `environment` names the variable that can switch a switch's default.
    """

    name: str
    type: Any
    default: bool | str | Sequence[str]
    help: str
    parse: Callable[[Any], Any] = values.as_is
    environment: str | None = None

    @property
    def field(self) -> str:
        return self.name.removeprefix(PREFIX)


def _switch(name: str, default: bool, help: str, environment: str | None = None) -> Option:
    return Option(name, bool, default, help, environment=environment)


OPTIONS = (
    _switch(
        "windsurf_neutralize",
        True,
        "Rewrite the sentences in system prompts and tool descriptions that make upstreams refuse "
        "whole requests.",
        "WINDSURFAPI_NEUTRALIZE_CLIENT_ID",
    ),
    _switch(
        "windsurf_paths",
        True,
        "Replace the upstream's private paths in answers by <workspace>, and drop its sandbox "
        "blocks.",
        "WINDSURFAPI_PATH_SANITIZE",
    ),
    _switch(
        "windsurf_identity",
        True,
        "Correct answers in which the model takes itself for Cascade by Codeium.",
        "WINDSURFAPI_IDENTITY_REWRITE",
    ),
    _switch(
        "windsurf_dedup",
        True,
        "Drop an answer that only repeats the reasoning word for word.",
        "WINDSURFAPI_REASONING_DEDUP",
    ),
    _switch(
        "windsurf_cline_objective",
        False,
        "Experiment: also rewrite the objective section of Cline's prompt.",
        "WINDSURFAPI_NEUTRALIZE_CLINE_OBJECTIVE",
    ),
    _switch(
        "windsurf_cc_aggressive",
        False,
        "Experiment: also apply the rules for Claude Code that are not proven to be needed.",
        "WINDSURFAPI_NEUTRALIZE_CC_AGGRESSIVE",
    ),
    Option(
        "windsurf_rules",
        Sequence[str],
        (),
        "TOML files with rules of your own, which are applied beside the shipped ones.",
        values.items,
    ),
    Option(
        "windsurf_disabled_rules",
        Sequence[str],
        (),
        "Ids of rules that are not applied.",
        values.words,
    ),
    Option(
        "windsurf_enabled_rules",
        Sequence[str],
        (),
        "Ids of rules that are applied although they are off by default.",
        values.words,
    ),
    _switch(
        "windsurf_shadow",
        False,
        "Match, count and show everything, but change nothing.",
    ),
    Option(
        "windsurf_private_paths",
        Sequence[str],
        (),
        "Further directories that must not show in answers, such as the one where your upstream "
        "handler is installed.",
        values.paths,
    ),
    _switch(
        "windsurf_map_workspace",
        False,
        "In tool arguments, put the client's own working directory, as its prompt names it, in the "
        "place of a private one and keep the rest of the path, so that the file that is meant is "
        "opened.",
    ),
    Option(
        "windsurf_upstream",
        str,
        "",
        "Base URL of the upstream handler, such as http://127.0.0.1:3003. Empty: one is started, "
        "with windsurf_backend behind it.",
        parse_target,
    ),
    Option(
        "windsurf_backend",
        str,
        "demo",
        "What answers behind the upstream that is started: demo, or the base URL of an "
        "OpenAI-compatible server, such as http://127.0.0.1:11434/v1.",
        parse_backend,
    ),
    Option(
        "windsurf_backend_model",
        Sequence[str],
        (),
        "Which model the backend is asked for, as PATTERN=NAME, such as claude-*=qwen3:8b or "
        "*=qwen3:8b. The first pattern that fits the client's model counts.",
        parse_model_names,
    ),
    Option(
        "windsurf_backend_key_env",
        str,
        "",
        "The environment variable that holds the backend's key. Empty: the client's key is passed "
        "on.",
        values.variable,
    ),
    Option(
        "windsurf_hosts",
        Sequence[str],
        (),
        "Hosts whose forward-proxied requests are rewritten too, such as api.example.com or "
        "*.example.com. All others pass untouched.",
        values.host_patterns,
    ),
    _switch(
        "windsurf_allow_remote",
        False,
        "Also take base-URL requests from other machines.",
    ),
    Option(
        "windsurf_max_frame",
        str,
        "8 MiB",
        "The longest event of a stream that is read; longer ones pass on unread.",
        values.frame_size,
    ),
    Option(
        "windsurf_signed_thinking",
        str,
        "auto",
        "Signed thinking is refused by its vendor once it was altered. pass: leave thinking alone. "
        "scrub: rewrite it all the same. auto: decide by what the upstream signs.",
        values.choice("auto", "pass", "scrub"),
    ),
    Option(
        "windsurf_visible_answer_clients",
        Sequence[str],
        ("claude-cli", "GeminiCLI"),
        "Clients, by a word of their User-Agent, that fail when dedup leaves them no visible "
        "answer: they get the repeated one.",
        values.words,
    ),
    Option(
        "windsurf_demo_pace",
        str,
        "0.02",
        "Seconds between two events of the demo's answers.",
        values.seconds,
    ),
    Option(
        "windsurf_keep_originals",
        str,
        "1 MiB",
        "Originals of what was changed are kept with the flow up to this size; off keeps none.",
        values.size_or_off,
    ),
    _switch(
        "windsurf_metrics",
        False,
        "Show the counters as Prometheus text at /_windsurf/metrics, to this machine only.",
    ),
    Option(
        "windsurf_bisect_requests",
        str,
        "60",
        "How many requests a search for a trigger may send.",
        values.count,
    ),
    Option(
        "windsurf_bisect_pause",
        str,
        "0.5",
        "Seconds between two requests of a search for a trigger.",
        values.seconds,
    ),
    Option(
        "windsurf_bisect_pattern",
        str,
        "",
        "A regular expression; an answer in which it is found counts as a refusal in a search for "
        "a trigger, beside the refusals that are known.",
        values.pattern,
    ),
    Option(
        "windsurf_vendors",
        Sequence[str],
        (),
        "Further words in model names and their vendors, such as yi=01.AI.",
        values.pairs,
    ),
)
