"""The auditor of a run on Slurm: the store against slurmdbd and slurmctld, asked directly, and against what the jobs wrote down."""
import json
import re
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from auditor import FINAL_ATTEMPT, Auditor
from ids import text_of
from load import Record
from slurm_site import Site

ENDS = {"exit0": ("succeeded", "none"), "exit3": ("failed", "exit"), "sleep": ("succeeded", "none"), "job": ("failed", "exit"),
        "gang": ("succeeded", "none"), "plain": ("succeeded", "none"), "endless": ("cancelled", "cancelled")}
OURS = re.compile(r"(a-[0-9a-z]+)\.start(\.|$)")
TERMINAL = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "OUT_OF_MEMORY", "NODE_FAIL", "PREEMPTED", "BOOT_FAIL", "DEADLINE")
WITNESS_SECONDS = 60.0  # for slurmdbd to hear of what slurmctld knows
SECOND = 1000  # Slurm counts whole seconds


@dataclass
class Job:
    """A job as slurmdbd has it."""
    id: int
    name: str
    user: str
    state: str  # its first word
    code: int
    signal: int
    elapsed: int  # s

    @property
    def attempt(self) -> str:
        found = OURS.match(self.name)
        return found[1] if found else ""


def job_of(row: dict[str, str]) -> Job:
    code, _, signal = row["exitcode"].partition(":")
    return Job(int(row["jobidraw"]), row["jobname"], row["user"], row["state"].split()[0], int(code or 0), int(signal or 0), int(row["elapsedraw"] or 0))


@dataclass
class Attempt:
    """An attempt as the store has it."""
    id: str
    state: str
    failure: str
    native: int  # id of its job, 0: none
    started: int  # ms
    ended: int
    planned: int
    devices: int  # thousandths, all members
    ends: list[dict] = field(default_factory=list)
    stopped: bool = False  # somebody asked for its end


