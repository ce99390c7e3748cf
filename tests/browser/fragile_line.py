"""A line between a browser and the server that can be cut, and mended: a relay of TCP on loopback."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress


class Line:
    def __init__(self, port: int) -> None:
        self._port = port
        self._open: set[asyncio.StreamWriter] = set()
        self._cut = False

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._cut:
            writer.close()
            return
        there, back = await asyncio.open_connection("127.0.0.1", self._port)
        self._open |= {writer, back}
        await asyncio.gather(_pour(reader, back), _pour(there, writer))
        self._open -= {writer, back}

    def cut(self) -> None:
        """Every connection ends in the middle of what it says, and no new one is made."""
        self._cut = True
        for end in list(self._open):
            end.transport.abort()

    def mend(self) -> None:
        self._cut = False


@asynccontextmanager
async def fragile(url: str) -> AsyncIterator[tuple[Line, str]]:
    """The line to ``url``, and the address at its near end."""
    line = Line(int(url.rpartition(":")[2]))
    server = await asyncio.start_server(line.carry, "127.0.0.1", 0)
    async with server:
        yield line, f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        line.cut()


async def _pour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()
