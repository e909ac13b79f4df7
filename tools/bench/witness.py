"""A witness behind a slow network: `ioproof witness`, and in front of it a proxy that delays everything a little."""

import asyncio
import contextlib
import multiprocessing
import os
import re
import secrets
import subprocess

from peers import Failed

DELAY_S = 0.0005  # each way; the system's timers may stretch it to 1 ms


async def hold_back(reader, writer):
    loop = asyncio.get_running_loop()
    while data := await reader.read(65536):
        loop.call_later(DELAY_S, writer.write, data)
    loop.call_later(2 * DELAY_S, writer.close)


async def serve_door(port, told):
    async def visit(reader, writer):
        inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(hold_back(reader, inner_writer), hold_back(inner_reader, writer), return_exceptions=True)

    server = await asyncio.start_server(visit, "127.0.0.1", 0)
    told.send(server.sockets[0].getsockname()[1])
    await server.serve_forever()


def door(port, told):
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve_door(port, told))


@contextlib.contextmanager
def delayed_witness(program, folder):
    """Yields the switches for a run that promises to this witness."""
    key = os.path.join(folder, "witness.key")
    with open(os.open(key, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        file.write(secrets.token_hex(32))
    command = [program, "witness", "--listen", "127.0.0.1:0", "--store", os.path.join(folder, "witness"), "--key-file", key]
    witness = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    line = witness.stdout.readline()
    port = re.search(r"listens on 127\.0\.0\.1:(\d+)", line)
    if not port:
        witness.kill()
        raise Failed(f"the witness does not begin: {line}")
    here, there = multiprocessing.Pipe()
    process = multiprocessing.Process(target=door, args=(int(port[1]), there), daemon=True)
    process.start()
    try:
        yield ("--witness", f"127.0.0.1:{here.recv()}", "--key-file", key)
    finally:
        process.kill()
        witness.terminate()
        witness.wait()
