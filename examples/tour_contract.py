"""The one place that knows how the tour's commands and the JSON answers behind them are spelt."""
import re
from typing import Any

FINAL = {"succeeded", "failed", "cancelled"}
ID = re.compile(r"\bw-[0-9a-z]+\b")

# Command lines after the program's name; {} is filled in by the caller.
NODES = "nodes"
WORKLOADS = "get workloads --all"
SUBMIT = "submit {}"
DRY_RUN = "submit --project research --dry-run {}"
DESCRIBE = "describe workload {}"
EXPLAIN = "explain {}"
LOGS = "logs {}"
WAIT = "wait {}"
CANCEL = "cancel {}"
DESCRIBE_MODEL = "describe model {}"
USAGE = "usage --by project,deviceModel"
AUDIT = "audit --limit 8"
AUDIT_VERIFY = "audit verify"
JSON = ["-o", "json"]


def items(answer: Any) -> list[dict]:
    """The rows of a list."""
    return answer["items"] if isinstance(answer, dict) else answer


def submitted_id(text: str) -> str | None:
    """The id in what `submit` prints for people."""
    found = ID.search(text)
    return found.group() if found else None


def devices_by_model(nodes: Any) -> dict[str, int]:
    count: dict[str, int] = {}
    for node in items(nodes):
        for device in node["devices"]:
            count[device["model"]] = count.get(device["model"], 0) + device.get("count", 1)
    return count


def attempts(workload: dict) -> list[dict]:
    return sorted(workload["attempts"], key=lambda attempt: attempt["number"])


def ended_by_signal(attempt: dict) -> int | None:
    """The signal that ended a member of the attempt."""
    return next((end["signal"] for end in attempt["ends"] if end.get("signal")), None)


def failure(attempt: dict) -> str | None:
    """The failure category: signal, exit, node-lost and so on."""
    return attempt.get("failure")


def resumed_from(attempt: dict) -> str:
    return attempt.get("resumedFrom") or ""


def verdict(explanation: dict) -> str:
    """placed, not-now, never or denied."""
    return explanation["decision"]["verdict"]


def reason_codes(explanation: dict) -> set[str]:
    return {reason["code"] for reason in explanation["decision"]["reasons"]}


def not_mapped(submitted: dict) -> list[str]:
    """Directives of a script that have no effect."""
    return [entry["directive"] for entry in submitted["notMapped"]]


def newest_version(model: dict) -> dict:
    return max(model["versions"], key=number)


def number(version: dict) -> int:
    return version["version"]


def made_by(version: dict) -> tuple[str, str]:
    """The ids of the workload and of its attempt that left the version."""
    return version["workload"], version["attempt"]


def digest(version: dict) -> str:
    return version["sha256"]


def metrics(version: dict) -> dict[str, str]:
    return version["metrics"]


def served_by(version: dict) -> list[str]:
    """Ids of the workloads that serve the version now."""
    return [service["workload"] for service in version["servedBy"]]


def money(row: dict) -> int:
    """What a version or a usage row cost, in millionths of the one currency of the tour's prices."""
    cost = row["cost"]
    return sum(amount["costMicros"] for amount in cost.get("costs", [cost]))


def project(row: dict) -> str:
    return row["group"]["project"]


def lost_device_seconds(row: dict) -> float:
    return row["cost"]["lostMicroDeviceSeconds"] / 1e6


def audit_holds(answer: dict) -> bool:
    return answer["ok"] is True and answer["records"] > 0
