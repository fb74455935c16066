"""The job of all sides: a script that sbatch takes as it is, whose whole work is to write down when it began."""
import json
import time

from cluster import Failed

DIRECTIVES = """\
#SBATCH --job-name=short
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --gres=gpu:h100:1
#SBATCH --mem=10M
#SBATCH --time={minutes}
#SBATCH --output=/dev/null
"""


class Work:
    """`stamps` is a file to which every job appends a line: nanoseconds of the monotonic clock."""

    def __init__(self, folder, helper):
        self.folder, self.stamps = folder, folder / "stamps"
        folder.mkdir(parents=True)
        folder.chmod(0o755)
        self.stamps.touch()
        self.stamps.chmod(0o666)
        self.script = folder / "job.sh"
        self.script.write_text(f"#!/bin/sh\n{DIRECTIVES.format(minutes=5)}exec {helper} {self.stamps}\n", encoding="utf-8")
        self.script.chmod(0o755)

    def started(self):
        """When each job began that has, in seconds."""
        return [int(line) / 1e9 for line in self.stamps.read_text(encoding="ascii").split()]

    def count(self):
        return self.stamps.read_bytes().count(b"\n")

    def await_all(self, jobs, limit):
        until = time.monotonic() + limit
        while self.count() < jobs:
            if time.monotonic() > until:
                raise Failed(f"{self.count()} of {jobs} jobs began within {limit:.0f} s")
            time.sleep(0.2)

    def document(self, name):
        """The same job for Fairlead: the script with what its directives ask for."""
        return document(name, self.script.read_text(encoding="utf-8"), "5m")


def document(name, script, limit):
    role = {"name": "batch", "script": script, "cpus": 1, "memory": "10MiB", "devices": {"model": "h100", "count": 1}, "workingDirectory": "/tmp"}
    return {"apiVersion": "fairlead.io/v1", "kind": "Workload", "metadata": {"name": name, "project": "research"},
            "spec": {"class": "training", "timeLimit": limit, "logs": {"output": "/dev/null"}, "roles": [role]}}


def batches(documents, size=1000):
    return [json.dumps(documents[at:at + size]) for at in range(0, len(documents), size)]
