"""The platform service. Run alone: /usr/bin/python3 -m unittest examples.tests.test_heartbeat"""
import unittest

from .support import ExampleTest, request


class HeartbeatTest(ExampleTest):
    def test_samples_and_serves_metrics(self):
        process = self.start("platform/heartbeat.py", "--interval", "0.02", "--report-every", "1")
        address = self.wait_for_text("heartbeat-address")
        self.assertIn("metrics at " + address, process.stdout.readline())
        self.assertIn("heartbeat 1: load", process.stdout.readline())

        def values():
            text = request(address + "/metrics")[1]
            return dict(line.split() for line in text.splitlines() if not line.startswith("#"))

        self.wait_for("three samples", lambda: int(values().get("heartbeat_samples_total", 0)) >= 3)
        self.assertGreater(int(values()["host_memory_available_bytes"]), 0)
        self.assertLess(int(values()["host_memory_available_bytes"]), int(values()["host_memory_total_bytes"]))
        self.assertEqual(request(address + "/healthz")[0], 200)
        self.assertEqual(request(address + "/other")[0], 404)
        self.assertEqual(self.stop(process), 0)

    def test_wrong_arguments_are_a_usage_error(self):
        self.assertEqual(self.run_example("platform/heartbeat.py", "--interval", "0")[0], 2)


if __name__ == "__main__":
    unittest.main()
