"""A real Slurm for a test: brought up in a folder of its own, asked as its users would."""
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts/slurm_cluster.py"
LIMIT = 60  # seconds that anything is waited for, on a busy machine
VERSIONS = [f"v0.0.{number}" for number in range(45, 37, -1)]  # of slurmrestd's API, newest first


def until(holds, what, limit=LIMIT):
    """The first true result of `holds`."""
    end, pause = time.monotonic() + limit, threading.Event()
    while True:
        result = holds()
        if result:
            return result
        if time.monotonic() > end:
            raise AssertionError(f"not within {limit} s: {what}")
        pause.wait(0.1)


def script(*arguments, check=True, limit=600):
    """Runs scripts/slurm_cluster.py; gives what it printed."""
    done = subprocess.run([sys.executable, SCRIPT, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=limit, check=False)
    if check and done.returncode != 0:
        raise AssertionError(f"slurm_cluster.py {' '.join(map(str, arguments))} ended with {done.returncode}: {done.stderr}")
    return done if not check else done.stdout


def lacking():
    """What this machine or user lacks for a cluster; empty: nothing."""
    if os.geteuid() != 0 and not shutil.which("sudo"):
        return "only root can make clusters, and there is no sudo"
    programs = [name for name in ("slurmctld", "slurmd", "slurmrestd", "munged", "mariadbd", "debootstrap")
                if not shutil.which(name, path="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")]
    return f"{', '.join(programs)} missing: scripts/install-packages.sh slurm slurm-roots" if programs else ""


def new_folder():
    """For a cluster's users to reach; not there yet."""
    above = Path(tempfile.mkdtemp(prefix="fairlead-slurm-"))
    above.chmod(0o755)
    return above / "c"


class Cluster:
    def __init__(self, release, *options):
        self.release, self.options, self.folder, self.values = release, options, new_folder(), {}

    def up(self):
        printed = script("up", self.folder, "--release", self.release, *self.options)
        self.values = dict(line.split("=", 1) for line in printed.splitlines())
        return self

    def down(self):
        script("down", self.folder)

    def wipe(self):
        script("wipe", self.folder)
        shutil.rmtree(self.folder.parent, ignore_errors=True)

    def run(self, user, *command, check=True):
        return script("as", self.folder, user, *command, check=check)

    def change(self, verb, daemon):
        script(verb, self.folder, daemon)

    # ---- as people ask ----

    def nodes(self):
        """{name: state} as sinfo has it."""
        lines = self.run("alice", "sinfo", "-h", "-N", "-o", "%N %T").splitlines()
        return dict(line.split() for line in lines if line.split())

    def submit(self, user, script_text, *options):
        """Submits with sbatch from the user's home; the job's id. Its output is lost unless an option says where to."""
        usual = ["--parsable", f"--chdir={self.folder}/home/{user}", "--output=/dev/null"]
        return int(self.run(user, "sbatch", *usual, *options, "--wrap", script_text).split(";")[0])

    def accounted(self, job):
        """(user, account, state, exit code) of a job in sacct, or None."""
        lines = self.run("bob", "sacct", "-nPX", "-a", "-j", job, "-o", "user,account,state,exitcode").splitlines()
        return tuple(lines[0].split("|")) if lines else None

    def await_state(self, job, state):
        return until(lambda: (row := self.accounted(job)) and row[2] == state and row, f"job {job} {state}")

    # ---- as programs ask ----

    def rest(self, user, path, body=None):
        """Status and answer of slurmrestd over TCP; the answer is text where it is no JSON."""
        token = script("token", self.folder, user, 120).strip()
        request = urllib.request.Request(self.values["rest_url"] + path, data=None if body is None else json.dumps(body).encode(), headers={
            "X-SLURM-USER-NAME": user, "X-SLURM-USER-TOKEN": token, "Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=LIMIT) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def api(self):
        """The newest version of the API that slurmrestd serves."""
        return next(version for version in VERSIONS if self.rest("alice", f"/slurm/{version}/ping")[0] == 200)

    def unix_ping(self):
        """The status line of a ping over the unix socket, as root."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(LIMIT)
            connection.connect(self.values["rest_socket"])
            connection.sendall(f"GET /slurm/{self.api()}/ping HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
            return connection.recv(200).split(b"\r\n")[0].decode()

    # ---- what is there ----

    def processes(self):
        """Processes that see this cluster's mounts, whoever started them: {number: name}."""
        found = {}
        for name in os.listdir("/proc"):
            try:
                if name.isdigit() and f"{self.folder}/view/" in Path(f"/proc/{name}/mountinfo").read_text(encoding="utf-8", errors="replace"):
                    found[int(name)] = Path(f"/proc/{name}/comm").read_text(encoding="utf-8").strip()
            except OSError:
                continue  # ended meanwhile; a zombie has no mounts
        return found

    def listeners(self):
        """{port: set of addresses} listened on in the cluster's block of ports."""
        base, found = int(self.values["slurmctld_port"]), {}
        for table in ("/proc/net/tcp", "/proc/net/tcp6"):
            for line in Path(table).read_text(encoding="ascii").splitlines()[1:]:
                fields = line.split()
                address, _, port = fields[1].partition(":")
                if fields[3] == "0A" and base <= int(port, 16) < base + 100:
                    found.setdefault(int(port, 16), set()).add(address)
        return found
