"""What the tour stands on: a daemon of its own, the real command line, a terminal to print to, and a clean end."""
import json
import os
import pwd
import re
import secrets
import shlex
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

import tour_contract as contract

EXAMPLES = Path(__file__).resolve().parent
COMMAND_SECONDS, READY_SECONDS, PROMISE_SECONDS, END_SECONDS = 60, 30, 60, 20


class Broken(Exception):
    """A promise of the tour was not seen."""


def wait_until(what: str, condition, limit: float = PROMISE_SECONDS):
    """The first true value of condition(); Broken when there is none in time."""
    deadline = time.monotonic() + limit
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise Broken(f"{what} (not within {limit:g} s)")
        time.sleep(0.1)


def http(url: str, body=None, **headers: str) -> str:
    """The answer. A service that has told its address and does not listen yet is waited for."""
    data = None if body is None else json.dumps(body).encode()
    deadline = time.monotonic() + PROMISE_SECONDS
    while True:
        try:
            with urllib.request.urlopen(urllib.request.Request(url, data=data, headers=headers), timeout=10) as answer:
                return answer.read().decode()
        except (urllib.error.URLError, OSError) as problem:
            refused = isinstance(getattr(problem, "reason", problem), ConnectionRefusedError)
            if not refused or time.monotonic() > deadline:
                raise Broken(f"{url} answers: {problem}") from None
        time.sleep(0.1)


class Terminal:
    """Prints headings, commands with their output, and the promises that were seen."""

    def __init__(self):
        self.steps = 0

    def say(self, text: str = "") -> None:
        print(text, flush=True)

    def heading(self, text: str) -> None:
        self.steps += 1
        self.say(f"\n=== {self.steps}. {text}")

    def command(self, folder: str, words: list[str], output: str, keep: int) -> None:
        self.say(f"{folder}$ {shlex.join(words)}")
        lines = output.rstrip("\n").splitlines()
        if len(lines) > keep:
            self.say(f"  ... {len(lines) - keep} lines before")
        for line in lines[-keep:]:
            self.say("  " + line)

    def promise(self, seen, text: str) -> None:
        if not seen:
            raise Broken(text)
        self.say(f"  [seen] {text}")


class Daemon:
    """A daemon with all its state under one folder."""

    def __init__(self, binary: Path, state: Path):
        self.binary, self.state = binary, state
        with socket.create_server(("127.0.0.1", 0)) as server:
            self.port = server.getsockname()[1]
        self.mark = f"FAIRLEAD_TOUR={secrets.token_hex(8)}"
        self.log = state / "daemon.log"
        self.process: subprocess.Popen | None = None

    @property
    def address(self) -> str:
        return f"unix://{self.state}/run/fairlead.sock"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def write_config(self) -> Path:
        """The laptop configuration of examples/config with this folder, port and user put in."""
        changes = {
            "fairlead.yaml": [("stateDirectory: state", f"stateDirectory: {self.state}/run"), ("path: state/", f"path: {self.state}/run/"),
                              ("unix: state/", f"unix: {self.state}/run/"), ("127.0.0.1:7171", f"127.0.0.1:{self.port}")],
            "projects.yaml": [("user: root", f"user: {pwd.getpwuid(os.getuid()).pw_name}")],
            "prices.yaml": [],
        }
        folder = self.state / "config"
        folder.mkdir()
        (self.state / "run").mkdir(mode=0o700)
        for name, replacements in changes.items():
            text = (EXAMPLES / "config" / name).read_text()
            for old, new in replacements:
                if old not in text:
                    raise Broken(f"examples/config/{name} holds \"{old}\"")
                text = text.replace(old, new)
            (folder / name).write_text(text)
        return folder / "fairlead.yaml"

    def start(self) -> None:
        config = self.write_config()
        name, value = self.mark.split("=")
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [self.binary, "serve", "--config", config], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env={**os.environ, name: value}, start_new_session=True)
        wait_until("the daemon is ready", self.ready, READY_SECONDS)

    def ready(self) -> bool:
        if self.process.poll() is not None:
            raise Broken(f"the daemon stays up (it ended with {self.process.returncode})")
        try:
            with urllib.request.urlopen(self.url + "/readyz", timeout=2) as answer:
                return answer.status == 200
        except OSError:
            return False

    def stop(self) -> None:
        if self.process is None or self.process.poll() is not None:
            return
        self.process.terminate()
        try:
            self.process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def log_tail(self, lines: int = 20) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:]) if self.log.exists() else ""

    def left_over(self) -> list[int]:
        """Processes of this daemon or of its work that still live."""
        found = []
        for entry in Path("/proc").iterdir():
            try:
                environment = (entry / "environ").read_bytes().split(b"\0") if entry.name.isdigit() else []
                ours = self.mark.encode() in environment
                work = any(name.startswith(b"FAIRLEAD_WORKLOAD=") for name in environment)
                if ours or (work and (entry / "cwd").readlink().is_relative_to(self.state)):
                    found.append(int(entry.name))
            except OSError:
                continue  # ended meanwhile, or another user's
        return found


