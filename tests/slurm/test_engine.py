"""The suite of all engines on real Slurm clusters: every release, over slurmrestd and over the commands. All at once.

Each way runs in two programs: most cases one after another, and beside them the slow ones, on nodes that they may take away. The restart of
slurmctld disturbs everybody, so it comes last, when both ways are through with the rest.
"""
import concurrent.futures
import os
import re
import shlex
import subprocess
import sys
import time
import unittest
from pathlib import Path

from tests.slurm.harness import ROOT, SCRIPT, Cluster, lacking, script

RELEASES = ("22.05", "24.11", "26.05")
WAYS = ("slurmrestd", "commands")
SUITE = Path(os.environ.get("FAIRLEAD_BINARY", ROOT / "build/release/fairlead")).parent / "tests/slurm/slurm_conformance"
# Nodes are given up early; the node that a way takes away runs nothing of anybody else's.
EXTRA = "SlurmdTimeout=10\n" + "\n".join(
    f"PartitionName=lose-{way} Nodes={node} MaxTime=1-0 DefaultTime=01:00:00 State=UP" for way, node in zip(WAYS, ("n3", "n4")))
SLOW = "*/theTimeLimitEndsIt:*/aLostNodeIsTold"
RESTART = "*/theEnginesRestartHarmsNothing"
PROGRAM_LIMIT = 420  # seconds
runs = {}


class Way:
    """One way into one cluster, and what the suite said."""

    def __init__(self, cluster, way):
        self.cluster, self.way, self.output, self.seconds = cluster, way, "", 0.0

    def environment(self, partition, limit, interval):
        values, folder = self.cluster.values, self.cluster.folder
        wanted = {"CONF": values["slurm_conf"], "PROGRAMS": values["bin"], "USER": "alice", "FOLDER": folder / "suite", "PARTITION": partition,
                  "INTERVAL": interval, "RESTART": self.fault("restart"), "LOSE_NODE": self.fault("lose")}
        if self.way == "slurmrestd":
            wanted["ENDPOINT"] = values["rest_url"]
        return [f"FAIRLEAD_TEST_LIMIT={limit}", *(f"FAIRLEAD_SLURM_{name}={value}" for name, value in wanted.items())]

    def fault(self, what):
        """A program without arguments of its own for fault.py."""
        path = self.cluster.folder / "suite" / what
        if not path.exists():
            command = shlex.join([sys.executable, str(ROOT / "tests/slurm/fault.py"), str(self.cluster.folder), what])
            path.write_text(f"#!/bin/sh\nexec {command} \"$@\"\n", encoding="utf-8")
            path.chmod(0o755)
        return path

    def run(self, selection, partition="h100", limit=90, interval=300):
        begun = time.monotonic()
        command = [sys.executable, SCRIPT, "as", self.cluster.folder, "root", "env", *self.environment(partition, limit, interval), SUITE,
                   f"--gtest_filter={selection}", "--gtest_brief=0"]
        with subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", cwd=ROOT) as program:
            try:
                printed = program.communicate(timeout=PROGRAM_LIMIT)[0]
            except subprocess.TimeoutExpired:
                program.kill()
                printed = program.communicate()[0] + f"\n[  FAILED  ] ended after {PROGRAM_LIMIT} s\n"
        self.output += printed + f"\nexit code {program.returncode}\n"
        self.seconds += time.monotonic() - begun

    def cases(self, word):
        return re.findall(rf"^\[ *{word} *\] \S*/(\w+).*\(\d+ ms\)", self.output, re.M)


def run_release(release):
    cluster = Cluster(release, "--extra", EXTRA)
    unittest.addModuleCleanup(cluster.wipe)
    cluster.up()
    folder = cluster.folder / "suite"
    script("as", cluster.folder, "root", "install", "-d", "-m", "1777", folder)
    ways = {way: Way(cluster, way) for way in WAYS}
    with concurrent.futures.ThreadPoolExecutor() as threads:
        begun = [threads.submit(way.run, f"-{SLOW}:{RESTART}") for way in ways.values()]
        begun += [threads.submit(way.run, SLOW, f"lose-{way.way}", 200, 1000) for way in ways.values()]
        for one in begun:
            one.result()
    for way in ways.values():
        way.run(RESTART)
    return ways


def setUpModule():
    missing = lacking()
    if missing and os.environ.get("CI"):
        raise AssertionError(f"the engine was not tried on a real Slurm: {missing}")
    if missing:
        print(f"SKIPPED: the engine is not tried on a real Slurm: {missing}", flush=True)
        raise unittest.SkipTest(missing)
    if not SUITE.exists():
        raise AssertionError(f"{SUITE} is not built")
    with concurrent.futures.ThreadPoolExecutor() as threads:
        runs.update({release: threads.submit(run_release, release) for release in RELEASES})


class Release:
    """What every release must show; the classes below name one each."""

    release = ""

    def check(self, name):
        way = runs[self.release].result()[name]
        passed, failed, skipped = way.cases("OK"), way.cases("FAILED"), way.cases("SKIPPED")
        release = way.cluster.values["version"]
        print(f"Slurm {release} over {name}: {len(passed)} passed, {len(failed)} failed, {len(skipped)} skipped, {way.seconds:.0f} s of work", flush=True)
        if failed or skipped or way.output.count("\nexit code 0\n") != 3:
            print(way.output, flush=True)
        self.assertEqual((failed, skipped), ([], []))
        self.assertEqual(way.output.count("\nexit code 0\n"), 3, "a program of the suite failed")
        self.assertGreater(len(passed), 25)

    def test_over_slurmrestd(self):
        self.check("slurmrestd")

    def test_over_the_commands(self):
        self.check("commands")


class Release2205(Release, unittest.TestCase):
    release = "22.05"


class Release2411(Release, unittest.TestCase):
    release = "24.11"


class Release2605(Release, unittest.TestCase):
    release = "26.05"


if __name__ == "__main__":
    unittest.main()
