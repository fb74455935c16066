#!/usr/bin/env python3
"""A real daemon and a real Slurm with a relay between them that spoils requests and answers, under load; then the audit.

  tests/chaos/slurm_run.py --binary build/release/fairlead --faults 10000 --seed 7 [--release 22.05] [--seconds 3600] [--json] [--keep]

Ends after so many faults, after the seconds, at the first violation, or with Ctrl-C; always with the audit of what is left. In between the daemon is killed
and Slurm's own daemons are restarted or stopped for a while. Needs root (namespaces). Exit codes: 0 no violation, 1 violations (they are
printed, and the state is kept), 2 wrong arguments.
"""
import argparse
import json
import random
import secrets
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from auditor import FINAL_WORKLOAD
from client import Client, Unanswered
from daemon import NotReady
from load import Record
from run import SHOWN_FAULTS, figure_row
from slurm_auditor import SlurmAuditor
from slurm_load import ByHand, SlurmActor, cancel_endless
from slurm_relay import Relay
from slurm_site import CALL_SECONDS, SUBMITTERS, Site, SlurmDaemon
from watcher import Watcher

CLIENTS = 4
FINAL_SECONDS = 180.0  # after the last fault, until everything is final: the longest pause between two readings is 75 s
BY_HAND_SECONDS = 3.0
# What else happens. slurmctld is never killed: it would forget submissions that it has answered, which no client can prevent. Nor is slurmdbd: it
# would lose jobs that slurmctld has told it of, and it is the witness.
STRIKES = {"daemon": 36, "slurmrestd": 18, "slurmdbd": 12, "slurmctld": 8, "pause slurmctld": 8, "pause slurmdbd": 7, "pause slurmrestd": 7}


