"""The daemon on a cluster's login node, and a client that is one of the cluster's users."""
import http.client
import json
import os
import shutil
import socket
import subprocess
import time

from cluster import UID, Failed, cpu_of

LIMIT = 60.0  # seconds that anything is waited for


class Client(http.client.HTTPConnection):
    """On the daemon's socket. The daemon knows a client by the effective user at the moment of connecting."""

    def __init__(self, path, uid=UID):
        super().__init__("localhost", timeout=LIMIT)
        self.path, self.uid = str(path), uid

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(LIMIT)
        own = os.geteuid()
        os.seteuid(self.uid)
        try:
            self.sock.connect(self.path)
        finally:
            os.seteuid(own)

    def call(self, method, path, body=None):
        self.request(method, path, body, {} if body is None else {"Content-Type": "application/json"})
        answer = self.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise Failed(f"{method} {path}: {answer.status} {text[:500].decode(errors='replace')}")
        return json.loads(text)


class Daemon:
    def __init__(self, site, binary, folder, way):
        """`way`: commands or rest."""
        self.site, self.binary, self.folder, self.way, self.process = site, binary, folder, way, None
        self.socket, self.log = folder / "fairlead.sock", folder / "daemon.log"

    def __enter__(self):
        self.folder.mkdir(parents=True)
        runs = self.folder / "runs"
        runs.mkdir()
        runs.chmod(0o1777)
        self.folder.chmod(0o755)
        self.write_files(runs)
        self.start()
        self.tell("clusters", "add", "hpc", "-f", self.folder / "cluster.yaml")
        self.await_capacity()
        return self

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def write_files(self, runs):
        (self.folder / "fairlead.yaml").write_text(
            "stateDirectory: state\nstore: {kind: sqlite, path: state/fairlead.db}\nlisten: {unix: fairlead.sock}\n"
            "projects: projects.yaml\nengine: {local: {enabled: false}}\n", encoding="utf-8")
        (self.folder / "projects.yaml").write_text(
            "apiVersion: fairlead.io/v1\nkind: Project\nmetadata: {name: research}\nspec:\n"
            "  members: [{user: root, role: admin}, {user: alice, role: admin}]\n", encoding="utf-8")
        values = self.site.values
        by_rest = "" if self.way == "commands" else (
            f"    endpoint: {values['rest_url']}\n    tokenCommand: [{values['bin']}/scontrol, token, \"username=%u\", \"lifespan=%s\"]\n")
        programs = f"    programs: {self.site.programs}\n" if self.way == "commands" else ""
        (self.folder / "cluster.yaml").write_text(
            "apiVersion: fairlead.io/v1\nkind: Cluster\nmetadata: {name: hpc}\nspec:\n  engine: slurm\n  govern: {all: true}\n  depth: 100000\n"
            f"  slurm:\n{by_rest}{programs}    slurmConf: {values['slurm_conf']}\n    runFolder: \"{runs}/%u\"\n", encoding="utf-8")

    def start(self):
        with open(self.log, "ab") as log:
            self.process = self.site.begin("root", self.binary, "serve", "--config", self.folder / "fairlead.yaml", stdout=log, stderr=log)
        until = time.monotonic() + LIMIT
        while not self.ready():
            if self.process.poll() is not None or time.monotonic() > until:
                raise Failed(f"the daemon is not ready: {self.last_words()}")
            time.sleep(0.02)

    def ready(self):
        try:
            client = self.client(0)
            client.request("GET", "/readyz")
            return client.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False

    def stop(self):
        if self.process is None or self.process.poll() is not None:
            return
        self.process.terminate()
        try:
            self.process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def last_words(self):
        return self.log.read_text(encoding="utf-8", errors="replace")[-2000:]

    def tell(self, *words):
        done = subprocess.run([self.binary, "--address", f"unix://{self.socket}", *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              check=False, timeout=LIMIT)
        if done.returncode != 0:
            raise Failed(f"fairlead {' '.join(map(str, words))}: {done.stderr}")
        return done.stdout

    def await_capacity(self):
        """Until the cluster's nodes are known: before that nothing can be placed."""
        until = time.monotonic() + LIMIT
        client = self.client(0)
        while not client.call("GET", "/api/v1/nodes").get("items"):
            if time.monotonic() > until:
                raise Failed(f"no node of the cluster is known: {self.last_words()}")
            time.sleep(0.05)

    def client(self, uid=UID):
        return Client(self.socket, uid)

    def cpu(self):
        """Seconds of the daemon and of what it has run and waited for."""
        return cpu_of(self.process.pid), children_cpu(self.process.pid)

    def open_workloads(self):
        return bool(self.client().call("GET", "/api/v1/workloads?limit=1").get("items"))


def children_cpu(process):
    with open(f"/proc/{process}/stat", encoding="ascii", errors="replace") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")
