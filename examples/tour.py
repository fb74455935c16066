#!/usr/bin/env python3
"""The tour: a daemon on this machine, real work, and every promise checked as it is shown.

  examples/tour.py --binary build/release/fairlead [--once] [--state FOLDER]

Everything goes through the real command line; each step prints the command and its output, then checks the JSON behind it.
Afterwards the daemon stays up until Ctrl-C; with --once the tour ends everything it started. Exit codes: 0 all promises
were seen, 1 one was not (it is named, and the state is kept), 2 wrong arguments.
"""
import argparse
import hashlib
import json
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

import tour_contract as contract
from tour_support import EXAMPLES, Broken, Cli, Daemon, Terminal, copy_examples, end_everything, find_process, http, kill_hard, wait_until

HALF_OF_THE_STEPS = 120
INK = "  ..::--==++**##@"  # a character for each darkness of a pixel, 0 to 16


class Tour:
    """The steps in order. What one step learns and a later one needs is an attribute."""

    def __init__(self, cli: Cli, terminal: Terminal):
        self.cli, self.terminal, self.work = cli, terminal, cli.work

    def take(self) -> None:
        for step in (self.nodes, self.sbatch, self.platform, self.train, self.notebook, self.gang_waits, self.kill_trainer,
                     self.gang_runs, self.recovery, self.model, self.serve, self.lineage, self.usage, self.audit):
            step()

    def nodes(self) -> None:
        self.terminal.heading("What there is: this machine, with devices that the configuration declares")
        self.cli.show(contract.NODES)
        have = contract.devices_by_model(self.cli.ask(contract.NODES))
        self.terminal.promise(have == {"h100": 4, "ascend-910b": 2}, "4 h100 and 2 ascend-910b, nothing made up")

    def sbatch(self) -> None:
        self.terminal.heading("Habits are kept: an sbatch script, tried without being submitted")
        self.cli.show(contract.DRY_RUN.format("../sbatch/train.sbatch"), folder="train")
        answer = self.cli.ask(contract.DRY_RUN.format("../sbatch/train.sbatch"), folder="train")
        self.terminal.promise(contract.not_mapped(answer) == ["--mail-user"], "what the script says and Fairlead does not map is named, not dropped")
        self.terminal.promise(not contract.items(self.cli.ask(contract.WORKLOADS)), "a dry run stores nothing")

    def platform(self) -> None:
        self.terminal.heading("A platform service")
        service = self.cli.submit("workload.yaml", "platform")
        self.cli.wait_for_state(service, "running")
        address = self.written("platform/heartbeat-address")
        metrics = wait_until("the service has sampled", lambda: "host_load1 " in (text := http(address + "/metrics")) and text)
        self.terminal.say(f"$ curl {address}/metrics\n  " + "\n  ".join(line for line in metrics.splitlines() if not line.startswith("#")))
        self.terminal.promise(True, "it runs and answers")

    def train(self) -> None:
        self.terminal.heading("A trainer on two devices")
        self.trainer = self.cli.submit("workload.yaml", "train")
        self.cli.wait_for_state(self.trainer, "running")
        self.cli.show(contract.WORKLOADS)
        self.terminal.promise(wait_until("the trainer's process", self.trainer_process), "it was queued, placed and runs as a real process")

    def notebook(self) -> None:
        self.terminal.heading("A notebook beside it, on another kind of device")
        self.kernel = self.cli.submit("workload.yaml", "notebook")
        self.cli.wait_for_state(self.kernel, "running")
        address, token = self.written("notebook/notebook-address"), self.written("notebook/notebook-token")
        cell = "import os; {name: value for name, value in os.environ.items() if name.endswith('VISIBLE_DEVICES')}"
        answer = json.loads(http(address + "/run", {"code": cell}, Authorization=f"Bearer {token}"))
        self.terminal.say(f">>> {cell}\n  {answer['result']}")
        self.terminal.promise(answer["error"] is None and "ASCEND" in answer["result"], "a cell ran, and its vendor's variable shows it one device")

    def gang_waits(self) -> None:
        self.terminal.heading("More than fits: a gang of four wants four h100, two are taken")
        self.gang = self.cli.submit("workload.yaml", "gang")
        wait_until("the gang is explained", lambda: contract.verdict(self.cli.ask(contract.EXPLAIN.format(self.gang))) == "not-now")
        said = self.cli.show(contract.EXPLAIN.format(self.gang))
        explanation = self.cli.ask(contract.EXPLAIN.format(self.gang))
        self.terminal.promise(self.cli.workload(self.gang)["state"] == "queued", "the gang waits whole: no rank was started")
        codes = contract.reason_codes(explanation)
        self.terminal.promise(codes & {"devices-short", "gang-incomplete"} and "h100" in said, "explain says that h100 are missing")

    def kill_trainer(self) -> None:
        self.terminal.heading("An accident: the trainer is killed half-way, and its newest checkpoint is torn")
        checkpoints = self.work / "train/ckpt"
        wait_until("the trainer is half-way", lambda: any(int(path.name[5:]) >= HALF_OF_THE_STEPS for path in whole_checkpoints(checkpoints)))
        time.sleep(0.5)  # some steps after that checkpoint, so that there is work to lose
        torn = checkpoints / "step-000999"
        torn.mkdir()
        (torn / "weights.npz").write_bytes(b"PK\x03\x04 half of a file")
        process = wait_until("the trainer's process", self.trainer_process)
        self.terminal.say(f"$ kill -KILL {process}      # and {torn.relative_to(self.work)} holds half a file, without the marker DONE")
        kill_hard(process)
        self.newest = whole_checkpoints(checkpoints)[-1].name
        first = wait_until("the end of the first attempt is noticed", lambda: self.ended_attempt(self.trainer, 1))
        self.cli.show(contract.DESCRIBE.format(self.trainer), keep=40)
        self.terminal.promise(contract.failure(first) == "signal" and contract.ended_by_signal(first) == signal.SIGKILL, "attempt 1 ended by signal 9, told exactly")

    def gang_runs(self) -> None:
        self.terminal.heading("The gang gets its turn")
        self.cli.wait_for_state(self.gang, "succeeded")
        said = self.cli.show(contract.LOGS.format(self.gang), keep=8)
        self.terminal.promise("over 4 ranks, 20 rounds right" in said, "four ranks found each other, and every sum was right")

    def recovery(self) -> None:
        self.terminal.heading("The trainer goes on from its newest valid checkpoint")
        self.cli.show(contract.WAIT.format(self.trainer))
        workload = self.cli.wait_for_state(self.trainer, "succeeded")
        self.cli.show(contract.LOGS.format(self.trainer), keep=8)
        tries = contract.attempts(workload)
        self.terminal.promise([attempt["state"] for attempt in tries] == ["failed", "succeeded"], "two attempts: one failed, one succeeded")
        resumed = Path(contract.resumed_from(tries[1])).name
        self.terminal.promise(resumed == self.newest, f"attempt 2 resumed from {resumed}, not from the torn one and not from the beginning")

    def model(self) -> None:
        self.terminal.heading("What came out: a model version")
        self.cli.show(contract.DESCRIBE_MODEL.format("digits"))
        version = contract.newest_version(self.cli.ask(contract.DESCRIBE_MODEL.format("digits")))
        self.version = contract.number(version)
        second = contract.attempts(self.cli.workload(self.trainer))[1]["id"]
        self.terminal.promise(contract.made_by(version) == (self.trainer, second), f"version {self.version} was made by attempt 2 of {self.trainer}")
        self.terminal.promise(contract.digest(version), f"its content is fixed by a digest: {contract.digest(version)[:24]}...")
        self.terminal.promise({"loss", "accuracy"} <= set(contract.metrics(version)), f"its metrics are kept: {contract.metrics(version)}")

    def serve(self) -> None:
        self.terminal.heading("An inference service that names this version")
        weights = self.work / "train/out/model/weights.npz"
        made = hashlib.sha256(weights.read_bytes()).hexdigest()
        weights.write_bytes(b"overwritten by a careless hand")
        self.terminal.say(f"$ echo overwritten by a careless hand > {weights.relative_to(self.work)}")
        file = self.work / "serve/workload.yaml"
        file.write_text(file.read_text().replace("version: v1", f"version: v{self.version}"))
        self.api = self.cli.submit("workload.yaml", "serve")
        self.cli.wait_for_state(self.api, "running")
        address = self.written("serve/serve-address")
        served = json.loads(http(address + "/metadata"))["sha256"]["weights.npz"]
        self.terminal.promise(served == made, f"it serves exactly the version's bytes (sha256 {made[:12]}...), whatever became of the folder")
        self.predict(address)

    def predict(self, address: str) -> None:
        line = (EXAMPLES / "train/digits.txt").read_text().splitlines()[-1]
        digit, pixels = int(line[0]), [int(character, 17) for character in line[2:]]
        for row in range(0, 64, 8):
            self.terminal.say("  " + "".join(INK[pixel] * 2 for pixel in pixels[row:row + 8]))
        answer = json.loads(http(address + "/predict", {"instances": [pixels]}))
        self.terminal.say(f"$ curl {address}/predict -d @image.json\n  {json.dumps(answer)}")
        self.terminal.promise(answer["predictions"][0]["digit"] == digit, f"it reads the digit {digit}, in an image that it was not trained on")

    def lineage(self) -> None:
        self.terminal.heading("One screen from request to model: who asked, what ran, what it cost, who serves it")
        self.cli.show(contract.DESCRIBE_MODEL.format("digits"))
        version = contract.newest_version(self.cli.ask(contract.DESCRIBE_MODEL.format("digits")))
        self.terminal.promise(contract.money(version) > 0, "the version has a cost")
        self.terminal.promise(self.api in contract.served_by(version), f"and is served by {self.api}")

    def usage(self) -> None:
        self.terminal.heading("Usage and cost")
        self.cli.show(contract.CANCEL.format(self.kernel))
        self.cli.wait_for_state(self.kernel, "cancelled")
        self.cli.show(contract.USAGE)
        rows = contract.items(self.cli.ask(contract.USAGE))
        self.terminal.promise({contract.project(row) for row in rows} >= {"research", "search"}, "both projects have postings")
        self.terminal.promise(sum(contract.money(row) for row in rows) > 0, "they have a price")
        lost = sum(contract.lost_device_seconds(row) for row in rows)
        self.terminal.promise(lost > 0, f"the work that the accident threw away is told apart: {lost:.1f} device-seconds")

    def audit(self) -> None:
        self.terminal.heading("The audit trail")
        self.cli.show(contract.AUDIT)
        self.cli.show(contract.AUDIT_VERIFY)
        self.terminal.promise(contract.audit_holds(self.cli.ask(contract.AUDIT_VERIFY)), "the chain of records is whole")

    def written(self, name: str) -> str:
        path = self.work / name
        return wait_until(f"{name} is written", lambda: path.exists() and path.read_text().strip())

    def trainer_process(self) -> int | None:
        return find_process(self.work / "train", "train.py")

    def ended_attempt(self, name: str, number: int) -> dict | None:
        tries = [attempt for attempt in contract.attempts(self.cli.workload(name)) if attempt["number"] == number]
        return tries[0] if tries and tries[0]["state"] in contract.FINAL else None


