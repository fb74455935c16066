"""The auditor of a chaos run finds each fault that is put before it, and nothing where there is none."""
import json
import sqlite3
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "chaos"))

from auditor import Auditor  # noqa: E402
from ids import number_of, text_of  # noqa: E402
from load import Record, Submitted  # noqa: E402

TABLES = """
CREATE TABLE workloads(id INTEGER PRIMARY KEY, name, state, failure, attempts, current_attempt);
CREATE TABLE attempts(id INTEGER PRIMARY KEY, workload, number, state, failure, placement, ends, planned_ms, ended_ms, resumed_from);
CREATE TABLE postings(sequence INTEGER PRIMARY KEY, attempt, milli_devices, from_ms, to_ms);
CREATE TABLE events(sequence INTEGER PRIMARY KEY);
CREATE TABLE audits(sequence INTEGER PRIMARY KEY, action, allowed);
CREATE TABLE intents(attempt, kind, state);
"""


def placement(*devices: int) -> str:
    return json.dumps([{"role": 0, "rank": rank, "node": "n", "model": "h100", "devices": [[device, 1000]]} for rank, device in enumerate(devices)])


class AuditorTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.state = Path(folder.name)
        self.rows = sqlite3.connect(self.state / "db", isolation_level=None)
        self.addCleanup(self.rows.close)
        self.rows.executescript(TABLES)
        self.record = Record()
        self.auditor = Auditor(self.state / "db", self.state, str(self.state / "no.sock"), "no-such-run", self.record)
        self.addCleanup(self.auditor.client.close)
        self.lines = []
        self.workload(1, "first", "succeeded", attempt=(1, "succeeded", placement(0), 1000, 2000))
        self.workload(2, "second", "succeeded", attempt=(2, "succeeded", placement(0, 1), 2000, 2500))

    def workload(self, id, name, state, attempt):
        number, attempt_state, where, planned, ended = attempt
        self.rows.execute("INSERT INTO workloads VALUES(?,?,?,'none',1,?)", (id, name, state, number))
        self.rows.execute("INSERT INTO attempts VALUES(?,?,1,?,'none',?,'[]',?,?,'')", (number, id, attempt_state, where, planned, ended))
        self.rows.execute("INSERT INTO audits(action, allowed) VALUES('workload.submit', 1)")
        self.rows.execute("INSERT INTO events DEFAULT VALUES")
        for member in json.loads(where):
            self.rows.execute("INSERT INTO postings(attempt, milli_devices, from_ms, to_ms) VALUES(?,1000,?,?)", (number, planned, ended))
            self.lines += [["start", text_of("a", number), str(member["rank"]), "77", "-"], ["end", text_of("a", number), str(member["rank"]), "77", "0"]]
        self.record.submitted[name] = Submitted(name, "sleep", {}, text_of("w", id))

    def found(self) -> list[str]:
        with self.auditor.snapshot() as rows:
            self.auditor.submissions(rows, self.record.answered())
            self.auditor.sequences(rows)
            self.auditor.states(rows)
            self.auditor.starts(rows, self.lines)
            self.auditor.ledger(rows)
            self.auditor.devices(rows)
            self.auditor.outcomes(rows)
            self.auditor.exit_codes(rows, self.lines)
        return self.record.faults

    def assert_found(self, text: str):
        self.assertTrue(any(text in fault for fault in self.found()), self.record.faults)

    def test_a_sound_state_has_no_fault(self):
        self.assertEqual(self.found(), [])

    def test_a_lost_submission(self):
        self.rows.execute("DELETE FROM workloads WHERE id = 2")
        self.assert_found("second was answered")

    def test_a_doubled_submission(self):
        self.rows.execute("INSERT INTO workloads VALUES(3,'second','queued','none',0,0)")
        self.assert_found("is stored 2 times")

    def test_a_submission_without_its_audit_record(self):
        self.rows.execute("DELETE FROM audits WHERE sequence = 2")
        self.assert_found("submissions are in the audit")

    def test_a_gap_in_the_events(self):
        self.rows.execute("INSERT INTO events VALUES(9)")
        self.assert_found("events 1 to 9")

    def test_a_process_started_twice(self):
        self.lines.append(["start", text_of("a", 1), "0", "78", "-"])
        self.assert_found("was started 2 times")

    def test_a_process_of_an_attempt_that_was_never_stored(self):
        self.lines.append(["start", text_of("a", 9), "0", "78", "-"])
        self.assert_found("the store does not know it")

    def test_a_missing_posting(self):
        self.rows.execute("DELETE FROM postings WHERE attempt = 2 AND sequence = 3")
        self.assert_found("owes 1000000 micro-device-seconds")

    def test_a_device_given_away_twice(self):
        self.rows.execute("UPDATE attempts SET planned_ms = 1999 WHERE id = 2")
        self.assert_found("is given away 2 times")

    def test_a_live_attempt_of_an_ended_workload(self):
        self.rows.execute("UPDATE attempts SET state = 'running' WHERE id = 2")
        self.assert_found("is alive")

    def test_an_end_that_the_program_cannot_have(self):
        self.rows.execute("UPDATE workloads SET state = 'failed', failure = 'exit' WHERE id = 1")
        self.assert_found("expected ('succeeded', 'none')")

    def test_a_success_that_a_process_did_not_write(self):
        self.lines = [line for line in self.lines if line[:2] != ["end", text_of("a", 2)]]
        self.assert_found("succeeded and its 2 processes wrote {}")

    def test_ids_are_read_as_the_daemon_writes_them(self):
        for number in (0, 1, 33_554_431, 33_554_432, 10 ** 9):
            self.assertEqual(number_of(text_of("w", number)), number)


if __name__ == "__main__":
    unittest.main()
