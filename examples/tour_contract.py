"""The one place that knows how the tour's commands and the JSON answers behind them are spelt."""
import re
from typing import Any

FINAL = {"succeeded", "failed", "cancelled"}
ID = re.compile(r"\bw-[0-9a-z]+\b")

# Command lines after the program's name; {} is filled in by the caller.
NODES = "nodes"
WORKLOADS = "get workloads --all"
SUBMIT = "submit {}"
DRY_RUN = "submit --dry-run {}"
DESCRIBE = "describe workload {}"
EXPLAIN = "explain {}"
LOGS = "logs {}"
WAIT = "wait {}"
CANCEL = "cancel {}"
DESCRIBE_MODEL = "describe model {}"
USAGE = "usage --by project,device,category"
AUDIT = "audit"
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
    return attempt.get("signal")


def failure(attempt: dict) -> str | None:
    return attempt.get("failureCategory")


def resumed_from(attempt: dict) -> str:
    return attempt.get("resumedFrom") or ""


def verdict(explanation: dict) -> str:
    """placed, not-now, never or denied."""
    return explanation["verdict"]


def reason_codes(explanation: dict) -> set[str]:
    return {reason["code"] for reason in explanation["reasons"]}


def versions(model: dict) -> list[dict]:
    """Versions of a model, oldest first."""
    return sorted(model["versions"], key=lambda version: number(version))


def number(version: dict) -> int:
    return int(str(version["version"]).lstrip("v"))


def made_by(version: dict) -> tuple[str, int]:
    """The workload and the number of its attempt that left the version."""
    return version["workload"], version["attempt"]


def digest(version: dict) -> str:
    return version["digest"]


def metrics(version: dict) -> dict[str, str]:
    return version["metrics"]


def served_by(version: dict) -> list[str]:
    """Ids of the workloads that serve the version now."""
    return [service["workload"] for service in version["servedBy"]]


def cost(row: dict) -> int:
    return row["costMicros"]


def device_seconds(row: dict) -> float:
    return row["milliDeviceSeconds"] / 1000


def category(row: dict) -> str:
    """used, idle, lost or overhead."""
    return row["category"]


def audit_holds(answer: dict) -> bool:
    return answer["verified"] is True and answer["records"] > 0
