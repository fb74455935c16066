"""The product on a real Slurm: a daemon beside the cluster, and people who use `fairlead` there. 22.05 by its commands, 26.05 through slurmrestd."""
import json
import os
import signal
import subprocess
import sys
import unittest
from pathlib import Path

from tests.slurm.harness import ROOT, SCRIPT, Cluster, lacking, until

BINARY = os.environ.get("FAIRLEAD_BINARY", str(ROOT / "build/release/fairlead"))
PROJECTS = """
apiVersion: fairlead.io/v1
kind: Project
metadata: {name: research}
spec: {members: [{user: alice, role: operator}, {user: bob, role: member}]}
---
apiVersion: fairlead.io/v1
kind: Project
metadata: {name: prod}
spec: {members: [{user: carol, role: member}]}
"""
WORK = """
apiVersion: fairlead.io/v1
kind: Workload
metadata: {{name: {name}}}
spec:
  timeLimit: 10m
  roles:
  - name: main
    devices: {{model: {model}, count: {devices}}}
    command: [bash, -c, {command}]
"""


class Answer:
    def __init__(self, done):
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr

    @property
    def json(self):
        return json.loads(self.out)


class Site:
    """A cluster, a daemon that sees its users, and their shells."""

    def __init__(self, release, rest):
        self.cluster, self.rest, self.daemon, self.binary = Cluster(release), rest, None, None

    def up(self):
        self.cluster.up()
        self.folder = self.cluster.folder / "fairlead"
        self.cluster.run("root", "install", "-d", "-m", "0755", self.folder)
        self.cluster.run("root", "install", "-d", "-m", "1777", self.folder / "work")
        for program in (BINARY, Path(BINARY).with_name("fairlead-supervisor")):  # where its users can reach them
            self.cluster.run("root", "install", "-D", "-m", "0755", program, self.folder / "bin" / Path(program).name)
        self.binary = self.folder / "bin" / Path(BINARY).name
        (self.folder / "projects.yaml").write_text(PROJECTS, encoding="utf-8")
        self.start()

    def start(self):
        options = ["--engine.local.enabled=false", f"--projects={self.folder}/projects.yaml", f"--log.file={self.folder}/log"]
        command = [sys.executable, SCRIPT, "as", self.cluster.folder, "root", self.binary, "serve", f"--stateDirectory={self.folder}", *options]
        self.daemon = subprocess.Popen(list(map(str, command)), cwd="/", stdin=subprocess.DEVNULL, start_new_session=True)
        until(lambda: self.ask("root", "clusters", "get", check=False).code == 0, "the daemon answers")

    def stop(self, how=signal.SIGTERM):
        if self.daemon is None:
            return
        for process, name in self.cluster.processes().items():
            if name == "fairlead":
                os.kill(process, how)
        self.daemon.wait(timeout=30)
        self.daemon = None

    def wipe(self):
        self.stop(signal.SIGKILL)
        self.cluster.wipe()

    def ask(self, user, *command, check=True):
        """`fairlead ...` in a shell of `user`."""
        argv = [sys.executable, SCRIPT, "as", self.cluster.folder, user, self.binary, "--address", f"unix://{self.folder}/fairlead.sock", *command]
        done = subprocess.run(list(map(str, argv)), cwd="/", stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
        if check and done.returncode != 0:
            raise AssertionError(f"{user}: fairlead {' '.join(map(str, command))} ended with {done.returncode}: {done.stdout}{done.stderr}")
        return Answer(done)

    def way(self):
        if not self.rest:
            return ["--slurm-commands", "--slurm-conf", self.cluster.values["slurm_conf"]]
        values = self.cluster.values
        return ["--slurm-rest", values["rest_url"], "--slurm-conf", values["slurm_conf"],
                "--token-command", f"{values['bin']}/scontrol", "token", "username=%u", "lifespan=%s"]

    def write(self, name, text):
        path = self.folder / "work" / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o644)
        return path

    def submit(self, user, name, command, devices=1, model="h100"):
        path = self.write(f"{name}.yaml", WORK.format(name=name, model=model, devices=devices, command=json.dumps(command)))
        return self.ask(user, "submit", path, "-o", "name").out.strip()

    def row(self, workload):
        return self.ask("root", "describe", workload, "-o", "json").json

    def state(self, workload):
        return self.row(workload)["state"]

    def await_state(self, workload, state):
        until(lambda: self.state(workload) == state, f"{workload} {state}")

    def job(self, workload):
        """The id that Slurm gave the newest attempt."""
        native = until(lambda: (self.row(workload).get("attempts") or [{}])[-1].get("nativeId"), f"{workload} has a job")
        return int(native.split("@")[0])


