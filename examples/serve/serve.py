#!/usr/bin/env python3
"""An inference server for one model version of the digit classifier.

The folder named by FAIRLEAD_MODEL_PATH holds the exact bytes of the version; they are read once, at the start.
  GET  /healthz    200 once the model is loaded
  GET  /metadata   the SHA-256 of each file served, and what the trainer wrote about the model
  POST /predict    {"instances": [[64 numbers, 0 to 16], ...]} -> {"predictions": [{"digit": 7, "probability": 0.98}, ...]}
Listens on 127.0.0.1 at PORT, else at a free port; the address is written to the file serve-address. SIGTERM ends it with 0.
Exit codes: 0 ended, 2 FAIRLEAD_MODEL_PATH not set, 65 the model cannot be read.
"""
import hashlib
import io
import json
import os
import signal
import sys
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np

MAX_BODY_BYTES = 1 << 20
MAX_INSTANCES = 1024
ADDRESS_FILE = Path("serve-address")


class Model:
    """The bytes of one version. Read-only after construction, so any thread may use it."""

    def __init__(self, folder: Path):
        content = {name: (folder / name).read_bytes() for name in ("model.json", "weights.npz")}
        self.about = json.loads(content["model.json"])
        self.sha256 = {name: hashlib.sha256(data).hexdigest() for name, data in content.items()}
        with np.load(io.BytesIO(content["weights.npz"]), allow_pickle=False) as stored:
            self.w1, self.b1, self.w2, self.b2 = (stored[name] for name in ("w1", "b1", "w2", "b2"))
        self.scale = float(self.about["inputScale"])

    def predict(self, instances) -> list[dict]:
        """ValueError when the instances are not rows of as many finite numbers as the model takes."""
        pixels = self.w1.shape[0]
        if not isinstance(instances, list) or not 1 <= len(instances) <= MAX_INSTANCES:
            raise ValueError(f"instances: a list of 1 to {MAX_INSTANCES} images is needed")
        try:
            images = np.array(instances, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            images = np.empty(0)
        if images.shape != (len(instances), pixels) or not np.isfinite(images).all():
            raise ValueError(f"instances: each image is a list of {pixels} numbers")
        scores = np.maximum(images / self.scale @ self.w1 + self.b1, 0) @ self.w2 + self.b2
        scores = np.exp(scores - scores.max(axis=1, keepdims=True))
        probability = scores / scores.sum(axis=1, keepdims=True)
        best = probability.argmax(axis=1)
        return [{"digit": int(digit), "probability": round(float(row[digit]), 4)} for digit, row in zip(best, probability)]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 10  # seconds a silent or slow client may hold its thread
    model: Model

    def do_GET(self):
        if self.path == "/healthz":
            self.answer(200, {"status": "ok"})
        elif self.path == "/metadata":
            self.answer(200, {"sha256": self.model.sha256, "about": self.model.about})
        else:
            self.answer(404, {"error": "no such path: try /healthz, /metadata or POST /predict"})

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not length.isascii() or not length.isdigit():
            return self.answer(411, {"error": "Content-Length is needed"}, close=True)
        if int(length) > MAX_BODY_BYTES:
            self.discard(int(length))
            return self.answer(413, {"error": f"at most {MAX_BODY_BYTES} bytes"}, close=True)
        body = self.rfile.read(int(length))
        if self.path != "/predict":
            return self.answer(404, {"error": "POST goes to /predict"})
        try:
            request = json.loads(body)
            instances = request["instances"] if isinstance(request, dict) and "instances" in request else None
            self.answer(200, {"predictions": self.model.predict(instances)})
        except (ValueError, RecursionError) as problem:
            self.answer(400, {"error": str(problem)})

    def discard(self, length: int) -> None:
        """Reads a body not far over the limit, so that its sender hears the refusal instead of a reset."""
        left = min(length, 4 * MAX_BODY_BYTES)
        while left > 0 and (part := self.rfile.read(min(left, 1 << 16))):
            left -= len(part)

    def answer(self, status: int, value, close: bool = False) -> None:
        body = json.dumps(value).encode() + b"\n"
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if close:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, form, *values):
        print(f"{self.command} {self.path} {values[1] if len(values) > 1 else ''}".encode("ascii", "replace").decode(), flush=True)


def main() -> int:
    folder = os.environ.get("FAIRLEAD_MODEL_PATH")
    if not folder:
        print("serve: FAIRLEAD_MODEL_PATH is not set: name a model version in the workload (spec.model)", file=sys.stderr)
        return 2
    try:
        Handler.model = Model(Path(folder))
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as problem:
        print(f"serve: {problem}", file=sys.stderr)
        return 65
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "0"))), Handler)
    server.daemon_threads = True
    address = f"http://127.0.0.1:{server.server_port}"
    signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
    temporary = ADDRESS_FILE.with_suffix(".tmp")
    temporary.write_text(address + "\n")
    temporary.replace(ADDRESS_FILE)
    print(f"serving {Handler.model.about['kind']} weights sha256 {Handler.model.sha256['weights.npz'][:12]} at {address}", flush=True)
    server.serve_forever(poll_interval=0.1)
    ADDRESS_FILE.unlink(missing_ok=True)
    print("ended", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
