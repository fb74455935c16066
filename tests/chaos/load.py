"""Client threads that submit and act, and remember what they were answered."""
import random
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

from client import Client, Unanswered
from daemon import PROJECT

WORK = Path(__file__).resolve().parent / "work.sh"
ANSWER_SECONDS = 60.0
RETRY = {"limit": 20, "on": ["engine-lost", "node-lost", "preempted"], "backoff": "100ms"}


@dataclass
class Submitted:
    name: str
    mode: str
    body: dict
    id: str = ""           # empty: not answered yet
    touched: bool = False  # an action was sent to it, so its end is not told by its mode alone
    cancelled: bool = False  # a cancel was answered with its final state


@dataclass
class Record:
    """What all threads know. `lock` guards everything."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    submitted: dict[str, Submitted] = field(default_factory=dict)  # by name
    faults: list[str] = field(default_factory=list)
    answers: int = 0
    retries: int = 0

    def fault(self, text: str) -> None:
        with self.lock:
            self.faults.append(text)

    def answered(self) -> dict[str, str]:
        with self.lock:
            return {one.name: one.id for one in self.submitted.values() if one.id}


def document(name: str, spec: dict) -> dict:
    return {"apiVersion": "fairlead.io/v1", "kind": "Workload", "metadata": {"name": name, "project": PROJECT}, "spec": spec}


class Actor(threading.Thread):
    """One client. All its choices come from its own generator, so a seed replays them; what they meet depends on the clock."""

    def __init__(self, number: int, seed: int, socket: str, state: Path, mark: str, record: Record):
        super().__init__(name=f"client-{number}", daemon=True)
        self.number, self.record, self.mark, self.state = number, record, mark, state
        self.random = random.Random(f"{seed}-client-{number}")
        self.client = Client(socket)
        self.recent: deque[Submitted] = deque(maxlen=20)
        self.stopping = threading.Event()
        self.count = 0

    def run(self) -> None:
        try:
            while not self.stopping.is_set():
                self.step()
                time.sleep(self.random.uniform(0.0, 0.2))
        except Exception as problem:  # a thread that dies silently would look like a quiet client
            self.record.fault(f"{self.name} ended: {problem!r}")

    def step(self) -> None:
        choice = self.random.random()
        if choice < 0.6 or not self.recent:
            self.submit(self.make())
        elif choice < 0.66:
            self.submit(self.random.choice(self.recent))  # a client that is not sure asks again
        else:
            self.act(choice)

    def make(self) -> Submitted:
        self.count += 1
        name = f"c{self.number}-{self.count}"
        mode, spec = self.spec(name)
        made = Submitted(name, mode, document(name, spec))
        with self.record.lock:
            self.record.submitted[name] = made
        return made

    def spec(self, name: str) -> tuple[str, dict]:
        mode = self.random.choices(["exit0", "exit3", "sleep", "checkpoint", "gang", "share", "overrun", "plain"], [20, 10, 30, 12, 12, 8, 2, 6])[0]
        pause = f"{self.random.uniform(0.05, 0.9):.2f}"
        words = {"exit0": ["exit", "0"], "exit3": ["exit", "3"], "checkpoint": ["checkpoint", str(self.state / "checkpoints" / name)],
                 "overrun": ["sleep", "60"]}.get(mode, ["sleep", pause])
        role = {"name": "worker", "count": self.random.randint(2, 4) if mode == "gang" else 1, "devices": {"model": "h100", "count": 1},
                "command": [str(WORK), str(self.state / "started"), *words], "env": {"CHAOS_RUN": self.mark}}
        if mode == "share":
            role["devices"] = {"model": "h100", "share": 0.5}
        if mode == "plain":
            del role["devices"]
        spec = {"class": "training", "roles": [role], "retry": RETRY}
        if mode == "checkpoint":
            spec["checkpoint"] = {"path": words[1], "valid": {"marker": "DONE"}}
        if mode == "overrun":
            spec["timeLimit"] = "1s"
        return mode, spec

    def submit(self, one: Submitted) -> None:
        """Sends until there is an answer, always with the same key."""
        deadline = time.monotonic() + ANSWER_SECONDS
        while time.monotonic() < deadline:
            try:
                status, answer = self.client.call("POST", "/api/v1/workloads", one.body, Idempotency_Key=f"{self.mark}-{one.name}")
            except Unanswered:
                with self.record.lock:
                    self.record.retries += 1
                time.sleep(0.02)
                continue
            if status == 503:
                time.sleep(0.1)
                continue
            return self.take(one, status, answer)
        self.record.fault(f"submit of {one.name} was not answered within {ANSWER_SECONDS:g} s")

    def take(self, one: Submitted, status: int, answer: dict) -> None:
        if status != 201:
            return self.record.fault(f"submit of {one.name} was answered {status}: {answer}")
        made = answer["items"][0]["id"]
        with self.record.lock:
            self.record.answers += 1
            if one.id and one.id != made:
                self.record.faults.append(f"the key of {one.name} gave {one.id} first and {made} later")
            one.id = made
        if one not in self.recent:
            self.recent.append(one)

    def act(self, choice: float) -> None:
        one = self.random.choice(self.recent)
        # What is cancelled is never requeued, so that a cancel that was answered must hold to the end.
        verb = "cancel" if one.name.endswith(("1", "4", "8")) else "requeue" if choice < 0.78 else "hold" if choice < 0.86 else "release"
        with self.record.lock:
            one.touched = True
        try:
            status, answer = self.client.call("POST", f"/api/v1/workloads/{one.id}:{verb}", {"message": "chaos"})
        except Unanswered:
            return
        if status == 200 and verb == "cancel" and answer["state"] == "cancelled":
            with self.record.lock:
                one.cancelled = True
        if status not in (200, 409, 503):
            self.record.fault(f"{verb} of {one.id} ({one.name}) was answered {status}: {answer}")

    def finish(self) -> None:
        self.stopping.set()
        self.join(ANSWER_SECONDS + 5)
        if self.is_alive():
            self.record.fault(f"{self.name} does not end")
