"""Starts the real daemon in a folder of its own and talks to it through the real command line."""
import contextlib
import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BINARY = os.environ.get("FAIRLEAD_BINARY", str(ROOT / "build/release/fairlead"))
ME = pwd.getpwuid(os.geteuid()).pw_name
LIMIT = 30  # seconds that anything is waited for


def wait_until(holds, what, limit=LIMIT):
    """Returns the first true result of `holds`."""
    end = time.monotonic() + limit
    while True:
        result = holds()
        if result:
            return result
        if time.monotonic() > end:
            raise AssertionError(f"not within {limit} s: {what}")
        time.sleep(0.02)


class Result:
    def __init__(self, done):
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr

    @property
    def json(self):
        return json.loads(self.out)


class Daemon:
    """One daemon on one state folder. `with Daemon() as d:`; `d.stop()` and `d.start()` in between are fine."""

    CONFIG = """
stateDirectory: {state}
listen: {{unix: {socket}}}
engine:
  local:
    discover: false
    devices:
      - {{vendor: nvidia, model: h100, count: {devices}, memory: 80GiB}}
projects: {state}/projects.yaml
prices: {state}/prices.yaml
policy: {{reserveAfter: 5s}}
"""
    PROJECTS = """
apiVersion: fairlead.io/v1
kind: Project
metadata: {{name: nlp}}
spec: {{members: [{{user: {me}, role: admin}}]}}
"""
    PRICES = """
apiVersion: fairlead.io/v1
kind: PriceList
metadata: {name: standard}
spec:
  currency: USD
  prices:
    - {model: h100, perHour: "3.60", from: "2020-01-01T00:00:00Z"}
"""

    def __init__(self, devices=4, extra="", projects=None):
        self.state = Path(tempfile.mkdtemp(prefix="fairlead-e2e-"))
        self.socket = self.state / "fl.sock"
        self.work = self.state / "work"
        self.work.mkdir()
        self.config = self.state / "fairlead.yaml"
        self.config.write_text(self.CONFIG.format(state=self.state, socket=self.socket, devices=devices) + extra)
        (self.state / "projects.yaml").write_text((projects or self.PROJECTS).format(me=ME))
        (self.state / "prices.yaml").write_text(self.PRICES)
        self.process = None
        self.log = self.state / "daemon.log"

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        with contextlib.suppress(Exception):
            for row in self.cli("get", "workloads", "-o", "json").json["items"]:
                self.cli("cancel", row["id"])
        self.stop()
        self.end_leftovers()
        shutil.rmtree(self.state, ignore_errors=True)

    def start(self, ready=True):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([BINARY, "serve", "--config", str(self.config)], stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log, start_new_session=True)
        if ready:
            wait_until(self.is_ready, f"the daemon answers; its log:\n{self.log.read_text()[-2000:]}")

    def is_ready(self):
        if self.process.poll() is not None:
            raise AssertionError(f"the daemon ended with {self.process.returncode}:\n{self.log.read_text()[-4000:]}")
        return self.cli("version", "-o", "json").json["daemon"].get("version") is not None

    def stop(self, how=signal.SIGTERM):
        if self.process is None:
            return None
        if self.process.poll() is None:
            self.process.send_signal(how)
        code = self.process.wait(LIMIT)
        self.process = None
        return code

    def end_leftovers(self):
        """Supervisors and ranks whose environment or command line names our folder."""
        mark = str(self.state).encode()
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                if mark in Path(f"/proc/{pid}/environ").read_bytes() or mark in Path(f"/proc/{pid}/cmdline").read_bytes():
                    if int(pid) != os.getpid():
                        os.kill(int(pid), signal.SIGKILL)

    def cli(self, *words, stdin=None, cwd=None, env=None, limit=LIMIT):
        environment = {**os.environ, "FAIRLEAD_ADDRESS": f"unix://{self.socket}", "NO_COLOR": "1", **(env or {})}
        done = subprocess.run([BINARY, *map(str, words)], input=stdin, stdin=None if stdin is not None else subprocess.DEVNULL, capture_output=True,
                              text=True, cwd=cwd or self.work, env=environment, timeout=limit, check=False)
        return Result(done)

    def submit(self, text, name="w.yaml", *options):
        """Submits a document; its id."""
        path = self.work / name
        path.write_text(text)
        answer = self.cli("submit", *options, "-o", "json", path)
        assert answer.code == 0, answer.err
        return answer.json["items"][0]["id"]

    def shell(self, script, devices=0, name="job", more="", role=""):
        """Submits a one-member workload that runs a shell script; its id."""
        device_line = f"devices: {{model: h100, count: {devices}}}" if devices else ""
        body = script.replace("\n", "\n            ")
        return self.submit(f"""
apiVersion: fairlead.io/v1
kind: Workload
metadata: {{name: {name}, project: nlp}}
spec:
  class: training
  {more}
  roles:
    - name: main
      {device_line}
      {role}
      workingDirectory: {self.work}
      command:
        - /bin/sh
        - -c
        - |
            {body}
""", f"{name}.yaml")

    def row(self, workload):
        return self.cli("describe", "workload", workload, "-o", "json").json

    def wait_state(self, workload, *states, limit=LIMIT):
        return wait_until(lambda: (row := self.row(workload))["state"] in states and row, f"{workload} is one of {states}; it is {self.row(workload)}", limit)


class TestCase(unittest.TestCase):
    longMessage = True

    def daemon(self, *args, **kwargs):
        daemon = Daemon(*args, **kwargs)
        self.addCleanup(daemon.__exit__)
        daemon.start()
        return daemon


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]
