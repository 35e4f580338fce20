"""Opens N TLS connections to a port, lets HTTP/2 begin on each, prints `open` and holds them until standard input ends.

Usage: idle.py PORT AUTHORITY COUNT
"""

import asyncio
import ssl
import sys

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0"  # and an empty SETTINGS
ACKNOWLEDGEMENT = b"\0\0\0\4\1\0\0\0\0"


async def connect(port, context, turns):
    async with turns:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=context)
        writer.write(PREFACE)
        length = int.from_bytes((await reader.readexactly(9))[:3], "big")
        await reader.readexactly(length)  # the server's SETTINGS
        writer.write(ACKNOWLEDGEMENT)
        await reader.readexactly(9)  # the acknowledgement of ours
        return reader, writer


async def main(port, authority, count):
    context = ssl.create_default_context(cafile=authority)
    context.set_alpn_protocols(["h2"])
    turns = asyncio.Semaphore(20)
    held = await asyncio.gather(*(connect(port, context, turns) for _ in range(count)))
    print("open", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    closed = sum(reader.at_eof() for reader, _ in held)
    if closed:
        sys.exit(f"{closed} of {count} connections were closed by the server")
    for _, writer in held:
        writer.transport.abort()


asyncio.run(main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