def setUpModule():
    missing = lacking()
    if missing and os.environ.get("CI"):
        raise AssertionError(f"the daemon was not tried on a real Slurm: {missing}")
    if missing:
        print(f"SKIPPED: the daemon is not tried on a real Slurm: {missing}", flush=True)
        raise unittest.SkipTest(missing)


class OnSlurm:
    release, rest = "", False

    @classmethod
    def setUpClass(cls):
        cls.site = Site(cls.release, cls.rest)
        cls.addClassCleanup(cls.site.wipe)
        cls.site.up()
        cls.site.ask("root", "clusters", "add", "hpc", *cls.site.way())
        until(lambda: cls.site.ask("root", "get", "nodes", "-o", "json").json["items"], "nodes are read")
        print(f"Slurm {cls.site.cluster.values['version']} over {'slurmrestd' if cls.rest else 'commands'}", flush=True)

    def setUp(self):
        self.govern("--all", "--depth", "fit")

    def govern(self, *how):
        self.site.ask("root", "clusters", "govern", "hpc", *how)

    def test_a_cluster_is_connected_read_only_and_checked(self):
        seen = self.site.ask("root", "clusters", "get", "-o", "json").json["items"][0]
        self.assertTrue(seen["answers"])
        self.assertIn(self.site.cluster.values["version"], seen["product"])
        self.assertEqual(sum(kind["devices"] for kind in seen["devices"] if kind["model"] == "h100"), 16)
        checked = self.site.ask("root", "clusters", "check", "hpc", "-o", "json").json["items"]
        self.assertEqual([line for line in checked if line["kind"] == "missing"], [])
        self.assertIn("accounting", {line["topic"] for line in checked})
        self.govern("--off")
        waits = self.site.submit("bob", "readonly", "true")
        verdict = until(lambda: (why := self.site.ask("bob", "explain", waits, "-o", "json").json["decision"])["verdict"] == "denied" and why, "it is denied")
        self.assertIn("only looked at", verdict["reasons"][0]["text"])
        self.govern("--project", "prod")
        self.assertEqual(self.site.state(waits), "queued")
        self.govern("--project", "research")
        self.site.await_state(waits, "succeeded")

    def test_a_workload_runs_as_its_submitter_and_is_accounted(self):
        work = self.site.submit("bob", "hello", "id -un; echo devices $CUDA_VISIBLE_DEVICES; sleep 2", devices=2)
        self.site.await_state(work, "succeeded")
        self.assertRegex(self.site.ask("bob", "logs", work).out, r"^bob\ndevices \d,\d\n$")
        user, account, state, _ = self.site.cluster.await_state(self.site.job(work), "COMPLETED")
        self.assertEqual((user, account, state), ("bob", "research", "COMPLETED"))
        attempt = self.site.row(work)["attempts"][-1]
        self.assertIn(attempt["placement"][0]["node"], ("n1", "n2"))
        self.assertEqual(len(attempt["placement"][0]["devices"]), 2)

    def test_an_sbatch_script_keeps_its_directives(self):
        script = self.site.write("job.sh", "#!/bin/bash\n#SBATCH --job-name=kept\n#SBATCH --gres=gpu:h100:1\n#SBATCH --partition=h100\n#SBATCH --time=5\n"
                                           "#SBATCH --output=/dev/null\nsrun hostname\n")
        work = self.site.ask("bob", "submit", script, "-o", "name").out.strip()
        job = self.site.job(work)
        self.assertIn("Partition=h100", self.site.cluster.run("bob", "scontrol", "show", "job", job))
        self.site.await_state(work, "succeeded")

    def test_a_failure_says_what_slurm_says(self):
        work = self.site.submit("bob", "fails", "exit 7")
        self.site.await_state(work, "failed")
        self.assertIn("7", self.site.row(work)["message"])
        refused = self.site.write("refused.sh", "#!/bin/bash\n#SBATCH --gres=gpu:h100:1\n#SBATCH --partition=nowhere\n#SBATCH -t 5\ntrue\n")
        bad = self.site.ask("bob", "submit", refused, "-o", "name").out.strip()
        self.site.await_state(bad, "failed")
        self.assertRegex(self.site.row(bad)["message"], "(?i)partition")

    def test_cancel_and_requeue_reach_the_job(self):
        work = self.site.submit("bob", "long", "sleep 300")
        self.site.await_state(work, "running")
        first = self.site.job(work)
        self.site.ask("bob", "requeue", work)
        until(lambda: self.site.state(work) == "running" and self.site.job(work) != first, "it runs again as another job")
        self.site.ask("bob", "cancel", work)
        self.site.await_state(work, "cancelled")
        self.assertNotIn(self.site.cluster.accounted(first)[2], ("RUNNING", "PENDING", "COMPLETED"))

    def test_limits_and_holds_are_asked_of_slurm(self):
        self.govern("--depth", "5")
        blocker = self.site.submit("bob", "blocker", "sleep 300", devices=8, model="a100")
        self.site.await_state(blocker, "running")
        waiting = self.site.submit("bob", "waiting", "true", model="a100")
        self.site.await_state(waiting, "starting")
        job = self.site.job(waiting)
        until(lambda: self.site.ask("bob", "explain", waiting, "-o", "json").json["decision"]["reasons"], "Slurm's reason is told")
        self.site.ask("bob", "hold", waiting)
        shown = until(lambda: (text := self.site.cluster.run("bob", "scontrol", "show", "job", job)) and "Held" in text and text, "the job is held")
        self.assertIn("Priority=0", shown)
        self.site.ask("alice", "extend", "30m", blocker)
        self.assertIn("TimeLimit=00:30:00", self.site.cluster.run("bob", "scontrol", "show", "job", self.site.job(blocker)))
        denied = self.site.ask("bob", "extend", "40m", blocker, check=False)
        self.assertEqual(denied.code, 4)
        self.site.ask("bob", "release", waiting)
        self.site.ask("bob", "cancel", blocker)
        self.site.await_state(waiting, "succeeded")

    def test_nodes_are_drained_and_come_back(self):
        self.site.ask("root", "clusters", "drain", "hpc", "n4", "-m", "fans are loud")
        nodes = lambda: {node["name"]: node["state"] for node in self.site.ask("root", "get", "nodes", "-o", "json").json["items"]}  # noqa: E731
        until(lambda: nodes()["n4"] == "draining", "n4 drains")
        self.assertIn("fans are loud", self.site.cluster.run("alice", "sinfo", "-R", "-h", "-o", "%E"))
        self.site.ask("root", "clusters", "resume", "hpc", "n4")
        until(lambda: nodes()["n4"] == "ready", "n4 is back")
        self.assertEqual(self.site.ask("bob", "clusters", "drain", "hpc", "n4", "-m", "x", check=False).code, 4)

    def test_native_jobs_are_seen_and_never_touched(self):
        job = self.site.cluster.submit("carol", "sleep 60", "--gres=gpu:ascend910b:2", "-A", "prod", "-J", "theirs")
        native = until(lambda: [row for row in self.site.ask("carol", "get", "workloads", "--origin", "native", "-o", "json").json["items"]
                                if row["native"]["id"] == str(job) and row["state"] == "running"], "the job is seen")[0]
        self.assertEqual((native["name"], native["user"], native["project"]), ("theirs", "carol", "prod"))
        held = next(node for node in self.site.ask("root", "get", "nodes", "-o", "json").json["items"] if node["name"] == "n4")
        self.assertEqual(sum(device["freeMilliDevices"] for device in held["devices"]), 6000)
        self.assertEqual(self.site.ask("carol", "cancel", native["id"], check=False).code, 5)
        self.site.cluster.run("carol", "scancel", job)
        until(lambda: self.site.state(native["id"]) == "cancelled", "its end is seen")

    def test_a_killed_daemon_finds_its_jobs_again(self):
        work = self.site.submit("bob", "survives", "sleep 8; echo done")
        self.site.await_state(work, "running")
        job = self.site.job(work)
        self.site.stop(signal.SIGKILL)
        self.site.start()
        self.site.await_state(work, "succeeded")
        self.assertEqual(self.site.job(work), job)
        self.assertEqual(len(self.site.row(work)["attempts"]), 1)


class ByCommands(OnSlurm, unittest.TestCase):
    release, rest = "22.05", False


class ThroughSlurmrestd(OnSlurm, unittest.TestCase):
    release, rest = "26.05", True


if __name__ == "__main__":
    unittest.main()
