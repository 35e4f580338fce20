#!/usr/bin/env python3
"""Attacks servers of its own in every way that was thought of, and looks after each whether the server is well.

Everything happens on the loopback interface and ends by itself. What is random comes from --seed.
"""

import argparse
import importlib
import os
import pathlib
import random
import resource
import sys
import time
import traceback

from victim import ATTACKS, EXECUTABLE, Failure, Server, Skip, Victim, wire
from witness import Witness

for module in sorted(pathlib.Path(__file__).parent.glob("attacks_*.py")):
    importlib.import_module(module.stem)


def run(attack, seed, scale):
    """Prints a line about one attack; returns whether the server stood it."""
    began = time.monotonic()
    figures, failures = [], []
    try:
        with Victim(*attack.options) as server:
            server.prepare()
            # Each gets its numbers independently of the others, so that it can be repeated alone.
            numbers = random.Random(f"{seed} {attack.name}")
            steps = [lambda: attack.function(server, numbers, scale)]
            if not attack.ends:
                steps += [lambda: server.check(attack.memory), server.end]
            for step in steps:
                try:
                    with server.watched(attack.seconds * max(scale, 0.5)):
                        figures.append(step())
                except Skip as reason:
                    figures.append(f"skipped: {reason}")
                except (Failure, AssertionError, OSError, wire.Closed, EOFError, ValueError, KeyError) as error:
                    failures.append(str(error) if isinstance(error, Failure) else repr(error))
                    if os.environ.get("ABUSE_TRACE"):
                        traceback.print_exc()
                if server.process.poll() is not None:
                    break
    except (Failure, AssertionError, OSError, wire.Closed) as error:
        failures.append(f"did not start: {error}")
    verdict = "FAILED" if failures else "ok"
    told = "; ".join(failures + [f for f in figures if f])
    print(f"{verdict:6} {attack.name:22} {time.monotonic() - began:6.1f} s  {told}", flush=True)
    return not failures


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("attacks", nargs="*", metavar="ATTACK", help="which ones (default: all)")
    parser.add_argument("--list", action="store_true", help="prints the names of the attacks")
    parser.add_argument("--seed", type=int, help="repeats a run")
    parser.add_argument("--scale", type=float, default=1.0, help="how much of everything; 0.1 is a short run")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(ATTACKS))
        return 0
    unknown = set(arguments.attacks) - set(ATTACKS)
    if unknown:
        parser.error(f"no attack {', '.join(sorted(unknown))}")
    if not os.path.isdir("/proc/self/fd"):
        print("Memory and descriptors of a process are read from /proc, which this system does not have", file=sys.stderr)
        return 69
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 100_000), hard))
    seed = arguments.seed if arguments.seed is not None else random.randrange(1 << 32)
    # What is borrowed from the other tests takes its seed from there.
    os.environ["SEED"] = str(seed)
    names = arguments.attacks or list(ATTACKS)
    print(f"{len(names)} attacks on {EXECUTABLE}, --seed {seed}", flush=True)
    # With this one, which is not attacked, a witness compares how soon it is answered.
    with Server("--log-limit", "1000") as Witness.calm:
        failed = [name for name in names if not run(ATTACKS[name], seed, arguments.scale)]
    if failed:
        print(f"{len(failed)} of {len(names)} failed; to repeat: abuse.py --seed {seed} {' '.join(failed)}")
    else:
        print(f"All {len(names)} were stood")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
