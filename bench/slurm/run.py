#!/usr/bin/env python3
"""./dev bench slurm: a real Slurm with and without Fairlead before it, after the decoders (fairlead_bench slurm). See ../README.md.

Needs root (namespaces). Clusters and daemons live in a folder under /var/tmp and are gone at the end.
"""
import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import reads
import sides
from cluster import USER, Failed, Site
from daemon import Daemon
from report import ROOT, Report, median, share_of
from work import Work

RELEASES = ("22.05", "24.11", "26.05")
PARTS = ("wire", "sides", "starts", "reads")
STARTS_SKIPPED = 3
# For starts: by itself slurmctld lets a submission wait up to 3 s for others, a lottery in which 100 ms are not to be seen.
PROMPT = "SchedulerParameters=bf_interval=5,sched_min_interval=0,batch_sched_delay=0,bf_continue,bf_max_job_test=1000,bf_window=1440"
SIDES = {"sbatch": sides.sbatch_loop, "xargs": sides.sbatch_xargs, "slurmrestd": sides.rest_posts}


def show(report, name, outcome):
    report.note(f"{name}: {outcome.per_s:.0f} accepted/s, all over after {outcome.total:.1f} s, median beginning {outcome.wait:.1f} s after the first submission, "
                f"slurmctld {outcome.ctld:.1f} s of CPU")


def measure_sides(options, folder, report):
    outcomes = {}
    for name, side in SIDES.items():
        with Site(folder / "c", options.release, options.devices) as site:
            outcomes[name] = side(site, Work(folder / name, options.stamp), options.jobs)
        show(report, name, outcomes[name])
    with Site(folder / "c", options.release, options.devices) as site, Daemon(site, options.binary, folder / "d", options.way) as daemon:
        mine = sides.fairlead(site, Work(folder / "fairlead", options.stamp), options.jobs, daemon)
    show(report, f"fairlead ({options.way})", mine)
    report.note(f"fairlead: the last end told after {mine.told:.1f} s; daemon {mine.daemon:.1f} s of CPU, its children {mine.children:.1f} s")
    best, fastest = max(one.per_s for one in outcomes.values()), min(one.total for one in outcomes.values())
    report.add("slurm.accepted_per_s", mine.per_s, "1/s", higher=True, peer=best)
    report.add("slurm.accept_ratio", mine.per_s / best, "", 10.0, higher=True)
    report.add("slurm.total_s", mine.total, "s", peer=fastest)
    report.add("slurm.total_ratio", mine.total / fastest, "", 1.05)


def start_times(site, work, options, *command):
    count = options.starts + STARTS_SKIPPED
    words = ["/usr/bin/python3", options.driver, work.stamps, count, *command]
    done = site.begin(USER, *words, stdout=subprocess.PIPE, text=True)
    printed = done.communicate()[0]
    if done.returncode != 0:
        raise Failed(f"starting one job after another with {command[0]} ended with {done.returncode}")
    return [float(line) for line in printed.split()][STARTS_SKIPPED:]


def measure_starts(options, folder, report):
    with Site(folder / "c", options.release, 64, PROMPT) as site:
        alone = start_times(site, work := Work(folder / "starts", options.stamp), options, site.programs / "sbatch", work.script)
        with Daemon(site, options.binary, folder / "d", options.way) as daemon:
            mine = start_times(site, work, options, options.binary, "--address", f"unix://{daemon.socket}", "submit", work.script)
        after = start_times(site, work, options, site.programs / "sbatch", work.script)
    both = alone + after
    report.note(f"{options.starts} starts each: sbatch 90 % within {share_of(both, 0.9):.0f} ms, fairlead 90 % within {share_of(mine, 0.9):.0f} ms")
    report.add("slurm.start_ms", median(mine), "ms", peer=median(both))
    report.add("slurm.start_added_ms", median(mine) - median(both), "ms", 100.0)


def measure_reads(options, folder, report):
    reads.add_figures(report, reads.measure_reads(options, folder), options)


def measure_wire(options, _, report):
    command = [options.helpers / "fairlead_bench", "slurm", "--scale", str(options.scale)]
    if report.as_json:
        command.append("--json")
    if subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode != 0:
        raise Failed("fairlead_bench slurm failed")


def parse():
    top = argparse.ArgumentParser(prog="./dev bench slurm", description=__doc__)
    top.add_argument("part", nargs="*", choices=[*PARTS, []], help="all by default: " + ", ".join(PARTS))
    top.add_argument("--json", action="store_true", help="one object a line")
    top.add_argument("--release", choices=RELEASES, default="22.05")
    top.add_argument("--way", choices=("commands", "rest"), default="commands", help="how Fairlead reaches Slurm")
    top.add_argument("--jobs", type=int, default=5000, metavar="N", help="of each side; other counts say nothing about the goals")
    top.add_argument("--devices", type=int, default=1000, metavar="N", help="that can run at once")
    top.add_argument("--starts", type=int, default=100, metavar="N")
    top.add_argument("--pending", type=int, default=10000, metavar="N")
    top.add_argument("--running", type=int, default=1000, metavar="N")
    top.add_argument("--window", type=float, default=60.0, metavar="SECONDS", help="of each reader")
    top.add_argument("--settle", type=float, default=20.0, metavar="SECONDS", help="between a full queue and the first window")
    top.add_argument("--scale", type=float, default=1.0, help="of the decoders' counts")
    top.add_argument("--binary", type=Path, default=ROOT / "build/release/fairlead", help="of the daemon")
    options = top.parse_args()
    options.binary, options.helpers = options.binary.resolve(), ROOT / "build/release/bench"
    return options


def main():
    options = parse()
    if os.geteuid() != 0:
        if not shutil.which("sudo"):
            sys.exit("only root can make clusters, and there is no sudo")
        os.execvp("sudo", ["sudo", sys.executable, os.path.abspath(__file__), *sys.argv[1:]])
    folder = Path(tempfile.mkdtemp(prefix="fl-bench-", dir="/var/tmp"))
    folder.chmod(0o755)
    for number in (signal.SIGTERM, signal.SIGHUP):  # clusters are taken down all the same
        signal.signal(number, lambda *_: sys.exit(1))
    # The cluster's users run them here, whoever may enter the folder of the sources.
    options.stamp = Path(shutil.copy(options.helpers / "fairlead_bench_stamp", folder / "stamp"))
    options.driver = Path(shutil.copy(Path(__file__).parent / "starts.py", folder / "starts.py"))
    options.binary = Path(shutil.copy(options.binary, folder / "fairlead"))
    report, code = Report(options.json), 0
    if not options.json:
        print(f"{report.machine}; commit {report.commit}; Slurm {options.release}")
    measures = {"wire": measure_wire, "sides": measure_sides, "starts": measure_starts, "reads": measure_reads}
    try:
        for part in options.part or PARTS:
            place = folder / part
            place.mkdir()
            try:
                measures[part](options, place, report)
            except Failed as failure:
                print(f"{part}: {failure}", file=sys.stderr)
                code = 1
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
