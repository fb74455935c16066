"""The daemon under test: its folder, its configuration, how it is started and killed."""
import os
import pwd
import signal
import subprocess
import time
from pathlib import Path

from client import Client, Unanswered

READY_SECONDS = 120.0  # against hanging, not a promise
DEVICES = 8
PROJECT = "chaos"


class NotReady(Exception):
    """The daemon did not come up."""


class Daemon:
    def __init__(self, binary: Path, state: Path, mark: str):
        self.binary, self.state, self.mark = binary, state, mark
        self.socket = str(state / "fairlead.sock")
        self.database = state / "run/fairlead.db"
        self.log = state / "daemon.log"
        self.process: subprocess.Popen | None = None
        self._write_config()

    def _write_config(self) -> None:
        user = pwd.getpwuid(os.getuid()).pw_name
        (self.state / "fairlead.yaml").write_text(f"""stateDirectory: run
store: {{kind: sqlite, path: run/fairlead.db}}
listen: {{unix: fairlead.sock}}
projects: projects.yaml
engine:
  local:
    discover: false
    devices:
      - {{vendor: nvidia, model: h100, count: {DEVICES}, memory: 80GiB}}
""")
        (self.state / "projects.yaml").write_text(f"""apiVersion: fairlead.io/v1
kind: Project
metadata: {{name: {PROJECT}}}
spec:
  members: [{{user: {user}, role: admin}}]
""")

    def spawn(self) -> None:
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([self.binary, "serve", "--config", self.state / "fairlead.yaml"], stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=log, start_new_session=True, env={**os.environ, "CHAOS_RUN": self.mark})

    def await_ready(self) -> None:
        client, deadline = Client(self.socket, 5.0), time.monotonic() + READY_SECONDS
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise NotReady(f"the daemon ended by itself with {self.process.returncode}")
            try:
                if client.call("GET", "/readyz")[0] == 200:
                    client.close()
                    return
            except Unanswered:
                pass
            time.sleep(0.01)
        raise NotReady(f"the daemon is not ready within {READY_SECONDS:g} s")

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> bool:
        """True when it ended by itself."""
        if self.process is None or self.process.poll() is not None:
            return self.process is None
        self.process.terminate()
        try:
            return self.process.wait(20) == 0
        except subprocess.TimeoutExpired:
            self.kill()
            return False

    def log_tail(self, lines: int = 15) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:]) if self.log.exists() else ""
