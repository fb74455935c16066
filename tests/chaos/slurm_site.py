"""The cluster, and the daemon that knows its users."""
import os
import subprocess
import sys
from pathlib import Path

from daemon import PROJECT, Daemon

SCRIPT = Path(__file__).resolve().parents[2] / "scripts/slurm_cluster.py"
CLUSTER = "hpc"
SUBMITTERS = ("alice", "bob")  # carol works by hand
CALL_SECONDS = 3
SETTLE_SECONDS = 8  # longer than any message of the relay is late
IDS_AT_ONCE = 5_000
DEPTH = 12  # attempts that may wait in Slurm's own queue


class Site:
    """A real Slurm in a folder of its own."""

    def __init__(self, folder: Path, release: str):
        self.folder, self.release, self.values = folder, release, {}

    def script(self, *words, check: bool = True) -> str:
        done = subprocess.run([sys.executable, SCRIPT, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=300)
        if check and done.returncode != 0:
            raise RuntimeError(f"slurm_cluster.py {' '.join(map(str, words))} ended with {done.returncode}: {done.stderr}")
        return done.stdout

    def up(self) -> None:
        # Jobs are short and many here: what watches their memory would cost more than they do.
        extra = "JobAcctGatherType=jobacct_gather/none\nMinJobAge=120"
        self.values = dict(line.split("=", 1) for line in self.script("up", self.folder, "--release", self.release, "--extra", extra).splitlines())

    def wipe(self) -> None:
        self.script("wipe", self.folder, check=False)

    def change(self, verb: str, daemon: str) -> None:
        self.script(verb, self.folder, daemon)

    def run(self, user: str, *words, check: bool = True) -> str:
        return self.script("as", self.folder, user, *words, check=check)

    def upstream(self) -> tuple[str, int]:
        host, _, port = self.values["rest_url"].removeprefix("http://").partition(":")
        return host, int(port)

    # -- the witness

    def accounted(self) -> list[dict[str, str]]:
        """Every run of every job, as slurmdbd has it. By ids: with a time, sacct leaves out jobs that were held until they were cancelled."""
        fields = "jobidraw,jobname,user,state,exitcode,start,end,elapsedraw,alloctres"
        config = self.run("root", "scontrol", "show", "config")
        following = int(next(line.split("=")[1] for line in config.splitlines() if line.startswith("NEXT_JOB_ID")))
        rows = []
        for first in range(1, following, IDS_AT_ONCE):
            ids = ",".join(map(str, range(first, min(first + IDS_AT_ONCE, following))))
            lines = self.run("root", "sacct", "-nPXDa", "-j", ids, "-o", fields).splitlines()
            rows += [dict(zip(fields.split(","), line.split("|"))) for line in lines if line.count("|") == 8]
        return rows

    def queued(self) -> list[tuple[int, str, str]]:
        """Jobs that slurmctld has and that have not ended: id, state, name."""
        lines = self.run("root", "squeue", "-h", "-o", "%A|%T|%j").splitlines()
        return [(int(job), state, name) for job, state, name in (line.split("|", 2) for line in lines)]

    def sbatch(self, user: str, name: str, text: str) -> int:
        words = ["sbatch", "--parsable", f"--job-name={name}", "--output=/dev/null", f"--chdir={self.folder}/home/{user}", "--wrap", text]
        return int(self.run(user, *words).split(";")[0])


class SlurmDaemon(Daemon):
    """Runs as root on the cluster's login node."""

    def __init__(self, binary: Path, state: Path, mark: str, site: Site):
        self.site = site
        super().__init__(binary, state, mark)

    def _write_config(self) -> None:
        (self.state / "fairlead.yaml").write_text("stateDirectory: run\nstore: {kind: sqlite, path: run/fairlead.db}\nlisten: {unix: fairlead.sock}\n"
                                                  "projects: projects.yaml\nengine: {local: {enabled: false}}\n")
        members = ", ".join(f"{{user: {user}, role: admin}}" for user in ("root", *SUBMITTERS))
        (self.state / "projects.yaml").write_text(f"apiVersion: fairlead.io/v1\nkind: Project\nmetadata: {{name: {PROJECT}}}\nspec:\n  members: [{members}]\n")

    def spawn(self) -> None:
        command = [sys.executable, SCRIPT, "as", self.site.folder, "root", self.binary, "serve", "--config", self.state / "fairlead.yaml"]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(command, cwd="/", stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, env=os.environ.copy())

    def connect(self, port: int) -> None:
        """Names the relay as the cluster's slurmrestd."""
        runs = self.state / "runs"
        runs.mkdir(mode=0o777, exist_ok=True)
        runs.chmod(0o1777)
        document = self.state / "cluster.yaml"
        document.write_text(f"""apiVersion: fairlead.io/v1
kind: Cluster
metadata: {{name: {CLUSTER}}}
spec:
  engine: slurm
  govern: {{all: true}}
  depth: {DEPTH}
  slurm:
    endpoint: http://127.0.0.1:{port}
    tokenCommand: [scontrol, token, "username=%u", "lifespan=%s"]
    reader: root
    slurmConf: {self.site.values["slurm_conf"]}
    runFolder: {runs}/%u
    jobInterval: 300ms
    nodeInterval: 2s
    callTimeout: {CALL_SECONDS}s
    submitSettle: {SETTLE_SECONDS}s
    callsAtOnce: 8
""")
        done = subprocess.run([self.binary, "--address", f"unix://{self.socket}", "clusters", "add", CLUSTER, "-f", document],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"clusters add ended with {done.returncode}: {done.stderr}")
