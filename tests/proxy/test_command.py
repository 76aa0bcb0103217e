"""What a command raises reaches its user as one line."""

from typing import Any

import pytest
from mitmproxy import exceptions
from mitmproxy.test import taddons, tflow

from mitmproxy_windsurf.proxy.command import CommandError, command, http_flow

context_of: Any = taddons.context


class Addon:
    @command("windsurf.double")
    def double(self, word: str, times: int = 2) -> str:
        """Say it again."""
        if times < 0:
            raise CommandError("not that")
        if not times:
            raise RuntimeError(f"{word}\x1b[2J\n")
        return word * times


async def test_a_command_is_called_with_texts_and_keeps_its_help() -> None:
    with context_of(Addon()) as context:
        found = context.master.commands
        assert found.call_strings("windsurf.double", ["a"]) == "aa"
        assert found.call_strings("windsurf.double", ["a", "3"]) == "aaa"
        assert found.commands["windsurf.double"].help == "Say it again."


async def test_failures_are_told_in_one_harmless_line() -> None:
    with context_of(Addon()) as context:
        found = context.master.commands
        with pytest.raises(exceptions.CommandError, match=r"^not that$"):
            found.call_strings("windsurf.double", ["a", "-1"])
        with pytest.raises(exceptions.CommandError) as caught:
            found.call_strings("windsurf.double", ["a", "0"])
        assert str(caught.value).startswith("windsurf.double failed: RuntimeError(")
        assert str(caught.value).isprintable()


def test_only_flows_of_http_are_taken() -> None:
    flow = tflow.tflow()
    assert http_flow(flow) is flow
    with pytest.raises(exceptions.CommandError, match="no HTTP flow"):
        http_flow(tflow.tudpflow())
