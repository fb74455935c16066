"""The trainer: checkpoints, resuming, signals, outputs. Run alone: /usr/bin/python3 -m unittest examples.tests.test_train"""
import json
import signal
import unittest

from .support import ExampleTest

QUICK = ("--step-seconds", "0", "--steps", "60", "--every", "20")


class TrainTest(ExampleTest):
    def checkpoints(self):
        return sorted(path.name for path in self.folder.glob("ckpt/step-*") if (path / "DONE").exists())

    def weights(self) -> bytes:
        return (self.folder / "out/model/weights.npz").read_bytes()

    def test_trains_and_leaves_model_metrics_and_checkpoints(self):
        code, output, errors = self.run_example("train/train.py", *QUICK)
        self.assertEqual((code, errors), (0, ""))
        self.assertEqual(self.checkpoints(), ["step-000020", "step-000040", "step-000060"])
        metrics = json.loads((self.folder / "out/metrics.json").read_text())
        self.assertGreater(metrics["accuracy"], 0.8)
        self.assertLess(metrics["loss"], 1.0)
        self.assertEqual(json.loads((self.folder / "out/model/model.json").read_text())["metrics"], metrics)
        self.assertIn("step 40/60", output)

    def test_a_resumed_run_ends_with_the_same_bytes(self):
        self.assertEqual(self.run_example("train/train.py", *QUICK)[0], 0)
        uninterrupted = self.weights()
        (self.folder / "out/model/weights.npz").unlink()
        code, output, _ = self.run_example("train/train.py", *QUICK, FAIRLEAD_CHECKPOINT=str(self.folder / "ckpt/step-000020"))
        self.assertEqual(code, 0)
        self.assertIn("resumed from step-000020", output)
        self.assertNotIn("step 20/60", output)
        self.assertEqual(self.weights(), uninterrupted)

    def test_another_seed_gives_another_model(self):
        self.run_example("train/train.py", *QUICK)
        first = self.weights()
        self.run_example("train/train.py", *QUICK, "--seed", "8")
        self.assertNotEqual(self.weights(), first)

    def test_old_checkpoints_are_pruned(self):
        self.run_example("train/train.py", "--step-seconds", "0", "--steps", "60", "--every", "10")
        self.assertEqual(self.checkpoints(), ["step-000040", "step-000050", "step-000060"])

    def test_usr1_writes_a_checkpoint_and_goes_on(self):
        process = self.start("train/train.py", "--step-seconds", "0.01", "--steps", "1000", "--every", "10")
        self.wait_for("a first checkpoint", self.checkpoints)
        process.send_signal(signal.SIGUSR1)
        # Checkpoints that no interval explains come from the signal alone; a lucky hit on the interval is asked for again.
        self.wait_for("a checkpoint off the interval", lambda: process.send_signal(signal.SIGUSR1) or any(not name.endswith("0") for name in self.checkpoints()))
        self.assertIsNone(process.poll())

    def test_term_writes_a_checkpoint_and_ends_by_the_signal(self):
        process = self.start("train/train.py", "--step-seconds", "0.01", "--steps", "100000", "--every", "100000")
        self.assertIn("training on", process.stdout.readline())
        process.send_signal(signal.SIGTERM)
        self.assertEqual(self.finish(process)[0], -signal.SIGTERM)
        self.assertEqual(len(self.checkpoints()), 1)
        self.assertFalse((self.folder / "out").exists())

    def test_kill_leaves_only_whole_checkpoints_behind_the_marker(self):
        process = self.start("train/train.py", "--step-seconds", "0", "--steps", "1000000", "--every", "1")
        self.wait_for("some checkpoints", lambda: len(self.checkpoints()) >= 3)
        process.kill()
        process.wait()
        for name in self.checkpoints():
            code, output, _ = self.run_example("train/train.py", "--step-seconds", "0", "--steps", "1", "--every", "1", FAIRLEAD_CHECKPOINT=str(self.folder / "ckpt" / name))
            self.assertEqual(code, 0)
            self.assertIn(f"resumed from {name}", output)

    def test_a_torn_checkpoint_is_refused(self):
        self.run_example("train/train.py", *QUICK)
        for damage in ("DONE", "weights.npz", "state.json"):
            with self.subTest(damage=damage):
                folder = self.folder / "ckpt/step-000020"
                whole = (folder / damage).read_bytes()
                (folder / damage).unlink() if damage == "DONE" else (folder / damage).write_bytes(whole[: len(whole) // 2])
                code, _, errors = self.run_example("train/train.py", *QUICK, FAIRLEAD_CHECKPOINT=str(folder))
                self.assertEqual(code, 65)
                self.assertRegex(errors, r"^train: \S")
                (folder / damage).write_bytes(whole)

    def test_wrong_arguments_are_a_usage_error(self):
        self.assertEqual(self.run_example("train/train.py", "--steps", "0")[0], 2)
        self.assertEqual(self.run_example("train/train.py", "--data", "absent.txt")[0], 65)


if __name__ == "__main__":
    unittest.main()
