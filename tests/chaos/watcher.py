"""Follows the daemon's events across all its deaths: each sequence number exactly once, in order."""
import http.client
import threading
import time

from client import _UnixConnection


class Watcher(threading.Thread):
    def __init__(self, socket: str, fault):
        super().__init__(name="watcher", daemon=True)
        self.socket, self.fault = socket, fault
        self.last = 0
        self.stopping = threading.Event()

    def run(self) -> None:
        while not self.stopping.is_set():
            try:
                self.follow()
            except (OSError, http.client.HTTPException, ValueError):
                time.sleep(0.05)  # the daemon was killed; the next stream goes on behind `last`

    def follow(self) -> None:
        connection = _UnixConnection(self.socket, 2.0)
        try:
            connection.request("GET", f"/api/v1/events?after={self.last}")
            answer = connection.getresponse()
            if answer.status != 200:
                if answer.status != 503:
                    self.fault(f"the event stream was answered {answer.status}: {answer.read()[:300]}")
                time.sleep(0.2)
                return
            kind = ""
            while not self.stopping.is_set():
                line = answer.readline()
                if not line:
                    return
                field, _, value = line.decode().rstrip("\n").partition(": ")
                if field == "event":
                    kind = value
                elif field == "id":
                    self.take(int(value))
                elif field == "" and kind == "reset":
                    self.fault("the event stream told of lost events")
                    kind = ""
        finally:
            connection.close()

    def take(self, sequence: int) -> None:
        if sequence != self.last + 1:
            self.fault(f"event {sequence} came after {self.last}")
        self.last = sequence

    def caught_up(self, head: int, limit: float) -> bool:
        deadline = time.monotonic() + limit
        while self.last < head and time.monotonic() < deadline:
            time.sleep(0.05)
        return self.last >= head
