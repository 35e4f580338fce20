"""Memory of many connections: what an idle one takes, and what is given back after a peak. Needs Linux."""

import pathlib
import resource
import subprocess
import sys
import unittest

from server import ROOT, Server, until

COUNT = 1000
IDLE = ROOT / "Tests/Benchmarks/idle.py"


@unittest.skipUnless(pathlib.Path("/proc/self/status").exists(), "memory is read from /proc")
class Memory(unittest.TestCase):
    def setUp(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4 * COUNT)), hard))

    def open(self, server, count):
        """Connections that a process of their own holds until its standard input ends."""
        command = [sys.executable, IDLE, str(server.port), server.authority, str(count)]
        client = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(client.kill)
        self.assertEqual(client.stdout.readline(), "open\n")
        return client

    def close(self, client):
        client.communicate()
        self.assertEqual(client.returncode, 0)

    def test_connections_take_little_memory_and_release_it(self):
        with Server() as server:
            # What is allocated once is not counted.
            self.close(self.open(server, 20))
            before = server.resident()
            client = self.open(server, COUNT)
            peak = server.resident()
            # nghttpd has 42 to 47 KB, and so would have nghttp2's 16 KB for frames in full.
            self.assertLess((peak - before) / COUNT, 44 * 1024)
            self.close(client)
            until(lambda: server.resident() - before < (peak - before) / 2, lambda: "it keeps more than half")


if __name__ == "__main__":
    unittest.main()
