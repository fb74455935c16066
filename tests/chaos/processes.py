"""What really runs, read from /proc: the processes of workloads and their supervisors."""
import os
import signal
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Found:
    pid: int
    attempt: str  # id


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""  # ended meanwhile


def _pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def workload_processes(mark: str) -> list[Found]:
    """Processes with the environment of an attempt of this run."""
    found = []
    for pid in _pids():
        environment = _read(f"/proc/{pid}/environ").split(b"\0")
        if f"CHAOS_RUN={mark}".encode() not in environment or not any(entry.startswith(b"FAIRLEAD_INTENT=") for entry in environment):
            continue
        attempts = [entry[len(b"FAIRLEAD_ATTEMPT_ID="):].decode() for entry in environment if entry.startswith(b"FAIRLEAD_ATTEMPT_ID=")]
        found.append(Found(pid, attempts[0] if attempts else ""))
    return found


def parent_of(pid: int) -> int:
    for line in _read(f"/proc/{pid}/status").splitlines():
        if line.startswith(b"PPid:"):
            return int(line[5:])
    return 0


def is_supervisor(pid: int) -> bool:
    return b"supervise" in _read(f"/proc/{pid}/cmdline").split(b"\0")


def supervisor_of(pid: int) -> int | None:
    """The supervisor above a workload's process; None when it is gone."""
    while pid > 1:
        pid = parent_of(pid)
        if is_supervisor(pid):
            return pid
    return None


def supervisors_in(state: Path) -> list[int]:
    """Supervisors that hold files below this folder."""
    return [pid for pid in _pids() if is_supervisor(pid) and any(link.startswith(str(state)) for link in _links(pid))]


def _links(pid: int) -> list[str]:
    links = []
    try:
        for entry in [f"/proc/{pid}/cwd", *(f"/proc/{pid}/fd/{name}" for name in os.listdir(f"/proc/{pid}/fd"))]:
            links.append(os.readlink(entry))
    except OSError:
        pass
    return links


def kill(pid: int) -> bool:
    try:
        os.kill(pid, signal.SIGKILL)
        return True
    except ProcessLookupError:
        return False
