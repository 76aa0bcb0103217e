"""The commands `windsurf.…`, all but those that search for a trigger: each a few lines around a
function that needs no mitmproxy."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path as FilePath
from typing import Protocol

from mitmproxy.flow import Flow
from mitmproxy.types import Path

from mitmproxy_windsurf.debug import cache, case, explain, recheck, status, switches
from mitmproxy_windsurf.debug.changes import changes
from mitmproxy_windsurf.debug.counters import Counters
from mitmproxy_windsurf.debug.plain import count
from mitmproxy_windsurf.prompts import RuleSet
from mitmproxy_windsurf.proxy import reading, resend
from mitmproxy_windsurf.proxy.command import CommandError, command, http_flow
from mitmproxy_windsurf.proxy.secrets import Secrets
from mitmproxy_windsurf.proxy.settings import Settings, layers_on


class Running(Protocol):
    """What the commands tell of."""

    settings: Settings
    counters: Counters

    def refresh_rules(self) -> None: ...

    @property
    def upstream(self) -> str: ...

    @property
    def listening(self) -> str: ...


class Commands:
    """An addon of commands, below the one that has the hooks."""

    name = "windsurf.commands"

    def __init__(self, running: Running) -> None:
        self._running = running

    @property
    def _settings(self) -> Settings:
        """Those of today, with what has changed in files of rules."""
        self._running.refresh_rules()
        return self._running.settings

    @property
    def _rules(self) -> RuleSet:
        return self._settings.layers.rules or RuleSet()

    @command("windsurf.status")
    def status(self) -> str:
        """Show layers, rules, upstream, and what has happened since the start."""
        running = self._running
        layers = self._settings.layers
        return status.status(
            layers,
            running.counters,
            on=layers_on(layers),
            upstream=running.upstream,
            listening=running.listening,
        )

    @command("windsurf.rules")
    def rules(self) -> str:
        """List every rule: its id, on or off, hits since the start, and the file it comes from."""
        return status.rule_list(self._rules, self._running.counters)

    @command("windsurf.explain")
    def explain(self, flow: Flow) -> str:
        """Show each change in a flow with its rule, and each rule that nearly matched."""
        return explain.explain(reading.read(http_flow(flow), self._settings), rules=self._rules)

    @command("windsurf.diff")
    def diff(self, flow: Flow) -> str:
        """Show what was changed in a flow as a unified diff."""
        found = http_flow(flow)
        exchange = reading.read(found, self._settings)
        if not exchange.record:
            return "This exchange did not go through windsurf: nothing was changed."
        cut = Secrets(found.request).cut
        parts = [changes(exchange.record, "request", exchange.request or b"", cut=cut)]
        if exchange.response is not None:
            parts.append(changes(exchange.record, "response", exchange.response, cut=cut))
        return "\n\n".join(parts)

    @command("windsurf.recheck")
    def recheck(self, flows: Sequence[Flow]) -> str:
        """Run today's layers over flows and show where they would do otherwise than was done."""
        return recheck.report(
            [
                recheck.recheck(
                    reading.read(flow, self._settings),
                    reading.layers_for(flow, self._settings),
                    signed_thinking=self._settings.signed_thinking,
                )
                for flow in map(http_flow, flows)
            ]
        )

    @command("windsurf.resend")
    def resend(self, flow: Flow, layers: str = "") -> str:
        """Send a request again with layers or rules switched, such as neutralize=off,-a3,+x1."""
        try:
            switched = switches.parse(layers, [rule.id for rule in self._rules.rules])
        except ValueError as error:
            raise CommandError(str(error)) from error
        return resend.resend(http_flow(flow), switched)

    @command("windsurf.cache")
    def cache(self, flows: Sequence[Flow]) -> str:
        """Show where consecutive requests of a conversation differ, which breaks prompt caching."""
        return cache.report(reading.read(http_flow(flow), self._settings) for flow in flows)

    @command("windsurf.case")
    def case(self, flow: Flow, path: Path) -> str:
        """Write a flow into a new file as a small test case, without keys."""
        found = http_flow(flow)
        exchange = reading.read(found, self._settings)
        try:
            made = case.make(exchange, reading.layers_for(found, self._settings))
        except case.CaseError as error:
            raise CommandError(str(error)) from error
        try:
            with FilePath(path).expanduser().open("x", encoding="utf-8") as file:
                file.write(case.dumped(made))
        except FileExistsError as error:
            raise CommandError(f"{path} exists already: give the case another name") from error
        except OSError as error:
            raise CommandError(f"{path} cannot be written: {error.strerror}") from error
        return f"{path}: {count(len(made['expected']['edits']), 'change')} expected"