class SlurmAuditor(Auditor):
    def __init__(self, database: Path, state: Path, socket: str, mark: str, record: Record, site: Site, log: Path):
        super().__init__(database, state, socket, mark, record)
        self.submitted_rows = "SELECT id, name FROM workloads WHERE native = ''"
        self.ends, self.state, self.site, self.log, self.lines_folder = ENDS, state, site, log, state / "lines"

    def quick(self) -> None:
        """After a restart of the daemon, while everything goes on."""
        answered = self.record.answered()
        with self.snapshot() as rows:
            self.submissions(rows, answered)
            self.sequences(rows)
            self.states(rows)
            self.ledger(rows)

    def final(self, doubled: dict[str, int], by_hand: dict[int, int]) -> None:
        """At the end. `doubled`: how many more jobs a name may have, since its submission was sent so many times more."""
        self.quick()
        jobs = self.witness()
        with self.snapshot() as rows:
            self.outcomes(rows)
            self.usage(rows)
            attempts = self.attempts(rows)
            self.natives(rows, by_hand)
            for attempt, kind in rows.execute("SELECT attempt, kind FROM intents WHERE state = 'open'"):
                self.fault(f"intent {kind} of attempt {text_of('a', attempt)} is still open")
        self.compare(attempts, jobs, doubled)
        self.written(self.log_lines(), jobs)
        self.untouched(jobs, by_hand)
        self.audit_trail()

    def submission_records(self, rows, stored: int) -> None:
        """A batch is one record, whose object ends with how many it made."""
        records = 0
        for (made,) in rows.execute("SELECT object FROM audits WHERE action = 'workload.submit' AND allowed = 1"):
            batch = re.search(r"\((\d+)\)$", made)
            records += int(batch[1]) if batch else 1
        if records != stored:
            self.fault(f"{stored} workloads are stored and {records} submissions are in the audit")

    def log_lines(self) -> list[list[str]]:
        """Whole lines of all users: kind, attempt, rank, job, value."""
        found = []
        for path in sorted(self.lines_folder.iterdir()):
            text = path.read_text()
            found += [line.split() for line in text[:text.rfind("\n") + 1].splitlines()]
        return found

    def witness(self) -> list[Job]:
        """All jobs, once slurmctld has none of ours any more and slurmdbd has heard of every end."""
        deadline = time.monotonic() + WITNESS_SECONDS
        while True:
            left = [f"{id} {name} ({state})" for id, state, name in self.site.queued() if OURS.match(name)]
            rows = self.site.accounted()
            (self.state / "sacct.json").write_text(json.dumps(rows, indent=0))
            jobs = [job_of(row) for row in rows]
            left += [f"{job.id} {job.name} ({job.state} in slurmdbd)" for job in jobs if job.state not in TERMINAL]
            if not left:
                return jobs
            if time.monotonic() > deadline:
                for text in left[:20]:
                    self.fault(f"job {text} has not ended")
                return jobs
            time.sleep(0.5)

    def attempts(self, rows) -> dict[str, Attempt]:
        stopped = {attempt for (attempt,) in rows.execute("SELECT attempt FROM intents WHERE kind = 'stop'")}
        found = {}
        for id, state, failure, native, planned, started, ended, placement, ends in rows.execute(
                "SELECT a.id, a.state, a.failure, a.native_id, a.planned_ms, a.started_ms, a.ended_ms, a.placement, a.ends FROM attempts a "
                "JOIN workloads w ON w.id = a.workload WHERE w.native = ''"):
            devices = sum(milli for member in json.loads(placement) for _, milli in member.get("devices", []))
            name = text_of("a", id)
            found[name] = Attempt(name, state, failure, int(native.partition("@")[0] or 0), started, ended, planned, devices, json.loads(ends), id in stopped)
        return found

    # -- one attempt, one job

    def compare(self, attempts: dict[str, Attempt], jobs: list[Job], doubled: dict[str, int]) -> None:
        of_attempt = defaultdict(list)
        for job in jobs:
            if job.attempt:
                of_attempt[job.attempt].append(job)
        said = self.log.read_text(errors="replace") if self.log.exists() else ""
        for name, carried in of_attempt.items():
            attempt = attempts.get(name)
            if attempt is None:
                self.fault(f"job {carried[0].id} carries attempt {name}, which the store does not know")
                continue
            self.count(attempt, carried, doubled, said)
        for name, attempt in attempts.items():
            followed = [job for job in of_attempt.get(name, []) if job.id == attempt.native]
            if attempt.native and len(followed) != 1:
                self.fault(f"attempt {name} followed job {attempt.native}, slurmdbd has {len(followed)} such of its name")
            elif attempt.state not in FINAL_ATTEMPT:
                self.fault(f"attempt {name} is {attempt.state} at the end")
            elif followed:
                self.agree(attempt, followed[0])
            elif attempt.state != "cancelled" and not (attempt.stopped and attempt.failure == "cancelled"):  # a requeue before it began
                self.fault(f"attempt {name} is {attempt.state} ({attempt.failure}) and never had a job")

    def count(self, attempt: Attempt, carried: list[Job], doubled: dict[str, int], said: str) -> None:
        more = len(carried) - (1 if attempt.native else 0)
        explained = doubled.get(carried[0].name, 0)
        ids = ", ".join(str(job.id) for job in carried)
        if more > explained:
            self.fault(f"attempt {attempt.id} followed job {attempt.native or 'none'}, slurmdbd has jobs {ids}, and {explained} more are explained")
        for job in carried:
            if job.id == attempt.native:
                continue
            if not re.search(rf"\bjob {job.id}\b.*{attempt.id}|{attempt.id}.*\bjob {job.id}\b", said):
                self.fault(f"job {job.id} is a second one of attempt {attempt.id}, and the daemon's log does not name it")
            if job.state == "CANCELLED":
                self.fault(f"job {job.id}, a second one of attempt {attempt.id}, was cancelled")

    def agree(self, attempt: Attempt, job: Job) -> None:
        """What the store says of an end against what slurmdbd says."""
        what = f"attempt {attempt.id} is {attempt.state} ({attempt.failure}), its job {job.id} {job.state} {job.code}:{job.signal}"
        if job.state == "CANCELLED" and not attempt.stopped:
            self.fault(what + ", and nobody cancelled it")
        if not attempt.stopped and {"COMPLETED": "succeeded", "FAILED": "failed", "CANCELLED": "cancelled"}.get(job.state, "failed") != attempt.state:
            self.fault(what)
        if attempt.state == "succeeded" and job.state != "COMPLETED":
            self.fault(what)
        if attempt.state == "failed" and attempt.failure == "exit":
            codes = {end.get("exitCode", 0) for end in attempt.ends} - {0}
            if codes != {job.code}:
                self.fault(f"{what}, stored are the exit codes {sorted(codes)}")
        held = (attempt.ended - attempt.started) if attempt.started else 0
        if abs(held - job.elapsed * SECOND) > SECOND:
            self.fault(f"{what}: it held devices for {held} ms, slurmdbd has {job.elapsed} s")

    # -- what ran

    def written(self, lines: list[list[str]], jobs: list[Job]) -> None:
        begun, ended = defaultdict(int), {}
        for kind, attempt, rank, job, value in lines:
            if kind == "start":
                begun[attempt, rank, int(job)] += 1
            else:
                ended[attempt, rank, int(job)] = value
        known = {job.id: job for job in jobs}
        for (attempt, rank, job), times in begun.items():
            if times > 1:
                self.fault(f"rank {rank} of attempt {attempt} was started {times} times in job {job}")
            if job not in known or known[job].attempt != attempt:
                self.fault(f"attempt {attempt} ran in job {job}, which slurmdbd does not have so")
        for (attempt, rank, job), value in ended.items():
            if job in known and known[job].state == "COMPLETED" and value != "0":
                self.fault(f"job {job} of attempt {attempt} is COMPLETED, its rank {rank} wrote {value}")
        ran = {job for _, _, job in begun}
        for job in jobs:
            if job.attempt and job.state == "COMPLETED" and job.id not in ran:
                self.fault(f"job {job.id} of attempt {job.attempt} is COMPLETED and wrote nothing")

    def natives(self, rows, by_hand: dict[int, int]) -> None:
        """What is made by hand is told once, with its end."""
        told = defaultdict(list)
        for native, state in rows.execute("SELECT native, state FROM workloads WHERE native != ''"):
            told[int(json.loads(native)["id"])].append(state)
        for id in by_hand:
            if told.get(id) != ["succeeded"]:
                self.fault(f"job {id} was made by hand and is told as {told.get(id)}")

    def untouched(self, jobs: list[Job], by_hand: dict[int, int]) -> None:
        known = {job.id: job for job in jobs}
        for id, seconds in by_hand.items():
            job = known.get(id)
            if job is None or job.state != "COMPLETED" or job.elapsed < seconds:
                self.fault(f"job {id} was made by hand and sleeps for {seconds} s; slurmdbd has {job}")


