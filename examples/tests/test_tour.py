"""The tour's own footing; the whole tour is a test of the daemon and runs elsewhere.
Run alone: /usr/bin/python3 -m unittest examples.tests.test_tour"""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from .support import EXAMPLES

sys.path.insert(0, str(EXAMPLES))
import tour_contract  # noqa: E402
from tour_support import Broken, Daemon, Terminal, copy_examples, wait_until  # noqa: E402


class TourTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="fairlead-tour-test-")
        self.addCleanup(folder.cleanup)
        self.state = Path(folder.name)

    def take(self, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run([sys.executable, EXAMPLES / "tour.py", *arguments], text=True, capture_output=True, timeout=60)

    def test_a_daemon_that_does_not_start_is_a_broken_promise(self):
        result = self.take("--binary", "/bin/false", "--once", "--state", str(self.state))
        self.assertEqual(result.returncode, 1)
        self.assertIn("NOT SEEN: the daemon stays up (it ended with 1)", result.stdout)
        self.assertTrue((self.state / "config/fairlead.yaml").exists())

    def test_wrong_arguments_are_a_usage_error(self):
        self.assertEqual(self.take("--once").returncode, 2)
        self.assertEqual(self.take("--binary", "/does/not/exist").returncode, 2)
        (self.state / "something").touch()
        self.assertIn("not empty", self.take("--binary", "/bin/false", "--state", str(self.state)).stderr)

    def test_the_configuration_is_moved_under_the_state_folder(self):
        daemon = Daemon(Path("/bin/false"), self.state)
        text = daemon.write_config().read_text()
        self.assertIn(f"127.0.0.1:{daemon.port}", text)
        self.assertIn(f"unix: {self.state}/run/fairlead.sock", text)
        self.assertNotIn(": state", text)

    def test_work_is_copied_without_what_earlier_runs_left(self):
        copy_examples(self.state / "work")
        self.assertTrue((self.state / "work/train/workload.yaml").exists())
        self.assertEqual(list((self.state / "work").rglob("__pycache__")), [])

    def test_promises_are_kept_or_broken(self):
        with self.assertRaisesRegex(Broken, "^the moon"):
            Terminal().promise(False, "the moon")
        with self.assertRaisesRegex(Broken, "never .not within 0.2 s."):
            wait_until("never", lambda: None, 0.2)
        self.assertEqual(wait_until("at once", lambda: 7), 7)

    def test_ids_are_found_in_what_submit_prints(self):
        self.assertEqual(tour_contract.submitted_id("w-7k3f9  bert-pretrain  project nlp  queued"), "w-7k3f9")
        self.assertIsNone(tour_contract.submitted_id("nothing was submitted"))


if __name__ == "__main__":
    unittest.main()
