"""What reading costs slurmctld: nobody, Fairlead, and people who run squeue, on one deep queue."""
import subprocess
import time

from cluster import USER, Failed, Site
from daemon import Daemon
from work import batches, document

INTERVAL = 2.0  # seconds: the engine's jobInterval
USERS, EVERY = 20, 10.0  # so many run squeue every so many seconds
JOB_LIST = "REQUEST_JOB_INFO"  # _SINGLE and _USER_INFO among them

SCRIPT = """\
#!/bin/sh
#SBATCH --gres=gpu:h100:1
exec sleep 86400
"""


class Squeues:
    """Twenty users, spread over the ten seconds."""

    def __init__(self, site):
        self.site, self.begun, self.asked, self.children = site, time.monotonic(), 0, []

    def step(self):
        self.children = [child for child in self.children if child.poll() is None]
        while (time.monotonic() - self.begun) * USERS / EVERY > self.asked:
            self.asked += 1
            self.children.append(subprocess.Popen([f"{self.site.values['bin']}/squeue"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL))

    def end(self):
        for child in self.children:
            child.wait()


def fill(site, daemon, running, pending):
    documents = [document(f"deep-{number}", SCRIPT, "1d") for number in range(running + pending)]
    client = daemon.client()
    for body in batches(documents):
        client.call("POST", "/api/v1/workloads:batch", body)
    until = time.monotonic() + 120 + (running + pending) / 5
    while (all_jobs := site.jobs()) < running + pending or site.jobs("RUNNING") < running:
        if time.monotonic() > until:
            raise Failed(f"{site.jobs('RUNNING')} jobs run and {all_jobs} are in the queue")
        time.sleep(2)


def measure_reads(options, folder):
    """Loads by reader: fairlead, nobody, squeue."""
    with Site(folder / "c", options.release, options.running) as site, Daemon(site, options.binary, folder / "d", options.way) as daemon:
        fill(site, daemon, options.running, options.pending)
        time.sleep(options.settle)
        loads = {"fairlead": site.watch(options.window)}
        daemon.stop()
        time.sleep(1)
        loads["nobody"] = site.watch(options.window)
        people = Squeues(site)
        loads["squeue"] = site.watch(options.window, people.step)
        people.end()
        site.run("root", "scancel", "--user", USER)
        return loads


def add_figures(report, loads, options):
    def per_interval(load):
        return load.count(JOB_LIST) / (int(load.seconds / INTERVAL) + 1)  # of the intervals that the window touches
    mine, nobody, people = loads["fairlead"], loads["nobody"], loads["squeue"]
    report.note(f"{options.pending} pending and {options.running} running jobs, windows of {options.window:.0f} s")
    for who, load in loads.items():
        kinds = ", ".join(f"{name} {number} ({total / 1000:.0f} ms)" for name, (number, total) in sorted(load.calls.items(), key=lambda row: -row[1][1])[:8])
        report.note(f"{who}: slurmctld {load.cpu / load.seconds:.3f} s of CPU a second, {load.count()} RPCs: {kinds}")
    report.add("slurm.reads_per_interval", per_interval(mine), "", 1.0, peer=per_interval(people))
    report.add("slurm.rpcs_per_s", mine.count() / mine.seconds, "1/s", peer=people.count() / people.seconds)
    report.add("slurm.read_cpu_ms_per_s", 1000 * (mine.cpu / mine.seconds - nobody.cpu / nobody.seconds), "ms/s",
               peer=1000 * (people.cpu / people.seconds - nobody.cpu / nobody.seconds))
