#!/usr/bin/env python3
"""Kills the daemon at random moments under load, starts it again, and audits what is left.

  tests/chaos/run.py --binary build/release/fairlead --seconds 60 --seed 7 [--kills 1000] [--json] [--keep]

Ends after the seconds, after so many kills, or with Ctrl-C; always with the audit of what is left. Every 200 kills a round ends with that audit and the next one begins with an empty
state and a seed of its own, as the audit after each restart reads all that ever happened. The seed replays every choice of the clients and the schedule of kills; how they fall
together depends on the machine. Exit codes: 0 no fault, 1 faults (they are printed, and the state is kept), 2 wrong arguments.
"""
import argparse
import json
import os
import platform
import random
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import processes
from auditor import FINAL_WORKLOAD, Auditor
from client import Client, Unanswered
from daemon import Daemon, NotReady
from load import Actor, Record
from watcher import Watcher

CLIENTS = 4
QUIET_SECONDS = 120.0
ROUND_KILLS = 200
AUDIT_EVERY = 10  # restarts between two verifications of the audit chain, which reads all of it
SHOWN_FAULTS = 25
ROOT = Path(__file__).resolve().parents[2]


class Chaos:
    """One round: from an empty state to the audit of what is left."""

    def __init__(self, binary: Path, state: Path, seed: int):
        self.state, self.seed = state, seed
        self.mark = secrets.token_hex(8)
        self.random = random.Random(f"{seed}-kills")
        self.record = Record()
        self.daemon = Daemon(binary.resolve(), state, self.mark)
        self.auditor = Auditor(self.daemon.database, state, self.daemon.socket, self.mark, self.record)
        self.watcher = Watcher(self.daemon.socket, self.record.fault)
        self.kills = self.supervisor_kills = 0
        self.enough = False

    def run(self, end: float, kills: int) -> None:
        """Until the moment `end` of the monotonic clock, or so many kills, or a fault."""
        self.daemon.spawn()
        self.daemon.await_ready()
        self.watcher.start()
        actors = [Actor(number, self.seed, self.daemon.socket, self.state, self.mark, self.record) for number in range(CLIENTS)]
        for actor in actors:
            actor.start()
        while time.monotonic() < end and self.kills < kills and not self.enough and not self.record.faults:
            self.strike()
        for actor in actors:
            actor.finish()
        self.quieten()
        self.check_end()

    def strike(self) -> None:
        """One entry of the schedule: wait, kill, start again, audit."""
        kind = self.random.choices(["daemon", "twice", "supervisor", "both"], [70, 12, 12, 6])[0]
        pause, early, pick = self.random.uniform(0.05, 1.6), self.random.uniform(0.0, 0.12), self.random.random()
        time.sleep(pause)
        if kind in ("supervisor", "both"):
            self.kill_supervisor(pick)
        if kind == "supervisor":
            return
        self.kill_daemon()
        if kind == "twice":  # in the middle of coming up
            time.sleep(early)
            self.kill_daemon()
        self.daemon.await_ready()
        self.auditor.quick()
        if self.kills % AUDIT_EVERY == 0:
            self.auditor.audit_trail()

    def kill_daemon(self) -> None:
        self.daemon.kill()
        self.kills += 1
        self.daemon.spawn()

    def kill_supervisor(self, pick: float) -> None:
        found = {processes.supervisor_of(one.pid) for one in processes.workload_processes(self.mark)} - {None}
        if found and processes.kill(sorted(found)[int(pick * len(found))]):
            self.supervisor_kills += 1

    def quieten(self) -> None:
        """Releases what is held and waits until every workload is final; gives up when none ends for a long time."""
        client = Client(self.daemon.socket, 30.0)
        fewest, deadline = sys.maxsize, time.monotonic() + QUIET_SECONDS
        while time.monotonic() < deadline:
            open_ones = self.open_workloads()
            if not open_ones:
                return
            if len(open_ones) < fewest:
                fewest, deadline = len(open_ones), time.monotonic() + QUIET_SECONDS
            for id, state in open_ones:
                if state == "held":
                    client.call("POST", f"/api/v1/workloads/{id}:release", {})
            time.sleep(0.25)

    def open_workloads(self) -> list[tuple[str, str]]:
        rows, cursor, client = [], "", Client(self.daemon.socket, 30.0)
        while True:
            status, page = client.call("GET", f"/api/v1/workloads?limit=1000{cursor}")
            if status != 200:
                self.record.fault(f"the list of workloads was answered {status}: {page}")
                return []
            rows += [(row["id"], row["state"]) for row in page["items"] if row["state"] not in FINAL_WORKLOAD]
            if "nextCursor" not in page:
                return rows
            cursor = f"&cursor={page['nextCursor']}"

    def check_end(self) -> None:
        self.auditor.full()
        with self.auditor.snapshot() as rows:
            (head,) = rows.execute("SELECT coalesce(max(sequence), 0) FROM events").fetchone()
        if not self.watcher.caught_up(head, 10.0):
            self.record.fault(f"the event stream stands at {self.watcher.last}, the store at {head}")
        self.watcher.stopping.set()
        if not self.daemon.stop():
            self.record.fault("the daemon does not end in order")
        deadline = time.monotonic() + 5
        while (left := processes.supervisors_in(self.state)) and time.monotonic() < deadline:
            time.sleep(0.1)
        if left:
            self.record.fault(f"supervisors are left: {left}")

    def clean(self) -> None:
        """Ends everything that this run started."""
        self.watcher.stopping.set()
        if self.daemon.process is not None and self.daemon.process.poll() is None:
            self.daemon.kill()
        for pid in processes.supervisors_in(self.state) + [found.pid for found in processes.workload_processes(self.mark)]:
            processes.kill(pid)


