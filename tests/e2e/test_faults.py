"""Crashes, bad input, missing rights: nothing lost, nothing doubled, a clear message."""
import os
import signal
import sqlite3
import subprocess
import unittest

from tests.e2e.harness import BINARY, TestCase, wait_until


class Crashes(TestCase):
    def test_kill_9_of_the_daemon_kills_and_loses_nothing(self):
        d = self.daemon(devices=1)
        running = d.shell("echo start >> starts; while [ ! -e go ]; do sleep 0.05; done; echo end", devices=1, name="running")
        d.wait_state(running, "running")
        waiting = d.shell("echo second", devices=1, name="waiting")
        d.stop(signal.SIGKILL)
        (d.work / "go").touch()
        d.start()
        d.wait_state(running, "succeeded")
        d.wait_state(waiting, "succeeded")
        self.assertEqual((d.work / "starts").read_text(), "start\n")
        self.assertEqual(d.cli("logs", running).out, "end\n")
        self.assertEqual(len(d.row(running)["attempts"]), 1)
        self.assertEqual(d.cli("audit", "verify").code, 0)

    def test_a_killed_supervisor_is_engine_lost_and_the_work_comes_back(self):
        d = self.daemon(devices=1)
        w = d.shell("echo $$ >> pids; [ $(wc -l < pids) -gt 1 ] || sleep 600", devices=1, more="retry: {limit: 1, on: [engine-lost], backoff: 50ms}")
        wait_until(lambda: (d.work / "pids").exists(), "the first attempt runs")
        rank = int((d.work / "pids").read_text())
        supervisor = int(open(f"/proc/{rank}/stat").read().rsplit(")", 1)[1].split()[1])
        os.kill(supervisor, signal.SIGKILL)
        row = d.wait_state(w, "succeeded")
        self.assertEqual(row["attempts"][0]["failure"], "engine-lost")
        self.assertFalse(runs(rank), "nothing of the lost attempt runs on")

    def test_a_stopped_daemon_answers_term_and_comes_back_whole(self):
        d = self.daemon()
        w = d.shell("sleep 600")
        d.wait_state(w, "running")
        self.assertEqual(d.stop(), 0)
        d.start()
        self.assertEqual(d.wait_state(w, "running")["attempts"][0]["number"], 1)


def runs(pid):
    """False also for a zombie that nobody has waited for."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class BadStores(TestCase):
    def refused(self, d):
        """What the daemon says when it does not start."""
        done = subprocess.run([BINARY, "serve", "--config", str(d.config)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30, check=False)
        self.assertNotEqual(done.returncode, 0)
        return done.stderr + done.stdout

    def stopped(self):
        d = self.daemon()
        d.shell("true")
        d.stop()
        return d, next(d.state.rglob("*.db"))

    def test_a_database_of_a_newer_version(self):
        d, database = self.stopped()
        with sqlite3.connect(database) as db:
            names = [row[0] for row in db.execute("select name from sqlite_master where type='table' and name like '%schema%'")]
            db.execute(f"update {names[0]} set version = 999")
        self.assertIn("newer", self.refused(d))

    def test_a_missing_audit_key(self):
        d, _ = self.stopped()
        key = next(d.state.rglob("audit.key"))
        key.unlink()
        message = self.refused(d)
        self.assertIn(str(key), message)
        self.assertFalse(key.exists(), "no new key hides that the old one is gone")

    def test_a_file_that_is_no_database(self):
        d, database = self.stopped()
        for extra in database.parent.glob(database.name + "-*"):
            extra.unlink()
        database.write_bytes(b"not a database at all" * 500)
        self.assertIn(str(database), self.refused(d))

    def test_two_daemons_never_share_a_store(self):
        d = self.daemon()
        self.assertIn(str(d.process.pid), self.refused(d))
        self.assertEqual(d.cli("get", "workloads").code, 0)

    def test_an_edited_audit_record_is_named(self):
        d, database = self.stopped()
        with sqlite3.connect(database) as db:
            db.execute("update audits set principal = 'somebody else' where sequence = 1")
        d.start()
        verdict = d.cli("audit", "verify", "-o", "json")
        self.assertEqual(verdict.code, 1)
        self.assertEqual(verdict.json["problemSequence"], 1)


class BadInput(TestCase):
    @classmethod
    def setUpClass(cls):
        from tests.e2e.harness import Daemon
        cls.d = Daemon()
        cls.d.start()

    @classmethod
    def tearDownClass(cls):
        cls.d.__exit__()

    def refused(self, text, *expected, code=2):
        path = self.d.work / "bad.yaml"
        path.write_text(text)
        done = self.d.cli("submit", path)
        self.assertEqual(done.code, code, done.err)
        for words in expected:
            self.assertIn(words, done.err)
        self.assertIn("nothing was submitted", done.err)
        self.assertEqual(self.d.cli("get", "workloads", "-A", "-o", "json").json["items"], [])

    def test_all_errors_at_once_with_their_places(self):
        self.refused("apiVersion: fairlead.io/v1\nkind: Workload\nmetadata: {name: x, project: nlp}\nspec:\n  class: trainin\n  timeLimt: 3h\n  roles:\n    - {name: a, count: 0, command: []}\n",
                     "bad.yaml:5:", "spec.class", "training", "bad.yaml:6:", "timeLimt", "timeLimit", "bad.yaml:8:", "count")

    def test_a_yaml_bomb(self):
        lines = ["a: &a [x, x, x, x, x, x, x, x, x]"] + [f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join(['*' + chr(97 + i)] * 9)}]" for i in range(9)]
        self.refused("\n".join(lines))

    def test_deep_json(self):
        self.refused("[" * 10_000 + "]" * 10_000)

    def test_an_unknown_project_is_denied_or_unknown(self):
        path = self.d.work / "p.yaml"
        path.write_text("apiVersion: fairlead.io/v1\nkind: Workload\nmetadata: {name: x, project: nowhere}\nspec: {class: training, roles: [{name: a, command: [/bin/true]}]}\n")
        self.assertIn(self.d.cli("submit", path).code, (3, 4))

    def test_an_unknown_workload_is_not_found(self):
        self.assertEqual(self.d.cli("describe", "workload", "w-zzzzz").code, 3)

    def test_usage_errors(self):
        self.assertEqual(self.d.cli("submit").code, 2)
        self.assertEqual(self.d.cli("get", "nonsense").code, 2)
        self.assertEqual(self.d.cli("get", "nodes", env={"FAIRLEAD_ADDRESS": f"unix://{self.d.state}/nobody.sock"}).code, 6)


if __name__ == "__main__":
    unittest.main()
