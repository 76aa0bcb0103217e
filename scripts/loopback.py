"""Servers in processes of their own on 127.0.0.1: where they may listen, and whether they do."""

from __future__ import annotations

import asyncio
import socket


def free_port() -> int:
    """A port that nothing listens on; somebody else may take it first."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


async def listens(port: int, process: asyncio.subprocess.Process) -> bool:
    """Wait until a process accepts connections; False if it ends instead. It may take for ever."""
    while process.returncode is None:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.05)
        else:
            writer.close()
            return True
    return False
