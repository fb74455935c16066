"""Clients of a chaos run on Slurm: batches, cancels, requeues, holds, as the cluster's users; and somebody who uses sbatch by hand."""
import ctypes
import platform
import threading
import time
from pathlib import Path

from client import Client, Unanswered
from load import ANSWER_SECONDS, RETRY, Actor, Record, Submitted, document
from slurm_site import Site

WORK = Path(__file__).resolve().parent / "slurm_work.sh"
USERS = {"alice": 30001, "bob": 30002}
MOST_OPEN = 50  # workloads that wait or run
SET_USER = {"x86_64": 117, "aarch64": 147}  # the call setresuid


def become(uid: int) -> None:
    """The calling thread alone gets this effective user, by which the daemon knows who is at the other end of a socket."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(ctypes.c_long(SET_USER[platform.machine()]), ctypes.c_long(-1), ctypes.c_long(uid), ctypes.c_long(-1)) != 0:
        raise OSError(ctypes.get_errno(), "setresuid")


class SlurmActor(Actor):
    """Submits a batch, or does something to one of its last workloads."""

    def __init__(self, number: int, seed: int, socket: str, state: Path, mark: str, record: Record, user: str):
        super().__init__(number, seed, socket, state, mark, record)
        self.user, self.batches, self.full_until = user, 0, 0.0

    def run(self) -> None:
        become(USERS[self.user])
        super().run()

    def step(self) -> None:
        choice = self.random.random()
        if choice < 0.35 or not self.recent:
            if self.has_room():
                self.submit_batch([self.make() for _ in range(self.random.choice([1, 2, 4, 8]))])
        else:
            self.act(choice)

    def has_room(self) -> bool:
        try:
            status, page = self.client.call("GET", f"/api/v1/workloads?limit={MOST_OPEN}")
            return status == 200 and len(page["items"]) < MOST_OPEN
        except Unanswered:
            return False

    def spec(self, name: str) -> tuple[str, dict]:
        mode = self.random.choices(["exit0", "exit3", "sleep", "job", "gang", "plain", "endless"], [22, 8, 22, 10, 6, 6, 26])[0]
        pause = f"{self.random.uniform(0.1, 2.0):.2f}"
        words = {"exit0": ["exit", "0"], "exit3": ["exit", "3"], "job": ["job"], "endless": ["sleep", "60"]}.get(mode, ["sleep", pause])
        model = "a100" if self.random.random() < 0.3 else "h100"
        role = {"name": "worker", "count": 2 if mode == "gang" else 1, "devices": {"model": model, "count": self.random.choice([1, 1, 2, 4])},
                "command": [str(WORK), str(self.state / "lines"), *words]}
        if mode == "plain":
            del role["devices"]
        return mode, {"class": "training", "roles": [role], "retry": RETRY, "timeLimit": "2h"}

    def submit_batch(self, batch: list[Submitted]) -> None:
        """All are taken or none; sent again with the same key until there is an answer."""
        key = f"{self.mark}-{self.number}-{self.batches}"
        self.batches += 1
        deadline = time.monotonic() + ANSWER_SECONDS
        while time.monotonic() < deadline:
            try:
                status, answer = self.client.call("POST", "/api/v1/workloads:batch?ids=true", [one.body for one in batch], Idempotency_Key=key)
            except Unanswered:
                with self.record.lock:
                    self.record.retries += 1
                time.sleep(0.05)
                continue
            if status == 503:
                time.sleep(0.1)
                continue
            return self.take_batch(batch, status, answer)
        self.record.fault(f"a batch of {len(batch)} from {batch[0].name} on was not answered within {ANSWER_SECONDS:g} s")

    def take_batch(self, batch: list[Submitted], status: int, answer: dict) -> None:
        ids = answer.get("ids", [])
        if status != 201 or len(ids) != len(batch):
            return self.record.fault(f"a batch of {len(batch)} was answered {status}: {str(answer)[:300]}")
        with self.record.lock:
            self.record.answers += len(batch)
            for one, id in zip(batch, ids):
                one.id = id
        self.recent.extend(batch)

    def act(self, choice: float) -> None:
        one = self.random.choice(self.recent)
        if one.mode == "endless" and not one.touched and choice < 0.7:
            return self.send(one, "cancel")
        # What is cancelled is never requeued, so that a cancel that was answered must hold to the end.
        if one.cancelled or one.name.endswith(("1", "4", "8")):
            return self.send(one, "cancel")
        self.send(one, self.random.choices(["hold", "release", "priority", "requeue"], [30, 40, 20, 10])[0])

    def send(self, one: Submitted, verb: str) -> None:
        if verb in ("cancel", "requeue"):
            with self.record.lock:
                one.touched = True
        body = {"message": "chaos"} if verb != "priority" else {"priority": self.random.choice([-10, 0, 10])}
        try:
            status, answer = self.client.call("POST", f"/api/v1/workloads/{one.id}:{verb}", body)
        except Unanswered:
            return
        if status == 200 and verb == "cancel" and answer["state"] == "cancelled":
            with self.record.lock:
                one.cancelled = True
        # What Slurm did not answer is told to who asked: in its words, 404 for a job that has ended meanwhile.
        if status not in (200, 404, 409) and status < 500:
            self.record.fault(f"{verb} of {one.id} ({one.name}) was answered {status}: {answer}")


class ByHand(threading.Thread):
    """Jobs that Fairlead must never touch."""

    def __init__(self, site: Site, record: Record, every: float):
        super().__init__(name="by-hand", daemon=True)
        self.site, self.record, self.every = site, record, every
        self.jobs: dict[int, int] = {}  # id to seconds that it sleeps
        self.stopping = threading.Event()

    def run(self) -> None:
        while not self.stopping.is_set():
            seconds = 1 + len(self.jobs) % 5
            try:
                self.jobs[self.site.sbatch("carol", f"native-{len(self.jobs)}", f"sleep {seconds}")] = seconds
            except (RuntimeError, ValueError):
                pass  # slurmctld was down; sbatch has said so
            self.stopping.wait(self.every)

    def finish(self) -> None:
        self.stopping.set()
        self.join(60)


def cancel_endless(client: Client, record: Record) -> None:
    """What is long. It ends after a minute also by itself, as a second job of it must that nobody cancels."""
    for one in list(record.submitted.values()):
        if one.mode == "endless" and one.id and not one.cancelled:
            with record.lock:
                one.touched = True
            try:
                client.call("POST", f"/api/v1/workloads/{one.id}:cancel", {"message": "the end of the run"})
            except Unanswered:
                pass
