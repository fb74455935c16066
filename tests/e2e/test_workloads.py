"""From submit to ledger, with real processes."""
import os
import signal
import unittest
from pathlib import Path

from tests.e2e.harness import TestCase, wait_until


class Workloads(TestCase):
    def setUp(self):
        self.d = self.daemon(devices=4)

    def test_a_workload_runs_and_tells_everything(self):
        w = self.d.shell("echo hello; echo oops >&2; echo $CUDA_VISIBLE_DEVICES", devices=2)
        row = self.d.wait_state(w, "succeeded")
        self.assertEqual(self.d.cli("logs", w).out, "hello\n0,1\n")
        self.assertEqual(self.d.cli("logs", w, "--stderr").out, "oops\n")
        self.assertEqual(row["attempts"][0]["ends"][0]["exitCode"], 0)
        self.assertEqual(row["user"], self.d.cli("whoami", "-o", "json").json["name"])
        self.assertEqual(self.d.cli("wait", w).code, 0)
        self.assertIn("the audit trail is whole", self.d.cli("audit", "verify").out)

    def test_wait_returns_the_workloads_own_exit_code(self):
        w = self.d.shell("exit 42")
        done = self.d.cli("wait", w)
        self.assertEqual(done.code, 42)
        row = self.d.row(w)
        self.assertEqual((row["state"], row["failure"]), ("failed", "exit"))
        killed = self.d.shell("kill -9 $$", name="killed")
        self.assertEqual(self.d.cli("wait", killed).code, 128 + 9)
        self.assertEqual(self.d.row(killed)["failure"], "signal")

    def test_what_does_not_fit_waits_and_says_why(self):
        first = self.d.shell("sleep 600", devices=3, name="first")
        self.d.wait_state(first, "running")
        second = self.d.shell("true", devices=2, name="second")
        why = self.d.cli("explain", second, "-o", "json").json
        self.assertEqual(why["decision"]["verdict"], "not-now")
        self.assertEqual(why["decision"]["reasons"][0]["code"], "devices-short")
        self.assertEqual(why["holders"][0]["workload"], first)
        self.assertIn("1 h100 more", self.d.cli("get", "workloads").out)
        self.assertEqual(self.d.cli("cancel", first).code, 0)
        self.d.wait_state(second, "succeeded")
        self.assertEqual(self.d.row(first)["state"], "cancelled")

    def test_more_than_there_is_is_never(self):
        w = self.d.shell("true", devices=5)
        why = self.d.cli("explain", w, "-o", "json").json
        self.assertEqual(why["decision"]["verdict"], "never")

    def test_a_killed_trainer_resumes_from_its_newest_valid_checkpoint(self):
        script = """
mkdir -p ckpt
if [ -n "$FAIRLEAD_CHECKPOINT" ]; then basename "$FAIRLEAD_CHECKPOINT" > resumed; exit 0; fi
mkdir -p ckpt/step-1 ckpt/step-2; touch ckpt/step-1/DONE; echo half > ckpt/step-2/weights
touch ready; sleep 600"""
        w = self.d.shell(script, devices=1, more="checkpoint: {path: ckpt, valid: {marker: DONE}}\n  retry: {limit: 2, on: [signal], backoff: 100ms}")
        wait_until(lambda: (self.d.work / "ready").exists(), "the trainer has written its checkpoints")
        attempt = self.d.wait_state(w, "running")["attempts"][0]
        for pid in ranks_of(attempt["id"]):
            os.kill(pid, signal.SIGKILL)
        row = self.d.wait_state(w, "succeeded")
        self.assertEqual((self.d.work / "resumed").read_text(), "step-1\n")
        self.assertEqual(len(row["attempts"]), 2)
        self.assertEqual(row["attempts"][0]["failure"], "signal")
        self.assertTrue(row["attempts"][1]["resumedFrom"].endswith("/ckpt/step-1"))

    def test_hold_release_requeue_priority(self):
        w = self.d.shell("true", more="startHeld: true")
        self.assertEqual(self.d.row(w)["state"], "held")
        self.assertIn("held", self.d.cli("explain", w).out)
        self.assertEqual(self.d.cli("release", w).code, 0)
        self.d.wait_state(w, "succeeded")
        self.assertEqual(self.d.cli("hold", w).code, 5)
        self.assertEqual(self.d.cli("requeue", w).code, 0)
        wait_until(lambda: len(self.d.row(w)["attempts"]) == 2, "it ran again")

    def test_a_time_limit_ends_it(self):
        w = self.d.shell("sleep 600", more="timeLimit: 1s\n  stopGrace: 1s")
        self.assertEqual(self.d.wait_state(w, "failed")["failure"], "time-limit")

    def test_an_output_becomes_a_model_version_and_is_served_exactly(self):
        w = self.d.shell("mkdir -p out/model; echo v1-bytes > out/model/weights; echo '{\"loss\": 0.25}' > out/metrics.json", devices=1, name="maker",
                         more="outputs: [{name: model, path: out/model, kind: model, model: bert, metrics: out/metrics.json}]")
        self.d.wait_state(w, "succeeded")
        (self.d.work / "out/model/weights").write_text("changed later")
        served = self.d.submit(f"""
apiVersion: fairlead.io/v1
kind: Workload
metadata: {{name: server, project: nlp}}
spec:
  class: inference
  model: {{name: bert, version: v1}}
  roles:
    - name: main
      workingDirectory: {self.d.work}
      command: [/bin/sh, -c, 'cat "$FAIRLEAD_MODEL_PATH"/weights; sleep 600']
""", "server.yaml")
        self.d.wait_state(served, "running")
        wait_until(lambda: self.d.cli("logs", served).out == "v1-bytes\n", "the server read the version's bytes")
        model = self.d.cli("describe", "model", "bert", "-o", "json").json
        version = model["versions"][0]
        self.assertEqual(version["workload"], w)
        self.assertEqual(version["metrics"], {"loss": "0.25"})
        self.assertEqual([s["workload"] for s in version["servedBy"]], [served])

    def test_usage_counts_device_time_and_money(self):
        w = self.d.shell("sleep 1", devices=2)
        row = self.d.wait_state(w, "succeeded")
        usage = self.d.cli("usage", "--by", "project,deviceModel", "-o", "json").json
        total = usage["total"]
        self.assertGreaterEqual(total["totalMicroDeviceSeconds"], 2_000_000)
        attempt = row["attempts"][0]
        held = (parse(attempt["endedAt"]) - parse(attempt["plannedAt"])) * 2
        self.assertAlmostEqual(total["totalMicroDeviceSeconds"] / 1e6, held, places=5)
        self.assertEqual(total["currency"], "USD")
        self.assertAlmostEqual(total["costMicros"] / 1e6, held * 3.60 / 3600, places=5)

    def test_an_sbatch_script_runs_and_names_what_is_not_mapped(self):
        script = self.d.work / "train.sbatch"
        script.write_text("#!/bin/bash\n#SBATCH --job-name=train\n#SBATCH --gres=gpu:h100:1\n#SBATCH --mail-user=li@example.org\n#SBATCH --time=00:10:00\n"
                          "echo rank $SLURM_PROCID of $SLURM_NTASKS on $CUDA_VISIBLE_DEVICES\n")
        answer = self.d.cli("submit", "-p", "nlp", script)
        self.assertEqual(answer.code, 0, answer.err)
        self.assertIn("not mapped from the script: --mail-user", answer.out)
        w = answer.out.split()[0]
        self.d.wait_state(w, "succeeded")
        self.assertEqual(self.d.cli("logs", w).out, "rank 0 of 1 on 0\n")

    def test_a_gang_of_four_knows_its_ranks(self):
        w = self.d.submit(f"""
apiVersion: fairlead.io/v1
kind: Workload
metadata: {{name: gang, project: nlp}}
spec:
  class: training
  gang: all
  roles:
    - name: worker
      count: 4
      devices: {{model: h100, count: 1}}
      workingDirectory: {self.d.work}
      command: [/bin/sh, -c, 'echo $RANK/$WORLD_SIZE $CUDA_VISIBLE_DEVICES > rank.$RANK']
""", "gang.yaml")
        self.d.wait_state(w, "succeeded")
        seen = sorted((self.d.work / f"rank.{r}").read_text().split()[0] for r in range(4))
        self.assertEqual(seen, ["0/4", "1/4", "2/4", "3/4"])
        devices = {(self.d.work / f"rank.{r}").read_text().split()[1] for r in range(4)}
        self.assertEqual(devices, {"0", "1", "2", "3"})

    def test_an_array_and_a_dependency(self):
        array = self.d.shell("echo $FAIRLEAD_ARRAY_INDEX >> indices", name="array", more='array: {indices: "1-3", parallel: 1}')
        after = self.d.submit(f"""
apiVersion: fairlead.io/v1
kind: Workload
metadata: {{name: after, project: nlp}}
spec:
  class: training
  dependencies: [{{workload: {array}, condition: succeeded}}]
  roles: [{{name: main, workingDirectory: {self.d.work}, command: [/bin/sh, -c, 'sort indices > sorted']}}]
""", "after.yaml")
        self.d.wait_state(after, "succeeded")
        self.assertEqual((self.d.work / "sorted").read_text(), "1\n2\n3\n")

    def test_logs_follow_until_the_end(self):
        w = self.d.shell("for i in 1 2 3; do echo $i; sleep 0.2; done")
        followed = self.d.cli("logs", "-f", w)
        self.assertEqual(followed.out, "1\n2\n3\n")


def parse(text):
    from datetime import datetime
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def ranks_of(attempt):
    """Processes of an attempt, by the environment they were started with."""
    mark = f"FAIRLEAD_ATTEMPT_ID={attempt}\0".encode()
    pids = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            if mark in Path(f"/proc/{entry}/environ").read_bytes():
                pids.append(int(entry))
        except OSError:
            continue
    return pids


if __name__ == "__main__":
    unittest.main()
