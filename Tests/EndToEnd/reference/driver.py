"""The reference driver of `mock-apns suite`, with h2. Run it with: mock-apns suite -- python3 driver.py [--bug NAME]"""

import argparse
import asyncio
import json
import sys

from provider import BUGS, Provider


async def main(bug):
    provider = Provider(bug)
    reader = asyncio.StreamReader(limit=1 << 20)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)

    async def push(line):
        given = json.loads(line)
        try:
            result = await provider.push(given)
        except Exception as error:  # Whatever it is, the suite waits for a line.
            result = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps({"id": given["id"], **result}), flush=True)

    async with asyncio.TaskGroup() as pushes:
        async for line in reader:
            pushes.create_task(push(line))
    await provider.close()


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--bug", choices=BUGS, help="; ".join(f"{name}: {what}" for name, what in BUGS.items()))
asyncio.run(main(parser.parse_args().bug))