class Cli:
    """The real command line, against one daemon."""

    def __init__(self, daemon: Daemon, terminal: Terminal, work: Path):
        self.daemon, self.terminal, self.work = daemon, terminal, work
        kept = {name: value for name, value in os.environ.items() if not name.startswith("FAIRLEAD_")}
        self.environment = {**kept, "FAIRLEAD_ADDRESS": daemon.address, "LANG": "C.UTF-8", "COLUMNS": "140"}

    def run(self, words: list[str], folder: str = "") -> subprocess.CompletedProcess:
        try:
            return subprocess.run([self.daemon.binary, *words], cwd=self.work / folder, env=self.environment, text=True, errors="replace",
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=COMMAND_SECONDS)
        except subprocess.TimeoutExpired:
            raise Broken(f"fairlead {shlex.join(words)} answers (not within {COMMAND_SECONDS} s)") from None

    def show(self, line: str, *, folder: str = "", keep: int = 20, may_fail: bool = False) -> str:
        """Runs a command and prints it with its output, as a person would see it."""
        words = shlex.split(line)
        result = self.run(words, folder)
        self.terminal.command(folder, ["fairlead", *words], result.stdout, keep)
        if result.returncode != 0 and not may_fail:
            raise Broken(f"fairlead {line} ends with 0 (it ended with {result.returncode})")
        return result.stdout

    def ask(self, line: str, folder: str = ""):
        """The JSON answer of a command, unseen."""
        words = [*shlex.split(line), *contract.JSON]
        result = self.run(words, folder)
        try:
            if result.returncode == 0:
                return json.loads(result.stdout)
        except ValueError:
            pass
        raise Broken(f"fairlead {shlex.join(words)} gives JSON and 0 (it ended with {result.returncode}: {result.stdout.strip()[:300]})")

    def submit(self, file: str, folder: str) -> str:
        """Submits, prints, and returns the id."""
        found = contract.submitted_id(self.show(contract.SUBMIT.format(file), folder=folder))
        if found is None:
            raise Broken("submit prints the id of the workload")
        return found

    def workload(self, name: str) -> dict:
        return self.ask(contract.DESCRIBE.format(name))

    def wait_for_state(self, name: str, *states: str) -> dict:
        def reached():
            workload = self.workload(name)
            if workload["state"] in contract.FINAL and workload["state"] not in states:
                raise Broken(f"{name} becomes {' or '.join(states)} (it is {workload['state']})")
            return workload if workload["state"] in states else None

        return wait_until(f"{name} becomes {' or '.join(states)}", reached)


def copy_examples(work: Path) -> None:
    """Folders of their own for what runs, so that nothing is left in the sources."""
    for name in ("train", "serve", "notebook", "platform", "gang", "sbatch"):
        shutil.copytree(EXAMPLES / name, work / name, ignore=shutil.ignore_patterns("__pycache__", "ckpt*", "out*", "*-address", "*-token"))


def find_process(folder: Path, program: str) -> int | None:
    """The Python process that runs `program` in `folder`."""
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0") if entry.name.isdigit() else []
            if len(words) > 1 and re.search(rb"python", words[0]) and words[1] == program.encode() and (entry / "cwd").readlink() == folder:
                return int(entry.name)
        except OSError:
            continue
    return None


def kill_hard(process: int) -> None:
    """SIGKILL, then waits until the process is gone, so that it completes nothing behind our back."""
    os.kill(process, signal.SIGKILL)
    status = Path(f"/proc/{process}/status")

    def gone() -> bool:
        try:
            return "State:\tZ" in status.read_text()
        except OSError:
            return True

    wait_until("a killed process is gone", gone)


def end_everything(cli: Cli, daemon: Daemon) -> list[int]:
    """Cancels what still runs, stops the daemon, ends what is left by force. The processes that needed force."""
    if daemon.process is not None and daemon.process.poll() is None:
        try:
            open_ids = lambda: [row["id"] for row in contract.items(cli.ask(contract.WORKLOADS)) if row["state"] not in contract.FINAL]
            for name in open_ids():
                cli.run(shlex.split(contract.CANCEL.format(name)))
            wait_until("everything ends after a cancel", lambda: not open_ids(), END_SECONDS)
        except (Broken, KeyError, TypeError) as problem:
            print(f"while ending: {problem}", flush=True)
    daemon.stop()
    deadline = time.monotonic() + 5
    while (left := daemon.left_over()) and time.monotonic() < deadline:
        time.sleep(0.1)
    for process in left:
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            pass
    return left
