#!/usr/bin/env python3
"""starts.py STAMPS COUNT COMMAND...: runs the command so many times, one after another, each when the job before has long begun.

Prints for each the milliseconds from running the command to the job's first instruction. Run by measure_starts as the submitting user.
"""
import subprocess
import sys
import time
from pathlib import Path

LIMIT = 60.0
PAUSE = 0.3  # for the job before to be over with


def main():
    stamps, count, command = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    for _ in range(count):
        before = stamps.read_bytes().count(b"\n")
        begun = time.monotonic()
        subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
        while len(lines := stamps.read_bytes().split()) == before:
            if time.monotonic() > begun + LIMIT:
                sys.exit("a job did not begin within a minute")
            time.sleep(0.002)
        print(f"{(int(lines[-1]) / 1e9 - begun) * 1000:.3f}", flush=True)
        time.sleep(PAUSE)


if __name__ == "__main__":
    main()
