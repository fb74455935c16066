#!/usr/bin/env python3
"""fault.py CLUSTER restart | lose NODE: what conformance.cpp asks for; run on the cluster's login node, as root."""
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from tests.slurm.harness import script, until


def restart(folder):
    """Ends slurmctld hard and starts it; not before it has written down what runs: one killed earlier has forgotten it."""
    seen, saved = time.time(), folder / "state/job_state"
    other = script("as", folder, "alice", "sbatch", "--parsable", "--hold", "--chdir=/tmp", "--output=/dev/null", "--wrap", "true").strip()
    until(lambda: saved.exists() and saved.stat().st_mtime > seen, "slurmctld saved its state")
    script("kill", folder, "slurmctld")
    script("start", folder, "slurmctld")
    script("as", folder, "alice", "scancel", other)


def main(folder, what, *node):
    if what == "restart":
        restart(Path(folder))
    elif what == "lose":
        script("kill", folder, f"node.{node[0]}")
    else:
        sys.exit(f"no fault {what}")


if __name__ == "__main__":
    main(*sys.argv[1:])
