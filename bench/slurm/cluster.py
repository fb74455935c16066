"""A real Slurm for a measurement, and what slurmctld says of its own work."""
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from report import ROOT

SCRIPT = ROOT / "scripts/slurm_cluster.py"
DEVICES = 8  # on each node
USER, UID = "alice", 30001
# The same for every side. Slurm's own MinJobAge; its own throttle of 200 RPCs a second per user (`rl_enable`) is off, as it is by default.
EXTRA = "MinJobAge=300"


class Failed(Exception):
    """A side did not do its part."""


@dataclass
class Load:
    """What slurmctld did in a window."""
    seconds: float
    cpu: float  # seconds, of all its threads
    calls: dict = field(default_factory=dict)  # type of message: (how many, microseconds)

    def count(self, kind=""):
        return sum(number for name, (number, _) in self.calls.items() if kind in name)


class Site:
    def __init__(self, folder: Path, release: str, devices: int, extra: str = ""):
        self.folder, self.release, self.values = folder, release, {}
        self.extra = f"{EXTRA}\n{extra}"
        self.nodes = max(1, -(-devices // DEVICES))

    def __enter__(self):
        self.script("up", self.folder, "--release", self.release, "--nodes", self.nodes, "--extra", self.extra)
        self.values = dict(line.split("=", 1) for line in self.script("env", self.folder).splitlines())
        return self

    def __exit__(self, *_):
        self.script("wipe", self.folder, check=False)

    @property
    def programs(self):
        """Folder of the commands: the release's own where it is this machine's, so that no shell stands before them."""
        return Path("/usr/bin") if self.values["root"] == "/" else Path(self.values["bin"])

    @staticmethod
    def script(*words, check=True):
        done = subprocess.run([sys.executable, SCRIPT, *map(str, words)], cwd="/", stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                              timeout=900)
        if check and done.returncode != 0:
            raise Failed(f"slurm_cluster.py {' '.join(map(str, words))} ended with {done.returncode}: {done.stderr[-2000:]}")
        return done.stdout

    def run(self, user, *words):
        return self.script("as", self.folder, user, *words)

    def begin(self, user, *words, **options):
        """Starts a command as a user on the login node; the process is the command itself."""
        return subprocess.Popen([sys.executable, SCRIPT, "as", self.folder, user, *map(str, words)], cwd="/", stdin=subprocess.DEVNULL, **options)

    def jobs(self, state="PENDING,RUNNING,COMPLETING,CONFIGURING"):
        """How many jobs are in the queue, in this state."""
        return self.run("root", "squeue", "-h", "-r", "-t", state, "-o", "%i").count("\n")

    def await_empty(self, limit):
        until = time.monotonic() + limit
        while self.jobs():
            if time.monotonic() > until:
                raise Failed(f"the queue is not empty after {limit} s")
            time.sleep(0.2)

    # ---- slurmctld ----

    def slurmctld(self):
        """Its process, as this machine numbers it."""
        for name in os.listdir("/proc"):
            try:
                if name.isdigit() and Path(f"/proc/{name}/comm").read_text(encoding="utf-8").strip() == "slurmctld" and \
                        f"{self.folder}/" in Path(f"/proc/{name}/mountinfo").read_text(encoding="utf-8", errors="replace"):
                    return int(name)
            except OSError:
                continue  # ended meanwhile
        raise Failed("there is no slurmctld")

    def cpu(self):
        return cpu_of(self.slurmctld())

    def watch(self, seconds, meanwhile=lambda: None):
        """What slurmctld does in so many seconds, in which `meanwhile` is called again and again."""
        self.run("root", "sdiag", "--reset")
        begun, cpu = time.monotonic(), self.cpu()
        while time.monotonic() < begun + seconds:
            meanwhile()
            time.sleep(0.05)
        took, used = time.monotonic() - begun, self.cpu() - cpu
        return Load(took, used, calls_in(self.run("root", "sdiag")))


def cpu_of(process):
    """Seconds of CPU time of a process, of all its threads."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def calls_in(text):
    """The RPCs by type of message in what sdiag prints, without its own."""
    part = text.partition("statistics by message type")[2].partition("statistics by user")[0]
    rows = re.findall(r"^\s*(\w+)\s*\(\s*\d+\)\s*count:(\d+)\s.*total_time:(\d+)", part, re.MULTILINE)
    return {name: (int(count), int(total)) for name, count, total in rows if name != "REQUEST_STATS_INFO"}
