"""The independent auditor: reads the database, the processes and the log that the workloads themselves write, and compares. It shares no
code with the daemon. Every check adds sentences to `faults`."""
import json
import sqlite3
import time
from collections import defaultdict
from pathlib import Path

import processes
from client import Client
from ids import number_of, text_of
from load import Record

FINAL_WORKLOAD = ("succeeded", "failed", "cancelled")
FINAL_ATTEMPT = ("succeeded", "failed", "cancelled")
SETTLE_SECONDS = 15.0  # for the daemon to learn of an end, or a process to be gone
ENDS = {"exit0": ("succeeded", "none"), "exit3": ("failed", "exit"), "sleep": ("succeeded", "none"), "checkpoint": ("succeeded", "none"),
        "gang": ("succeeded", "none"), "share": ("succeeded", "none"), "plain": ("succeeded", "none"), "overrun": ("failed", "time-limit")}


class Auditor:
    def __init__(self, database: Path, state: Path, socket: str, mark: str, record: Record):
        self.database, self.started_log, self.mark, self.record = database, state / "started", mark, record
        self.client = Client(socket, 120.0)
        self.ends = ENDS
        self.submitted_rows = "SELECT id, name FROM workloads"

    def quick(self) -> None:
        """After a restart, while everything goes on. What is read first must be contained in what is read later."""
        answered = self.record.answered()
        lines = self.log_lines()
        alive_before = processes.workload_processes(self.mark)
        with self.snapshot() as rows:
            self.submissions(rows, answered)
            self.sequences(rows)
            self.states(rows)
            self.starts(rows, lines)
            self.ledger(rows)
            self.devices(rows)
            known = {text_of("a", id) for (id,) in rows.execute("SELECT id FROM attempts")}
        for found in alive_before:
            if found.attempt not in known:
                self.fault(f"process {found.pid} runs for attempt {found.attempt}, which the store does not know")
        self.liveness()

    def full(self) -> None:
        """At the end, when nothing is under way any more."""
        self.quick()
        with self.snapshot() as rows:
            self.outcomes(rows)
            self.exit_codes(rows, self.log_lines())
            self.usage(rows)
            for (text,) in rows.execute("PRAGMA integrity_check"):
                if text != "ok":
                    self.fault(f"database: {text}")
            for attempt, kind in rows.execute("SELECT attempt, kind FROM intents WHERE state = 'open'"):
                self.fault(f"intent {kind} of attempt {text_of('a', attempt)} is still open")
        for found in processes.workload_processes(self.mark):
            self.fault(f"process {found.pid} of attempt {found.attempt} still runs at the end")
        self.audit_trail()

    def fault(self, text: str) -> None:
        self.record.fault(text)

    def snapshot(self):
        return Snapshot(self.database)

    def log_lines(self) -> list[list[str]]:
        """Whole lines only: kind, attempt, rank, pid, value."""
        if not self.started_log.exists():
            return []
        text = self.started_log.read_text()
        return [line.split() for line in text[:text.rfind("\n") + 1].splitlines()]

    # -- the store against what clients were told

    def submissions(self, rows, answered: dict[str, str]) -> None:
        stored = defaultdict(list)
        for id, name in rows.execute(self.submitted_rows):
            stored[name].append(id)
        with self.record.lock:
            asked = set(self.record.submitted)
        for name, ids in stored.items():
            if len(ids) > 1:
                self.fault(f"{name} was submitted once and is stored {len(ids)} times: {[text_of('w', id) for id in ids]}")
            if name not in asked:
                self.fault(f"{name} was never submitted and is stored")
        for name, id in answered.items():
            if stored.get(name) != [number_of(id)]:
                self.fault(f"{name} was answered {id} and is stored as {[text_of('w', one) for one in stored.get(name, [])]}")
        self.submission_records(rows, sum(map(len, stored.values())))

    def submission_records(self, rows, stored: int) -> None:
        (records,) = rows.execute("SELECT count(*) FROM audits WHERE action = 'workload.submit' AND allowed = 1").fetchone()
        if records != stored:
            self.fault(f"{stored} workloads are stored and {records} submissions are in the audit")

    def sequences(self, rows) -> None:
        for table, first in (("events", None), ("audits", 1), ("postings", 1)):
            count, low, high = rows.execute(f"SELECT count(*), min(sequence), max(sequence) FROM {table}").fetchone()
            if count and (count != high - low + 1 or (first and low != first)):
                self.fault(f"{table} {low} to {high} are {count} rows: the sequence has gaps")

    def states(self, rows) -> None:
        live = defaultdict(list)
        numbers = defaultdict(list)
        for id, workload, number, state in rows.execute("SELECT id, workload, number, state FROM attempts"):
            numbers[workload].append(number)
            if state not in FINAL_ATTEMPT:
                live[workload].append(id)
        for id, state, attempts, current in rows.execute("SELECT id, state, attempts, current_attempt FROM workloads"):
            name, alive = text_of("w", id), live.get(id, [])
            if sorted(numbers.get(id, [])) != list(range(1, attempts + 1)):
                self.fault(f"{name} made {attempts} attempts, stored are {sorted(numbers.get(id, []))}")
            if len(alive) > 1:
                self.fault(f"{name} has {len(alive)} attempts alive")
            if state in FINAL_WORKLOAD + ("queued", "held") and alive:
                self.fault(f"{name} is {state} and attempt {text_of('a', alive[0])} is alive")
            if state in ("starting", "running", "stopping", "unknown") and alive != [current]:
                self.fault(f"{name} is {state} and its current attempt is not the one alive")

    # -- the store against what ran

    def starts(self, rows, lines: list[list[str]]) -> None:
        known = {text_of("a", id) for (id,) in rows.execute("SELECT id FROM attempts")}
        begun: dict[tuple[str, str], list[str]] = defaultdict(list)
        for kind, attempt, rank, pid, _ in lines:
            if kind == "start":
                begun[attempt, rank].append(pid)
        for (attempt, rank), pids in begun.items():
            if len(pids) > 1:
                self.fault(f"rank {rank} of attempt {attempt} was started {len(pids)} times: pids {', '.join(pids)}")
            if attempt not in known:
                self.fault(f"attempt {attempt} ran (pid {pids[0]}) and the store does not know it")

    def liveness(self) -> None:
        """Processes of ended attempts, and running attempts without a process. Each may be so for a moment, none may stay so."""
        deadline = time.monotonic() + SETTLE_SECONDS
        orphans = ghosts = None
        while orphans is None or orphans or ghosts:
            if orphans is not None and time.monotonic() > deadline:
                break
            with self.snapshot() as rows:
                states = {text_of("a", id): state for id, state in rows.execute("SELECT id, state FROM attempts")}
            alive = processes.workload_processes(self.mark)
            now_orphans = {found for found in alive if states.get(found.attempt) in FINAL_ATTEMPT}
            now_ghosts = {id for id, state in states.items() if state == "running"} - {found.attempt for found in alive}
            orphans = now_orphans if orphans is None else orphans & now_orphans
            ghosts = now_ghosts if ghosts is None else ghosts & now_ghosts
            if orphans or ghosts:
                time.sleep(0.25)
        for found in orphans:
            self.fault(f"process {found.pid} runs for attempt {found.attempt}, which is {states[found.attempt]}")
        for attempt in ghosts:
            self.fault(f"attempt {attempt} is running and has had no process for {SETTLE_SECONDS:g} s")

    def exit_codes(self, rows, lines: list[list[str]]) -> None:
        """What the store says of an end against what the process wrote down last."""
        began, ended = defaultdict(dict), defaultdict(dict)
        for kind, attempt, rank, _, value in lines:
            (began if kind == "start" else ended)[attempt][int(rank)] = value
        for id, state, failure, placement, ends, resumed in rows.execute(
                "SELECT id, state, failure, placement, ends, resumed_from FROM attempts"):
            attempt, ranks = text_of("a", id), {member["rank"] for member in json.loads(placement)}
            if state == "succeeded" and {rank: "0" for rank in ranks} != ended[attempt]:
                self.fault(f"attempt {attempt} succeeded and its {len(ranks)} processes wrote {ended[attempt]}")
            if state == "failed" and failure == "exit":
                said = {end["rank"]: str(end.get("exitCode", 0)) for end in json.loads(ends) if not end.get("signal")}
                if any(ended[attempt].get(rank) != code for rank, code in said.items()):
                    self.fault(f"attempt {attempt} is stored with exit codes {said}, its processes wrote {ended[attempt]}")
            if resumed and any(value != resumed for value in began[attempt].values()):
                self.fault(f"attempt {attempt} resumed from {resumed}, its processes were handed {began[attempt]}")
            if resumed and not (Path(resumed) / "DONE").exists():
                self.fault(f"attempt {attempt} resumed from {resumed}, which is not valid")

    def outcomes(self, rows) -> None:
        ends = {id: (state, failure) for id, state, failure in rows.execute("SELECT id, state, failure FROM workloads")}
        for one in list(self.record.submitted.values()):
            if not one.id:
                self.fault(f"{one.name} never got an answer")
                continue
            state, failure = ends.get(number_of(one.id), ("missing", ""))
            if state not in FINAL_WORKLOAD:
                self.fault(f"{one.id} ({one.name}, {one.mode}) is {state} at the end")
            elif one.cancelled and state != "cancelled":
                self.fault(f"the cancel of {one.id} ({one.name}) was answered, and it is {state}")
            elif not one.touched and state != self.ends[one.mode][0]:
                self.fault(f"{one.id} ({one.name}, {one.mode}) is {state} ({failure}), expected {self.ends[one.mode]}")
            elif not one.touched and state == "failed" and failure != self.ends[one.mode][1]:
                self.fault(f"{one.id} ({one.name}, {one.mode}) failed by {failure}, expected {self.ends[one.mode][1]}")

    # -- ledger and audit

    def ledger(self, rows) -> None:
        """Postings of an attempt are exactly its devices times its time, once it has ended; none before."""
        posted = defaultdict(int)
        for attempt, milli, begin, end in rows.execute("SELECT attempt, milli_devices, from_ms, to_ms FROM postings"):
            posted[attempt] += milli * (end - begin)
            if end <= begin:
                self.fault(f"a posting of attempt {text_of('a', attempt)} ends before it begins")
        for id, state, placement, planned, ended in rows.execute("SELECT id, state, placement, planned_ms, ended_ms FROM attempts"):
            held = sum(milli for member in json.loads(placement) for _, milli in member.get("devices", []))
            due = held * (ended - planned) if state in FINAL_ATTEMPT else 0
            if posted.pop(id, 0) != due:
                self.fault(f"attempt {text_of('a', id)} ({state}) owes {due} micro-device-seconds, its postings are something else")
        for attempt in posted:
            self.fault(f"postings of attempt {text_of('a', attempt)}, which does not exist")

    def devices(self, rows) -> None:
        """No device is given away more than once at any time."""
        changes = defaultdict(list)
        for id, placement, planned, ended in rows.execute("SELECT id, placement, planned_ms, ended_ms FROM attempts"):
            for member in json.loads(placement):
                for index, milli in member.get("devices", []):
                    if ended != planned:
                        changes[member["node"], member.get("model"), index] += [(planned, milli, id), (ended or 1 << 62, -milli, id)]
        for device, list_of_changes in changes.items():
            held = 0
            for at, milli, id in sorted(list_of_changes):  # at one instant what is given back comes first
                held += milli
                if held > 1000:
                    self.fault(f"device {device} is given away {held / 1000:g} times at {at}, lastly to attempt {text_of('a', id)}")
                    break

    def ask(self, method: str, path: str) -> tuple[int, dict]:
        self.client.close()  # the daemon that the last call went to may be dead
        return self.client.call(method, path)

    def usage(self, rows) -> None:
        (posted,) = rows.execute("SELECT coalesce(sum(milli_devices * (to_ms - from_ms)), 0) FROM postings").fetchone()
        status, answer = self.ask("GET", "/api/v1/usage")
        if status != 200 or answer["total"]["totalMicroDeviceSeconds"] != posted:
            self.fault(f"usage was answered {status} {str(answer)[:300]}, the postings are {posted} micro-device-seconds")

    def audit_trail(self) -> None:
        status, answer = self.ask("POST", "/api/v1/audit:verify")
        if status != 200 or not answer["ok"]:
            self.fault(f"audit verify was answered {status}: {answer}")


class Snapshot:
    """One consistent view of the database, beside the daemon that writes it."""

    def __init__(self, path: Path):
        self.connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None, timeout=10)

    def __enter__(self):
        self.connection.execute("BEGIN")
        return self.connection

    def __exit__(self, *_):
        self.connection.close()
