"""Commands of mitmproxy, for its console, its web interface and its web API.

A command is synchronous, has annotated parameters, and a name in lower-case letters and dots. What
it returns must be text: the console shows it as a table of one cell, the web API as a JSON string.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from mitmproxy import command as mitmproxy_command
from mitmproxy import exceptions, flow, http

from mitmproxy_windsurf.proxy.logs import log, printable

P = ParamSpec("P")
T = TypeVar("T")

CommandError: Callable[[str], Exception] = exceptions.CommandError
_decorator: Any = mitmproxy_command.command
# mitmproxy leaves both without types.


def command(name: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Make a method a command. Whatever it raises reaches the user as one line."""

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        @functools.wraps(function)
        def shielded(*args: P.args, **kwargs: P.kwargs) -> T:
            try:
                return function(*args, **kwargs)
            except exceptions.CommandError:
                raise
            except Exception as error:
                log.debug("in %s", name, exc_info=True)
                raise CommandError(f"{name} failed: {printable(repr(error))}") from error

        made: Callable[P, T] = _decorator(name)(shielded)
        return made

    return decorate


def http_flow(found: flow.Flow) -> http.HTTPFlow:
    """A flow that a command was given.

    Raises:
        CommandError: it is none of HTTP.
    """
    if not isinstance(found, http.HTTPFlow):
        raise CommandError("this is no HTTP flow, and windsurf knows no others")
    return found