@dataclass
class Totals:
    rounds: int = 0
    kills: int = 0
    supervisors: int = 0
    submits: int = 0
    answers: int = 0
    retries: int = 0
    events: int = 0
    faults: int = 0

    def add(self, chaos: Chaos) -> None:
        self.rounds += 1
        self.kills += chaos.kills
        self.supervisors += chaos.supervisor_kills
        self.submits += len(chaos.record.submitted)
        self.answers += chaos.record.answers
        self.retries += chaos.record.retries
        self.events += chaos.watcher.last
        self.faults += len(chaos.record.faults)


def figure_row(bench: str, name: str, value: float, unit: str, goal: float) -> dict:
    """One measurement, as every bench prints it."""
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=False).stdout.strip()
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 30
    with open("/proc/cpuinfo") as file:
        cpu = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), platform.machine())
    machine = f"{cpu}, {os.cpu_count()} cores, {memory} GiB"
    return {"bench": bench, "name": name, "value": value, "unit": unit, "goal": goal, "peer": None, "ratio": None, "machine": machine,
            "commit": commit or "unknown"}


def figures(totals: Totals) -> list[dict]:
    return [figure_row("chaos", "chaos.kills", totals.kills, "kills", 1000), figure_row("chaos", "chaos.faults", totals.faults, "faults", 0)]


def parse(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--kills", type=int, default=0, help="end after so many kills; 0: only the time ends it")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--keep", action="store_true", help="keep the state also when there is no fault")
    options = parser.parse_args(words)
    if not options.binary.is_file():
        parser.error(f"{options.binary} is not a program")
    return options


def play(chaos: Chaos, end: float, kills: int) -> None:
    """One round, with everything that it started ended whatever happens."""
    def enough(*_):
        chaos.enough = True

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, enough)
    try:
        chaos.run(end, kills)
    except (NotReady, Unanswered) as problem:
        chaos.record.fault(str(problem))
    finally:
        chaos.clean()


def report(chaos: Chaos, keep: bool) -> None:
    faults = chaos.record.faults
    for text in faults[:SHOWN_FAULTS]:
        print(f"FAULT {text}")
    if faults:
        print(f"In the round with seed {chaos.seed}. The state is kept in {chaos.state}; end of the daemon's log:\n{chaos.daemon.log_tail()}")
    elif keep:
        print(f"The state is kept in {chaos.state}.")
    else:
        shutil.rmtree(chaos.state, ignore_errors=True)


def main(words: list[str]) -> int:
    options = parse(words)
    end = time.monotonic() + options.seconds
    totals, enough = Totals(), False
    while not enough:
        state = Path(tempfile.mkdtemp(prefix="fairlead-chaos-", dir="/var/tmp"))
        chaos = Chaos(options.binary, state, options.seed + totals.rounds)
        left = (options.kills or sys.maxsize) - totals.kills
        play(chaos, end, min(left, ROUND_KILLS))
        report(chaos, options.keep)
        totals.add(chaos)
        enough = chaos.enough or totals.faults > 0 or time.monotonic() >= end or 0 < options.kills <= totals.kills
    if options.json:
        for figure in figures(totals):
            print(json.dumps(figure))
    print(f"chaos: kills={totals.kills} supervisors={totals.supervisors} submits={totals.submits} answers={totals.answers} "
          f"retries={totals.retries} events={totals.events} rounds={totals.rounds} faults={totals.faults} seed={options.seed}")
    return 1 if totals.faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
