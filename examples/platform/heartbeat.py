#!/usr/bin/env python3
"""A platform service: samples the load and memory of its host from /proc and offers them to a metrics collector.

  GET /metrics   Prometheus text format
  GET /healthz   200 while samples are fresh, 503 when sampling has stopped
Prints one heartbeat line now and then. Listens on 127.0.0.1 at PORT, else at a free port; the address is written to the
file heartbeat-address. SIGTERM ends it with 0.
"""
import argparse
import os
import signal
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ADDRESS_FILE = Path("heartbeat-address")
HELP = {
    "host_load1": ("gauge", "Runnable processes, average of one minute."),
    "host_memory_total_bytes": ("gauge", "Memory of the host."),
    "host_memory_available_bytes": ("gauge", "Memory a new process could get."),
    "host_processes": ("gauge", "Processes in /proc."),
    "heartbeat_samples_total": ("counter", "Samples taken since the start."),
}


def sample(proc: Path = Path("/proc")) -> dict[str, float]:
    memory = dict(line.split(":", 1) for line in (proc / "meminfo").read_text().splitlines() if ":" in line)
    kib = {name: int(memory[name].split()[0]) * 1024 for name in ("MemTotal", "MemAvailable")}
    return {
        "host_load1": float((proc / "loadavg").read_text().split()[0]),
        "host_memory_total_bytes": kib["MemTotal"],
        "host_memory_available_bytes": kib["MemAvailable"],
        "host_processes": sum(entry.name.isdigit() for entry in proc.iterdir()),
    }


class Sampler(threading.Thread):
    """Samples every interval; readers take the newest whole sample (one reference, replaced at once)."""

    def __init__(self, interval: float, report_every: int):
        super().__init__(daemon=True)
        self.interval, self.report_every = interval, report_every
        self.newest, self.taken_at = {}, 0.0
        self.stop = threading.Event()

    def run(self):
        count = 0
        while not self.stop.is_set():
            count += 1
            self.newest, self.taken_at = {**sample(), "heartbeat_samples_total": count}, time.monotonic()
            if count % self.report_every == 1 or self.report_every == 1:
                available = self.newest["host_memory_available_bytes"] // (1 << 20)
                print(f"heartbeat {count}: load {self.newest['host_load1']:.2f}, {available} MiB of memory available", flush=True)
            self.stop.wait(self.interval)

    def fresh(self) -> bool:
        return time.monotonic() - self.taken_at < 5 * self.interval + 1


def exposition(values: dict[str, float]) -> str:
    return "".join(f"# HELP {name} {text}\n# TYPE {name} {kind}\n{name} {values[name]}\n" for name, (kind, text) in HELP.items() if name in values)


class Handler(BaseHTTPRequestHandler):
    timeout = 10
    sampler: Sampler

    def do_GET(self):
        if self.path == "/metrics":
            self.answer(200, exposition(self.sampler.newest), "text/plain; version=0.0.4; charset=utf-8")
        elif self.path == "/healthz":
            fresh = self.sampler.fresh()
            self.answer(200 if fresh else 503, "ok\n" if fresh else "no fresh sample\n", "text/plain")
        else:
            self.answer(404, "only /metrics and /healthz exist\n", "text/plain")

    def answer(self, status: int, text: str, kind: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, form, *values):
        pass  # a collector asks every few seconds


def main(arguments=None) -> int:
    parser = argparse.ArgumentParser(description="A small host metrics service.")
    parser.add_argument("--interval", type=float, default=1.0, help="seconds between samples")
    parser.add_argument("--report-every", type=int, default=10, help="samples between heartbeat lines")
    options = parser.parse_args(arguments)
    if options.interval <= 0 or options.report_every < 1:
        parser.error("--interval must be above 0 and --report-every at least 1")
    Handler.sampler = Sampler(options.interval, options.report_every)
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "0"))), Handler)
    server.daemon_threads = True
    signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
    temporary = ADDRESS_FILE.with_suffix(".tmp")
    temporary.write_text(f"http://127.0.0.1:{server.server_port}\n")
    temporary.replace(ADDRESS_FILE)
    print(f"metrics at http://127.0.0.1:{server.server_port}/metrics", flush=True)
    Handler.sampler.start()
    server.serve_forever(poll_interval=0.1)
    Handler.sampler.stop.set()
    ADDRESS_FILE.unlink(missing_ok=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
