"""Figures as fairlead_bench prints them: lines for people, or one JSON object a line."""
import json
import math
import os
import statistics
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def machine():
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    model = next((line.split(": ", 1)[1] for line in lines if line.startswith("model name")), "unknown CPU")
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / (1 << 30)
    return f"{model}, {os.cpu_count()} cores, {memory:.0f} GiB"


def commit():
    done = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short=12", "HEAD"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def share_of(values, share):
    """The value that this share of them is at most; 0 of none."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * share) - 1)] if ordered else 0.0


def median(values):
    return statistics.median(values) if values else 0.0


class Report:
    def __init__(self, as_json):
        self.as_json, self.machine, self.commit = as_json, machine(), commit()

    def add(self, name, value, unit, goal=None, higher=False, peer=None):
        """`goal`: at least (`higher`) or at most this. `peer`: the same measured on the peer, in the same run."""
        ratio = value / peer if peer else None
        if self.as_json:
            row = {"bench": name.partition(".")[0], "name": name, "value": value, "unit": unit, "goal": goal, "peer": peer, "ratio": ratio,
                   "machine": self.machine, "commit": self.commit}
            print(json.dumps({key: float(f"{item:.6g}") if isinstance(item, float) else item for key, item in row.items()}, separators=(",", ":")), flush=True)
            return
        verdict = ""
        if goal is not None:
            met = value >= goal if higher else value <= goal
            verdict = f"{'at least' if higher else 'at most'} {goal:g}: {'met' if met else 'MISSED'}"
        beside = f"peer {peer:.6g} (ratio {ratio:.2f})" if peer else ""
        print(f"{name:<28} {value:>12.6g} {unit:<8} {verdict:<26} {beside}".rstrip(), flush=True)

    def note(self, text):
        if not self.as_json:
            print(f"  {text}", flush=True)
