"""The same jobs handed over in four ways, each on a cluster of its own that is fresh."""
import json
import selectors
import socket
import time
from dataclasses import dataclass
from urllib.parse import urlsplit

from cluster import USER, Failed
from report import median
from work import batches

AT_ONCE = 16  # connections to slurmrestd, sbatch of xargs
SECONDS_A_JOB = 0.5  # after which a side is given up


@dataclass
class Outcome:
    """Of one side. Seconds but for the rate."""
    per_s: float  # accepted
    total: float  # from the first submission to an empty queue
    wait: float  # median from the first submission to a job's beginning
    ctld: float  # CPU time of slurmctld
    told: float = 0.0  # Fairlead: when it had told the last end
    daemon: float = 0.0  # Fairlead: CPU time of the daemon
    children: float = 0.0  # and of what it ran


def measure(site, work, jobs, hand_over):
    """`hand_over` returns when all are accepted."""
    cpu, begun = site.cpu(), time.monotonic()
    hand_over()
    accepted = time.monotonic() - begun
    work.await_all(jobs, 60 + jobs * SECONDS_A_JOB)
    site.await_empty(60)
    total = time.monotonic() - begun
    return Outcome(jobs / accepted, total, median([at - begun for at in work.started()]), site.cpu() - cpu)


# ---- Slurm's own ----

def run_shell(site, text):
    done = site.begin(USER, "/bin/sh", "-c", text)
    if done.wait() != 0:
        raise Failed(f"`{text}` ended with {done.returncode}")


def sbatch_loop(site, work, jobs):
    text = f"i=0; while [ $i -lt {jobs} ]; do {site.programs}/sbatch {work.script} >/dev/null || exit 1; i=$((i + 1)); done"
    return measure(site, work, jobs, lambda: run_shell(site, text))


def sbatch_xargs(site, work, jobs):
    text = f"seq {jobs} | xargs -P{AT_ONCE} -n1 {site.programs}/sbatch {work.script} >/dev/null"
    return measure(site, work, jobs, lambda: run_shell(site, text))


def rest_body(version, script):
    """The job as slurmrestd takes it: it reads no directives."""
    job = {"name": "short", "current_working_directory": "/tmp", "standard_output": "/dev/null", "tasks": 1, "cpus_per_task": 1}
    path = "PATH=/usr/bin:/bin"
    if version < 40:
        job |= {"environment": dict([path.split("=", 1)]), "gres": "gpu:h100:1", "memory_per_node": 10, "time_limit": 5}
    else:
        job |= {"environment": [path], "tres_per_node": "gres/gpu:h100:1", "memory_per_node": {"number": 10, "set": True}, "time_limit": {"number": 5, "set": True}}
    return json.dumps({"script": script, "job": job})


def exchange(host, port, request):
    with socket.create_connection((host, port), 30) as connection:
        connection.sendall(request)
        return Answer(connection).wait()


class Answer:
    """One HTTP answer of a connection, in pieces."""

    def __init__(self, connection):
        self.connection, self.text = connection, b""

    def take(self):
        """Status and body once it is whole."""
        piece = self.connection.recv(1 << 16)
        self.text += piece
        head, blank, body = self.text.partition(b"\r\n\r\n")
        lengths = [int(line.split(b":")[1]) for line in head.split(b"\r\n")[1:] if line.lower().startswith(b"content-length:")]
        if blank and lengths and len(body) >= lengths[0]:
            self.text = b""
            return int(head.split(b" ", 2)[1]), body
        if not piece:
            raise Failed(f"slurmrestd ended the connection: {self.text[:300]!r}")
        return None

    def wait(self):
        while (whole := self.take()) is None:
            pass
        return whole


class Poster:
    """Keep-alive connections to slurmrestd, one request under way on each."""

    def __init__(self, site, script):
        address = urlsplit(site.values["rest_url"])
        self.host, self.port = address.hostname, address.port
        self.head = f"Host: {self.host}\r\nX-SLURM-USER-NAME: {USER}\r\nX-SLURM-USER-TOKEN: {site.script('token', site.folder, USER, 3600).strip()}\r\n"
        version = next(number for number in range(45, 37, -1)
                       if exchange(self.host, self.port, f"GET /slurm/v0.0.{number}/ping HTTP/1.1\r\n{self.head}\r\n".encode())[0] == 200)
        body = rest_body(version, script)
        self.request = (f"POST /slurm/v0.0.{version}/job/submit HTTP/1.1\r\n{self.head}Content-Type: application/json\r\n"
                        f"Content-Length: {len(body)}\r\n\r\n{body}").encode()

    def post(self, jobs):
        left, done = jobs, 0
        with selectors.DefaultSelector() as selector:
            for _ in range(min(AT_ONCE, jobs)):
                connection = socket.create_connection((self.host, self.port), 30)
                selector.register(connection, selectors.EVENT_READ, Answer(connection))
                connection.sendall(self.request)
                left -= 1
            while done < jobs:
                for key, _ in selector.select(60):
                    answer = key.data.take()
                    if answer is None:
                        continue
                    if answer[0] != 200 or b'"job_id": 0' in answer[1]:
                        raise Failed(f"slurmrestd: {answer[0]} {answer[1][:500]!r}")
                    done += 1
                    if left > 0:
                        key.fileobj.sendall(self.request)
                        left -= 1
                    else:
                        selector.unregister(key.fileobj)
                        key.fileobj.close()


def rest_posts(site, work, jobs):
    poster = Poster(site, work.script.read_text(encoding="utf-8"))
    return measure(site, work, jobs, lambda: poster.post(jobs))


# ---- Fairlead ----

def fairlead(site, work, jobs, daemon):
    bodies = batches([work.document(f"short-{number}") for number in range(jobs)])

    def hand_over():
        client = daemon.client()
        for body in bodies:
            client.call("POST", "/api/v1/workloads:batch", body)
    before, begun = daemon.cpu(), time.monotonic()
    outcome = measure(site, work, jobs, hand_over)
    until = time.monotonic() + 120
    while daemon.open_workloads():
        if time.monotonic() > until:
            raise Failed("Fairlead has not told the end of all jobs within 120 s of an empty queue")
        time.sleep(0.1)
    outcome.told = time.monotonic() - begun
    after = daemon.cpu()
    outcome.daemon, outcome.children = after[0] - before[0], after[1] - before[1]
    return outcome