class SlurmChaos:
    """One run: from an empty cluster to the audit of what is left."""

    def __init__(self, options: argparse.Namespace, state: Path):
        self.options, self.state = options, state
        self.mark = secrets.token_hex(8)
        self.random = random.Random(f"{options.seed}-strikes")
        self.record = Record()
        self.site = Site(state / "c", options.release)
        self.daemon = SlurmDaemon(options.binary.resolve(), state, self.mark, self.site)
        self.auditor = SlurmAuditor(self.daemon.database, state, self.daemon.socket, self.mark, self.record, self.site, self.daemon.log)
        self.watcher = Watcher(self.daemon.socket, self.record.fault)
        self.by_hand = ByHand(self.site, self.record, BY_HAND_SECONDS)
        self.relay: Relay | None = None
        self.strikes = Counter()
        self.enough = False
        self.settled_after = 0.0

    def run(self) -> None:
        self.site.up()
        self.make_folders()
        self.relay = Relay(self.site.upstream(), self.options.seed, self.options.rate, CALL_SECONDS, self.state / "relay.log")
        port = self.relay.start()
        self.daemon.spawn()
        self.daemon.await_ready()
        self.relay.quiet = True  # whoever adds a cluster that does not answer is told so at once
        self.daemon.connect(port)
        self.relay.requests.clear()
        self.relay.quiet = False
        self.watcher.start()
        actors = [SlurmActor(number, self.options.seed, self.daemon.socket, self.state, self.mark, self.record, SUBMITTERS[number % 2])
                  for number in range(CLIENTS)]
        for thread in (*actors, self.by_hand):
            thread.start()
        self.disturb()
        for actor in actors:
            actor.finish()
        self.by_hand.finish()
        self.settle()
        self.check_end()

    def make_folders(self) -> None:
        lines = self.state / "lines"
        lines.mkdir()
        lines.chmod(0o1777)

    def disturb(self) -> None:
        end = time.monotonic() + self.options.seconds
        while time.monotonic() < end and self.relay.faults() < self.options.faults and not self.enough and not self.record.faults:
            pause = self.random.uniform(4.0, 14.0)
            kind = self.random.choices(list(STRIKES), list(STRIKES.values()))[0]
            span = self.random.uniform(0.0, 12.0) if self.random.random() < 0.3 else self.random.uniform(0.0, 3.0)
            if not self.wait(min(pause, end - time.monotonic())):
                self.strike(kind, span)

    def wait(self, seconds: float) -> bool:
        """True when the run is to end."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self.enough or self.record.faults or self.relay.faults() >= self.options.faults:
                return True
            time.sleep(0.1)
        return False

    def strike(self, kind: str, span: float) -> None:
        self.strikes[kind] += 1
        if kind == "daemon":
            self.daemon.kill()
            time.sleep(span / 6)
            self.daemon.spawn()
            self.daemon.await_ready()
            return self.auditor.quick()
        first, then = ("pause", "resume") if kind.startswith("pause ") else ("kill" if kind == "slurmrestd" else "stop", "start")
        name = kind.removeprefix("pause ")
        self.site.change(first, name)
        self.wait(span)
        self.site.change(then, name)

    def settle(self) -> None:
        """No faults any more: everything must become final."""
        self.relay.quiet = True
        client, begun = Client(self.daemon.socket, 30.0), time.monotonic()
        cancel_endless(client, self.record)
        while open_ones := self.open_workloads(client):
            if time.monotonic() - begun > FINAL_SECONDS:
                for row in open_ones[:10]:
                    self.record.fault(f"{row['id']} ({row['name']}) is {row['state']} {FINAL_SECONDS:g} s after the last fault: {row.get('waitingFor', '')}")
                return
            for row in open_ones:  # also what only Slurm holds: an answer to a hold may have been lost
                self.ask(client, f"/api/v1/workloads/{row['id']}:release")
            cancel_endless(client, self.record)
            time.sleep(0.5)
        self.settled_after = time.monotonic() - begun

    @staticmethod
    def ask(client: Client, path: str) -> None:
        try:
            client.call("POST", path, {})
        except Unanswered:
            pass

    def open_workloads(self, client: Client) -> list[dict]:
        status, page = client.call("GET", "/api/v1/workloads?limit=1000")
        if status != 200:
            self.record.fault(f"the list of workloads was answered {status}: {page}")
            return []
        return [row for row in page["items"] if row["state"] not in FINAL_WORKLOAD]

    def check_end(self) -> None:
        doubled = Counter(one.name for one in self.relay.doubled)
        self.auditor.final(doubled, dict(self.by_hand.jobs))
        for text in self.relay.trouble:
            self.record.fault(f"the relay itself: {text}")
        with self.auditor.snapshot() as rows:
            (head,) = rows.execute("SELECT coalesce(max(sequence), 0) FROM events").fetchone()
        if not self.watcher.caught_up(head, 10.0):
            self.record.fault(f"the event stream stands at {self.watcher.last}, the store at {head}")
        self.watcher.stopping.set()
        if not self.daemon.stop():
            self.record.fault("the daemon does not end in order")

    def clean(self) -> None:
        """Ends everything that this run started."""
        self.watcher.stopping.set()
        self.by_hand.stopping.set()
        if self.daemon.process is not None and self.daemon.process.poll() is None:
            self.daemon.kill()
        if self.relay is not None:
            self.relay.stop()
        self.site.wipe()


def parse(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--faults", type=int, default=10_000, help="end after so many faults")
    parser.add_argument("--seconds", type=float, default=7200.0, help="end after so long, whatever the number of faults")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--rate", type=float, default=0.5, help="part of the requests that get a fault")
    parser.add_argument("--release", default="22.05", choices=["22.05", "24.11", "26.05"])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--keep", action="store_true", help="keep logs and store also when there is no violation")
    options = parser.parse_args(words)
    if not options.binary.is_file():
        parser.error(f"{options.binary} is not a program")
    return options


def report(chaos: SlurmChaos) -> None:
    relay, faults = chaos.relay, chaos.record.faults
    if relay is not None:
        for kind in sorted(relay.counts):
            print(f"{kind:<10} {relay.requests[kind]:>6} requests  " + " ".join(f"{fault}={count}" for fault, count in sorted(relay.counts[kind].items())))
    print("strikes    " + (" ".join(f"{kind.replace(' ', '-')}={count}" for kind, count in sorted(chaos.strikes.items())) or "none"))
    for text in faults[:SHOWN_FAULTS]:
        print(f"VIOLATION {text}")
    if faults:
        print(f"The state is kept in {chaos.state}; end of the daemon's log:\n{chaos.daemon.log_tail()}")
    elif chaos.options.keep:
        print(f"The state is kept in {chaos.state}.")
    else:
        shutil.rmtree(chaos.state, ignore_errors=True)


def main(words: list[str]) -> int:
    options = parse(words)
    state = Path(tempfile.mkdtemp(prefix="fairlead-chaos-", dir="/var/tmp"))
    state.chmod(0o755)  # the cluster's users come here
    chaos = SlurmChaos(options, state)

    def enough(*_):
        chaos.enough = True

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, enough)
    begun = time.monotonic()
    try:
        chaos.run()
    except (NotReady, Unanswered, RuntimeError) as problem:
        chaos.record.fault(str(problem))
    finally:
        chaos.clean()
    report(chaos)
    injected = chaos.relay.faults() if chaos.relay else 0
    violations = len(chaos.record.faults)
    if options.json:
        for name, value, unit, goal in (("faults", injected, "faults", 10_000), ("violations", violations, "violations", 0)):
            print(json.dumps(figure_row("chaos-slurm", f"chaos.slurm.{name}", value, unit, goal)))
    print(f"chaos slurm: release={options.release} faults={injected} submissions={len(chaos.record.answered())} "
          f"doubled={len(chaos.relay.doubled) if chaos.relay else 0} by-hand={len(chaos.by_hand.jobs)} strikes={sum(chaos.strikes.values())} "
          f"settled={chaos.settled_after:.0f}s violations={violations} seconds={time.monotonic() - begun:.0f} seed={options.seed}")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
