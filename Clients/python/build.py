#!/usr/bin/env python3
"""Builds the wheel around an executable: mock_apns-VERSION-py3-none-TAG.whl. Needs hatchling.

The same executable and sources give the same wheel, byte for byte.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
VERSION = "../../Sources/MockAPNSCore/Words/MockAPNSVersion.swift"


def main():
    parser = argparse.ArgumentParser(description="Builds the wheel around an executable.")
    parser.add_argument("--executable", required=True, type=Path, help="the command mock-apns for the wheel")
    parser.add_argument("--notices", type=Path, help="the licences of what is in the command, for a wheel that is published")
    parser.add_argument("--output", required=True, type=Path, help="the folder for the wheel; made when missing")
    parser.add_argument("--tag", help="the platform, such as manylinux_2_36_x86_64 (default: that of this machine)")
    options = parser.parse_args()
    if not os.access(options.executable, os.X_OK) or options.executable.is_dir():
        parser.error(f"{options.executable} is no executable")
    if options.notices and not options.notices.is_file():
        parser.error(f"{options.notices} is no file")
    if not (HERE / VERSION).is_file() or not (HERE / "src/mock_apns/scenarios").is_dir():
        parser.error("this folder is no clone of the repository, in which the version and the scenarios are")
    try:
        import hatchling
    except ImportError:
        parser.error("hatchling is missing: python -m pip install hatchling")

    output = options.output.resolve()
    output.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "MOCK_APNS_EXECUTABLE": str(options.executable.resolve())}
    environment["MOCK_APNS_NOTICES"] = str(options.notices.resolve()) if options.notices else ""
    environment["MOCK_APNS_WHEEL_TAG"] = options.tag or ""
    # Every time stamp in the wheel.
    environment.setdefault("SOURCE_DATE_EPOCH", "1577836800")
    with tempfile.TemporaryDirectory(dir=output) as folder:
        command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder]
        done = subprocess.run(command, cwd=HERE, env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stdout + done.stderr)
        (wheel,) = Path(folder).glob("*.whl")
        print(wheel.replace(output / wheel.name))


main()
