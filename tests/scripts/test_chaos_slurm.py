"""The relay of a chaos run on Slurm spoils what it says it spoils; its auditor finds each violation that is put before it."""
import http.client
import http.server
import json
import sys
import tempfile
import threading
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "chaos"))

import slurm_relay  # noqa: E402
from load import Record  # noqa: E402
from slurm_auditor import Attempt, Job, SlurmAuditor, job_of  # noqa: E402

from tests.slurm.harness import until  # noqa: E402

SUBMIT = "/slurm/v0.0.38/job/submit"


class Upstream(http.server.BaseHTTPRequestHandler):
    """A slurmrestd that takes everything and counts it."""
    protocol_version = "HTTP/1.1"

    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.seen.append(f"{self.command} {self.path}")
        body = json.dumps({"job_id": len(self.server.seen)} if self.command == "POST" else {"jobs": [{"job_id": 7}], "errors": []}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_DELETE = answer

    def log_message(self, *_):
        pass


class RelayTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.log = Path(folder.name) / "log"
        self.upstream = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
        self.upstream.seen = []
        thread = threading.Thread(target=self.upstream.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(self.upstream.server_close)
        self.addCleanup(self.upstream.shutdown)
        self.relay = slurm_relay.Relay(self.upstream.server_address, 1, 1.0, 0.05, self.log)
        self.relay.start()
        self.addCleanup(self.relay.stop)

    def ask(self, fault, method="GET", path="/slurm/v0.0.38/jobs"):
        """Status and body of the answer, or the name of what the client met instead."""
        weights = {kind: {fault: 1} for kind in slurm_relay.WEIGHTS}
        kept, slurm_relay.WEIGHTS = slurm_relay.WEIGHTS, weights
        connection = http.client.HTTPConnection("127.0.0.1", self.relay.port, timeout=10)
        try:
            connection.request(method, path, json.dumps({"job": {"name": "a-1.start.x"}}) if method == "POST" else None)
            answer = connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException) as problem:
            return type(problem).__name__, b""
        finally:
            connection.close()
            slurm_relay.WEIGHTS = kept

    def test_every_fault_can_be_carried_out(self):
        for kind, weights in slurm_relay.WEIGHTS.items():
            for fault in weights:
                name = "do_" + fault.replace("-", "_").replace("5xx", "bad")
                self.assertTrue(hasattr(slurm_relay.Relay, name), f"{fault} of {kind}")

    def test_the_same_seed_draws_the_same_faults(self):
        drawn = [[slurm_relay.draw(seed, "submit", count, 0.5)[0] for count in range(50)] for seed in (1, 1, 2)]
        self.assertEqual(drawn[0], drawn[1])
        self.assertNotEqual(drawn[0], drawn[2])

    def test_a_submission_sent_twice_makes_two_jobs_and_is_listed(self):
        self.assertEqual(self.ask("twice-sent", "POST", SUBMIT)[0], 200)
        self.assertEqual(self.upstream.seen, [f"POST {SUBMIT}"] * 2)
        self.assertEqual([(one.name, one.jobs) for one in self.relay.doubled], [("a-1.start.x", [1, 2])])

    def test_what_is_dropped_was_not_done_and_what_is_dropped_after_was(self):
        self.assertIn(self.ask("drop", "POST", SUBMIT)[0], ("RemoteDisconnected", "ConnectionResetError"))
        self.assertEqual(self.upstream.seen, [])
        self.assertIn(self.ask("reset-after", "POST", SUBMIT)[0], ("RemoteDisconnected", "ConnectionResetError"))
        self.assertEqual(self.upstream.seen, [f"POST {SUBMIT}"])

    def test_a_late_submission_comes_after_its_client_has_gone(self):
        self.assertEqual(self.ask("late", "POST", SUBMIT)[0], "RemoteDisconnected")
        self.assertEqual(self.upstream.seen, [f"POST {SUBMIT}"])

    def test_lists_are_emptied_cut_and_ended_early(self):
        self.assertEqual(json.loads(self.ask("empty")[1])["jobs"], [])
        with self.assertRaises(ValueError):
            json.loads(self.ask("cut")[1])
        status, body = self.ask("truncated")
        self.assertFalse(status == 200 and body.endswith(b"}"), "the end of the answer was to be missing")

    def test_only_one_side_lies_at_a_time(self):
        self.ask("empty")
        self.assertNotEqual(json.loads(self.ask("empty", path="/slurmdb/v0.0.38/jobs")[1])["jobs"], [])
        self.ask("delay")
        self.assertEqual(json.loads(self.ask("empty", path="/slurmdb/v0.0.38/jobs")[1])["jobs"], [])

    def test_every_fault_is_counted_and_written_down(self):
        self.ask("5xx", "DELETE", "/slurm/v0.0.38/job/5")
        # The answer goes out before the line is written.
        until(lambda: "delete:1 5xx DELETE /slurm/v0.0.38/job/5" in self.log.read_text(encoding="utf-8"), "the fault is written down", 10)
        self.assertEqual(self.relay.counts["delete"]["5xx"], 1)


class SlurmAuditorTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.state = Path(folder.name)
        self.log = self.state / "daemon.log"
        self.record = Record()
        self.auditor = SlurmAuditor(self.state / "db", self.state, str(self.state / "no.sock"), "mark", self.record, None, self.log)
        self.addCleanup(self.auditor.client.close)
        self.attempts = {"a-one": Attempt("a-one", "succeeded", "none", 1, 1000, 3000, 500, 1000),
                         "a-two": Attempt("a-two", "failed", "exit", 2, 1000, 2000, 500, 1000, [{"rank": 0, "exitCode": 3}])}
        self.jobs = [Job(1, "a-one.start.x", "alice", "COMPLETED", 0, 0, 2), Job(2, "a-two.start.y", "bob", "FAILED", 3, 0, 1),
                     Job(3, "native-0", "carol", "COMPLETED", 0, 0, 4)]
        self.lines = [["start", "a-one", "0", "1", "-"], ["end", "a-one", "0", "1", "0"], ["start", "a-two", "0", "2", "-"], ["end", "a-two", "0", "2", "3"]]

    def found(self, doubled=None):
        self.auditor.compare(self.attempts, self.jobs, doubled or {})
        self.auditor.written(self.lines, self.jobs)
        self.auditor.untouched(self.jobs, {3: 4})
        return self.record.faults

    def assert_found(self, text, doubled=None):
        self.assertTrue(any(text in fault for fault in self.found(doubled)), self.record.faults)

    def test_a_sound_run_has_no_fault(self):
        self.assertEqual(self.found(), [])

    def test_rows_of_sacct_are_read(self):
        row = {"jobidraw": "9", "jobname": "a-7k3f9.start.n.1", "user": "bob", "state": "CANCELLED by 30002", "exitcode": "0:15", "elapsedraw": "12"}
        job = job_of(row)
        self.assertEqual((job.attempt, job.state, job.signal, job.elapsed), ("a-7k3f9", "CANCELLED", 15, 12))

    def test_a_second_job(self):
        self.jobs.append(Job(4, "a-one.start.x", "alice", "COMPLETED", 0, 0, 2))
        self.assert_found("0 more are explained")

    def test_a_second_job_that_is_explained_must_be_named(self):
        self.jobs.append(Job(4, "a-one.start.x", "alice", "COMPLETED", 0, 0, 2))
        self.lines.append(["start", "a-one", "0", "4", "-"])
        self.assert_found("does not name it", {"a-one.start.x": 1})

    def test_a_second_job_that_is_explained_and_named_is_none_of_ours(self):
        self.jobs.append(Job(4, "a-one.start.x", "alice", "COMPLETED", 0, 0, 2))
        self.lines.append(["start", "a-one", "0", "4", "-"])
        self.log.write_text("job 4 (RUNNING) is a second one of attempt a-one, which follows job 1\n")
        self.assertEqual(self.found({"a-one.start.x": 1}), [])

    def test_a_job_that_nobody_cancelled(self):
        self.jobs[0].state, self.attempts["a-one"].state = "CANCELLED", "cancelled"
        self.assert_found("nobody cancelled it")

    def test_a_lost_job(self):
        del self.jobs[0]
        self.assert_found("slurmdbd has 0 such")

    def test_an_attempt_that_takes_another_ones_job(self):
        self.attempts["a-one"].native = 2
        self.assert_found("attempt a-one followed job 2")

    def test_an_end_that_is_not_so(self):
        self.jobs[0].state, self.jobs[0].code = "FAILED", 3
        self.assert_found("attempt a-one is succeeded")

    def test_another_exit_code(self):
        self.jobs[1].code = 4
        self.assert_found("stored are the exit codes [3]")

    def test_another_time(self):
        self.jobs[0].elapsed = 4
        self.assert_found("it held devices for 2000 ms")

    def test_a_rank_started_twice(self):
        self.lines.append(self.lines[0])
        self.assert_found("was started 2 times in job 1")

    def test_a_job_of_nobody(self):
        self.jobs.append(Job(5, "a-six.start.x", "alice", "COMPLETED", 0, 0, 1))
        self.assert_found("carries attempt a-six, which the store does not know")

    def test_a_job_by_hand_that_was_touched(self):
        self.jobs[2].state = "CANCELLED"
        self.assert_found("job 3 was made by hand")


if __name__ == "__main__":
    unittest.main()
