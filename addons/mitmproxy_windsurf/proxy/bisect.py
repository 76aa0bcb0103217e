"""The commands that search a blocked request for what triggers the refusal.

A command only starts or stops the search, which goes on as a task and reports to the event log.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from mitmproxy.flow import Flow
from mitmproxy.log import ALERT

from mitmproxy_windsurf.debug.bisect import Bisection, Result
from mitmproxy_windsurf.proxy.bisect_request import captured
from mitmproxy_windsurf.proxy.bisect_sender import HTTPSender, search
from mitmproxy_windsurf.proxy.command import CommandError, command, http_flow
from mitmproxy_windsurf.proxy.logs import log, printable
from mitmproxy_windsurf.proxy.reading import title
from mitmproxy_windsurf.proxy.secrets import Secrets
from mitmproxy_windsurf.proxy.settings import Settings
from mitmproxy_windsurf.upstream.target import Target

LONGEST_LINE = 500


class BisectCommands:
    """An addon of commands, below the one that has the hooks."""

    name = "windsurf.bisect.commands"

    def __init__(
        self, settings: Callable[[], Settings], target: Callable[[], Target | None]
    ) -> None:
        self._settings = settings
        self._target = target
        self._task: asyncio.Task[None] | None = None

    def done(self) -> None:
        self._cancel()

    @command("windsurf.bisect")
    def bisect(self, flow: Flow) -> str:
        """Find what in a blocked request triggers the refusal; progress is in the event log."""
        found = http_flow(flow)
        if self._task:
            raise CommandError("a search is under way: windsurf.bisect.stop ends it")
        settings = self._settings()
        try:
            request = captured(found, self._target())
            bisection = Bisection(
                request.protocol,
                request.body,
                requests=settings.bisect_requests,
                secrets=Secrets(found.request).cut,
            )
            sender = HTTPSender(
                request.url, request.headers, request.streamed, settings.bisect_pattern
            )
        except (ValueError, RecursionError) as error:
            raise CommandError(f"{title(found)}: {printable(str(error))}") from error
        running = self._search(bisection, sender, settings.bisect_pause)
        self._task = asyncio.get_running_loop().create_task(running)
        self._task.add_done_callback(self._ended)
        return (
            f"searching {title(found)} with at most {settings.bisect_requests} requests; "
            "windsurf.bisect.stop ends it"
        )

    @command("windsurf.bisect.stop")
    def stop(self) -> str:
        """Stop the search that is under way."""
        return "stopping" if self._cancel() else "no search is under way"

    def _cancel(self) -> bool:
        return self._task is not None and self._task.cancel()

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._task = None
        if not task.cancelled() and (error := task.exception()):
            log.error("the search failed: %s", printable(repr(error)))
            log.debug("in windsurf.bisect", exc_info=error)

    async def _search(self, bisection: Bisection, sender: HTTPSender, pause: float) -> None:
        try:
            _report(await search(bisection, sender, pause=pause, tell=_say))
        except asyncio.CancelledError:
            _report(bisection.stop("it was stopped"))
            raise
        finally:
            sender.close()


def _say(line: str) -> None:
    log.info("bisect: %s", printable(line, LONGEST_LINE))


def _report(result: Result) -> None:
    first, *rest = result.lines()
    log.log(ALERT, "bisect: %s", printable(first, LONGEST_LINE))
    for line in rest:
        _say(line)
    if result.toml:
        log.info("bisect: paste this into a file of rules (windsurf_rules):\n%s", result.toml)
