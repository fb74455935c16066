"""The project's own Slurm clusters: every release comes up, runs jobs, outlives faults and leaves nothing behind. All at once."""
import concurrent.futures
import json
import os
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

from tests.slurm.harness import SCRIPT, Cluster, script, until

RELEASES = ("22.05", "24.11", "26.05")
LOOPBACK = "0100007F"  # 127.0.0.1 as /proc/net/tcp writes it
clusters = {}


def setUpModule():
    if os.geteuid() != 0:
        raise AssertionError("only root can look at what a cluster leaves behind: run this test as root")
    made = {release: Cluster(release) for release in RELEASES}
    unittest.addModuleCleanup(wipe_all, made)
    with concurrent.futures.ThreadPoolExecutor() as threads:
        for release, started in {release: threads.submit(cluster.up) for release, cluster in made.items()}.items():
            clusters[release] = started.result()
            print(f"release {release}: Slurm {clusters[release].values['version']}", flush=True)


def wipe_all(made):
    left = {}
    for release, cluster in made.items():
        cluster.wipe()
        left[release] = cluster.processes() or cluster.folder.exists()
    if any(left.values()):
        raise AssertionError(f"left behind: {left}")


class Release:
    """What every release must show; the classes below name one each."""

    release = ""

    def setUp(self):
        self.cluster = clusters[self.release]

    def test_all_nodes_are_idle_with_their_devices(self):
        until(lambda: set(self.cluster.nodes().values()) == {"idle"}, "all nodes idle")
        gres = dict(line.split() for line in self.cluster.run("alice", "sinfo", "-h", "-N", "-p", "short", "-o", "%N %G").splitlines())
        self.assertEqual({name: value.partition("(")[0] for name, value in gres.items()},
                         {"n1": "gpu:h100:8", "n2": "gpu:h100:8", "n3": "gpu:a100:8", "n4": "gpu:ascend910b:8", "n5": "npu:ascend910b:8"})

    def test_a_script_runs_as_its_user_with_its_devices(self):
        out = Path(self.cluster.values["folder"], "home/alice/devices.out")
        script_text = "id -un; id -Gn; echo $CUDA_VISIBLE_DEVICES; getent hosts $SLURMD_NODENAME | cut -d' ' -f1"
        job = self.cluster.submit("alice", script_text, "--gres=gpu:a100:2", f"--output={out}")
        self.assertEqual(self.cluster.await_state(job, "COMPLETED"), ("alice", "research", "COMPLETED", "0:0"))
        self.assertEqual(out.read_text().splitlines(), ["alice", "alice research", "0,1", "127.0.0.1"])

    def test_a_request_to_slurmrestd_runs(self):
        version, home = self.cluster.api(), f"{self.cluster.values['folder']}/home/alice"
        path = "/usr/bin:/bin"
        job = {"name": "by-rest", "current_working_directory": home, "environment": {"PATH": path} if version < "v0.0.39" else [f"PATH={path}"]}
        status, answer = self.cluster.rest("alice", f"/slurm/{version}/job/submit", {"script": "#!/bin/sh\nexit 3\n", "job": job})
        self.assertEqual((status, answer["errors"]), (200, []), answer)
        self.assertEqual(self.cluster.await_state(answer["job_id"], "FAILED"), ("alice", "research", "FAILED", "3:0"))

    def test_slurmrestd_answers_root_on_the_unix_socket_and_nobody_without_a_token(self):
        self.assertEqual(self.cluster.unix_ping().split()[1], "200")
        done = subprocess.run(["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", f"{self.cluster.values['rest_url']}/slurm/{self.cluster.api()}/ping"],
                              capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "401")

    def test_it_listens_on_loopback_only(self):
        listeners = self.cluster.listeners()
        self.assertEqual(len(listeners), 8, listeners)  # slurmctld, slurmdbd, slurmrestd, five slurmd
        self.assertEqual(set().union(*listeners.values()), {LOOPBACK})

    def test_a_job_outlives_slurmctld(self):
        gate = Path(self.cluster.values["folder"], "tmp", "gate")
        job = self.cluster.submit("carol", f"while [ ! -e {gate} ]; do sleep 0.1; done", "--gres=gpu:h100:1")
        until(lambda: self.cluster.run("carol", "squeue", "-h", "-j", job, "-o", "%T").strip() == "RUNNING", f"job {job} RUNNING")
        self.await_saved_state(job)
        self.cluster.change("kill", "slurmctld")
        self.assertIn("DOWN", self.cluster.run("carol", "scontrol", "ping", check=False).stdout)
        gate.touch()
        self.cluster.change("start", "slurmctld")
        self.assertEqual(self.cluster.await_state(job, "COMPLETED")[:2], ("carol", "prod"))
        until(lambda: set(self.cluster.nodes().values()) == {"idle"}, "all nodes idle again")

    def await_saved_state(self, job):
        """slurmctld writes its jobs down within seconds of a change; one that is killed before has forgotten that a job runs."""
        seen, file = time.time(), self.cluster.folder / "state/job_state"
        self.cluster.run("root", "scontrol", "update", f"jobid={job}", "comment=saved")  # without a change since, it writes nothing
        until(lambda: file.exists() and file.stat().st_mtime > seen, "slurmctld saved its state")

    def test_down_leaves_nothing_and_up_goes_on(self):
        job = self.cluster.submit("bob", "exit 0")
        self.cluster.await_state(job, "COMPLETED")
        daemons = {"munged", "mariadbd", "slurmdbd", "slurmctld", "slurmd", "slurmrestd"}
        self.assertLessEqual(daemons, set(self.cluster.processes().values()))
        self.cluster.down()
        self.assertEqual(self.cluster.processes(), {})
        self.assertEqual(self.cluster.listeners(), {})
        self.assertNotIn(str(self.cluster.folder), Path("/proc/self/mountinfo").read_text())
        values = self.cluster.values
        self.assertEqual(self.cluster.up().values["rest_url"], values["rest_url"])
        self.assertEqual(self.cluster.accounted(job), ("bob", "research", "COMPLETED", "0:0"))