def whole_checkpoints(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("step-*") if (path / "DONE").exists())


def stay_up(daemon: Daemon, terminal: Terminal) -> None:
    terminal.say(f"""
The daemon stays up at {daemon.url} (health, metrics) and {daemon.address}. In another terminal:
  export FAIRLEAD_ADDRESS={daemon.address}
  {daemon.binary} get workloads --all
Ctrl-C ends it and everything it runs.""")
    while daemon.process.poll() is None:
        time.sleep(0.5)
    raise Broken(f"the daemon stays up (it ended with {daemon.process.returncode})")


def prepare_state(given: Path | None) -> Path:
    if given is None:
        return Path(tempfile.mkdtemp(prefix="fairlead-tour-")).resolve()
    given.mkdir(parents=True, exist_ok=True)
    if any(given.iterdir()):
        sys.exit(f"tour: {given} is not empty: name a new folder with --state")
    return given.resolve()


def run(options, state: Path) -> int:
    terminal, daemon = Terminal(), Daemon(options.binary.resolve(), state)
    work = state / "work"
    copy_examples(work)
    cli = Cli(daemon, terminal, work)
    begun, code = time.monotonic(), 1
    try:
        daemon.start()
        terminal.say(f"Daemon ready at {daemon.url}, state in {state}")
        Tour(cli, terminal).take()
        terminal.say(f"\nAll promises seen in {time.monotonic() - begun:.0f} s.")
        code = 0
        if not options.once:
            stay_up(daemon, terminal)
    except (Broken, KeyError, TypeError, ValueError, OSError) as problem:
        code = 1
        what = str(problem) if isinstance(problem, Broken) else f"an answer has the expected shape ({type(problem).__name__}: {problem})"
        terminal.say(f"\nNOT SEEN: {what}\n--- end of {daemon.log}\n{daemon.log_tail()}")
    except KeyboardInterrupt:
        terminal.say("\nEnding.")
    for end in (signal.SIGINT, signal.SIGTERM):
        signal.signal(end, signal.SIG_IGN)
    left = end_everything(cli, daemon)
    if left:
        terminal.say(f"NOT SEEN: everything ends with a cancel (these processes needed force: {left})")
        code = 1
    return code


def main() -> int:
    parser = argparse.ArgumentParser(description="Start a daemon and show what it does.")
    parser.add_argument("--binary", type=Path, required=True, help="the fairlead program")
    parser.add_argument("--once", action="store_true", help="end after the tour")
    parser.add_argument("--state", type=Path, help="an empty folder for everything; kept (default: a temporary one)")
    options = parser.parse_args()
    if not options.binary.is_file():
        parser.error(f"{options.binary} does not exist: build it first (./dev build)")
    for end in (signal.SIGINT, signal.SIGTERM):  # also when a shell in the background had it ignored
        signal.signal(end, signal.default_int_handler)
    state = prepare_state(options.state)
    code = run(options, state)
    if code == 0 and options.state is None:
        shutil.rmtree(state, ignore_errors=True)
    elif code != 0:
        print(f"The state is kept in {state}", flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
