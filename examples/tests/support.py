"""Starting the example programs as real processes in a folder of their own."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent.parent
LIMIT_SECONDS = 30


class ExampleTest(unittest.TestCase):
    """Each test has its own folder; every process it started is ended with it."""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="fairlead-example-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def start(self, program: str, *arguments: str, **environment: str) -> subprocess.Popen:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("FAIRLEAD_") and name != "PORT"}
        process = subprocess.Popen(
            [sys.executable, EXAMPLES / program, *arguments], cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**inherited, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", **environment})
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process: subprocess.Popen) -> None:
        if process.poll() is None:
            process.kill()
        process.communicate()

    def finish(self, process: subprocess.Popen) -> tuple[int, str, str]:
        output, errors = process.communicate(timeout=LIMIT_SECONDS)
        return process.returncode, output, errors

    def run_example(self, program: str, *arguments: str, **environment: str) -> tuple[int, str, str]:
        return self.finish(self.start(program, *arguments, **environment))

    def stop(self, process: subprocess.Popen) -> int:
        process.send_signal(signal.SIGTERM)
        return self.finish(process)[0]

    def wait_for(self, what: str, condition):
        """The first true value of condition(); fails when there is none within the limit."""
        deadline = time.monotonic() + LIMIT_SECONDS
        while time.monotonic() < deadline:
            value = condition()
            if value:
                return value
            time.sleep(0.01)
        self.fail(f"not seen within {LIMIT_SECONDS} s: {what}")

    def wait_for_text(self, name: str) -> str:
        path = self.folder / name
        return self.wait_for(name, lambda: path.exists() and path.read_text().strip())


def request(url: str, body: bytes | None = None, **headers: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data=body, headers=headers), timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, refused.read().decode()


def post_json(url: str, value, **headers: str) -> tuple[int, dict]:
    status, text = request(url, json.dumps(value).encode(), **headers)
    return status, json.loads(text)