class Release2205(Release, unittest.TestCase):
    release = "22.05"


class Release2411(Release, unittest.TestCase):
    release = "24.11"


class Release2605(Release, unittest.TestCase):
    release = "26.05"


class FaultyStartTest(unittest.TestCase):
    """What goes wrong while a cluster starts or ends, once: it is the same code for every release."""

    def setUp(self):
        self.cluster = Cluster("22.05")
        self.addCleanup(self.cluster.wipe)

    def refused(self, *arguments):
        done = script(*arguments, check=False)
        self.assertEqual(done.returncode, 1, done.stdout)
        return done.stderr

    def test_a_configuration_that_slurm_refuses(self):
        error = self.refused("up", self.cluster.folder, "--release", "22.05", "--extra", "SlurmdTimeout=soon")
        self.assertIn("slurmctld ended at its start", error)
        self.assertIn('SlurmdTimeout value "soon"', error)
        self.assertEqual(self.cluster.processes(), {})
        self.assertFalse(self.cluster.folder.exists())

    def test_a_start_that_is_killed(self):
        state = self.cluster.folder / "state.json"
        for signal_number in (signal.SIGTERM, signal.SIGKILL):
            start = subprocess.Popen([sys.executable, SCRIPT, "up", self.cluster.folder], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            until(lambda: state.exists() and "munged" in state.read_text(), "the first daemon started")
            start.send_signal(signal_number)
            self.assertNotEqual(start.wait(timeout=60), 0)
            if signal_number == signal.SIGKILL:
                self.assertNotEqual(self.cluster.processes(), {})
                script("wipe", self.cluster.folder)
            self.assertEqual(self.cluster.processes(), {})
            self.assertFalse(self.cluster.folder.exists())

    def test_a_process_with_a_recorded_number_but_a_later_start_is_left_alone(self):
        self.cluster.up().down()
        other = subprocess.Popen(["sleep", "60"])
        self.addCleanup(other.wait)
        self.addCleanup(other.kill)
        path = self.cluster.folder / "state.json"
        state = json.loads(path.read_text())
        state["daemons"] = {"slurmctld": [other.pid, 1]}
        state["keepers"] = {"cluster": [other.pid, 1], "login": [other.pid, 1]}
        path.write_text(json.dumps(state))
        self.cluster.down()
        self.assertIsNone(other.poll())

    def test_folders_that_are_no_clusters(self):
        folder = self.cluster.folder
        folder.mkdir()
        (folder / "thesis.txt").write_text("years of work")
        for verb in ("up", "down", "wipe"):
            self.assertIn("is no cluster's", self.refused(verb, folder))
        self.assertEqual((folder / "thesis.txt").read_text(), "years of work")
        (folder / "thesis.txt").unlink()
        folder.parent.chmod(0o700)
        self.assertIn(f"{folder.parent} is closed to others", self.refused("up", folder))

    def test_asked_when_down_or_for_what_is_not_there(self):
        for arguments in (["env", self.cluster.folder], ["as", self.cluster.folder, "alice", "true"], ["stop", self.cluster.folder, "slurmctld"]):
            self.assertIn("no cluster", self.refused(*arguments))
        self.cluster.up()
        self.assertIn("no daemon slurmq", self.refused("stop", self.cluster.folder, "slurmq"))
        self.assertIn("no user mallory", self.refused("as", self.cluster.folder, "mallory", "true"))
        self.assertIn("other options", self.refused("up", self.cluster.folder, "--release", "24.11"))

    def test_daemons_stop_start_and_lose_a_node(self):
        self.cluster.up()
        for daemon in ("slurmrestd", "slurmdbd", "munged", "slurmd.n3", "mariadbd"):
            names = {"slurmd.n3": "slurmd"}.get(daemon, daemon)
            count = list(self.cluster.processes().values()).count(names)
            self.cluster.change("stop", daemon)
            self.assertEqual(list(self.cluster.processes().values()).count(names), count - (2 if daemon == "slurmrestd" else 1), daemon)
            self.cluster.change("start", daemon)
            self.assertEqual(list(self.cluster.processes().values()).count(names), count, daemon)
        job = self.cluster.submit("alice", "sleep 600", "--gres=gpu:a100:1", "--no-requeue")
        until(lambda: "slurm_script" in self.cluster.processes().values(), "the job runs")  # its slurmstepd is ready then
        self.cluster.change("kill", "node.n3")
        self.assertNotIn("slurmstepd", self.cluster.processes().values())
        self.cluster.await_state(job, "NODE_FAIL")


if __name__ == "__main__":
    unittest.main()
