#!/usr/bin/env python3
"""A notebook-like interactive command: one Python namespace that lives on, cell after cell, behind a small HTTP page.

  GET  /      a page with an input box
  POST /run   {"code": "..."} with "Authorization: Bearer TOKEN" -> {"output": "...", "result": "repr of the last expression" or null, "error": "..." or null}
The token is made anew for every run and lies in the file notebook-token (mode 0600) of the working directory; it is never printed.
Listens on 127.0.0.1 at PORT, else at a free port; the address is written to the file notebook-address.
Ends with 0 on SIGTERM or after --idle-seconds without a cell, so that a forgotten notebook gives its device back.
"""
import argparse
import ast
import contextlib
import hmac
import io
import json
import os
import secrets
import signal
import sys
import threading
import time
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

MAX_BODY_BYTES = 1 << 18
MAX_OUTPUT = 64 * 1024  # characters of output or result given back
TOKEN_FILE, ADDRESS_FILE = Path("notebook-token"), Path("notebook-address")
POLICY = "default-src 'none'; script-src 'nonce-{0}'; style-src 'nonce-{0}'; connect-src 'self'; frame-ancestors 'none'"
PAGE = """<!doctype html><meta charset="utf-8"><title>Notebook</title>
<style nonce="{0}">body {{ font: 15px sans-serif; max-width: 50em; margin: 2em auto }} textarea {{ width: 100%; height: 8em }} pre {{ background: #f4f4f4; padding: .7em }}</style>
<h1>Notebook</h1><p>Token (from the file notebook-token): <input id="token" type="password" size="50" autocomplete="off"></p>
<textarea id="code">import platform; platform.node()</textarea><p><button id="run">Run</button></p><div id="cells"></div>
<script nonce="{0}">
document.getElementById('run').onclick = async () => {{
  const value = id => document.getElementById(id).value, cell = document.createElement('pre');
  const answer = await fetch('/run', {{method: 'POST', body: JSON.stringify({{code: value('code')}}), headers: {{Authorization: 'Bearer ' + value('token')}}}});
  const said = await answer.json();
  cell.textContent = '>>> ' + value('code') + '\\n' + (said.output || '') + (said.result ?? '') + (said.error || '');
  document.getElementById('cells').append(cell);
}};
</script>
"""


class Kernel:
    """The namespace. One cell at a time, whatever the number of clients."""

    def __init__(self):
        self.names = {"__name__": "__main__"}
        self.lock = threading.Lock()
        self.last_used = time.monotonic()

    def run(self, code: str) -> dict:
        with self.lock:
            output, result, error = io.StringIO(), None, None
            try:
                with contextlib.redirect_stdout(output):
                    result = self.execute(code)
            except BaseException as problem:  # a cell may raise anything, SystemExit too; the notebook stays up
                error = "".join(traceback.format_exception_only(problem))[:MAX_OUTPUT]
            self.last_used = time.monotonic()
            return {"output": output.getvalue()[:MAX_OUTPUT], "result": result and result[:MAX_OUTPUT], "error": error}

    def execute(self, code: str) -> str | None:
        cell = ast.parse(code, "<cell>")
        last = cell.body.pop() if cell.body and isinstance(cell.body[-1], ast.Expr) else None
        exec(compile(cell, "<cell>", "exec"), self.names)
        if last is None:
            return None
        value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), self.names)
        return None if value is None else repr(value)

    def idle_seconds(self) -> float:
        return 0.0 if self.lock.locked() else time.monotonic() - self.last_used


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 10
    kernel: Kernel
    token: str

    def do_GET(self):
        if self.path != "/":
            return self.answer(404, {"error": "only / and /run exist"})
        nonce = secrets.token_urlsafe(16)
        self.send(200, "text/html; charset=utf-8", PAGE.format(nonce).encode(), {"Content-Security-Policy": POLICY.format(nonce)})

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not length.isascii() or not length.isdigit() or int(length) > MAX_BODY_BYTES:
            self.discard(int(length) if length.isascii() and length.isdigit() else 0)
            return self.answer(413, {"error": f"a Content-Length of at most {MAX_BODY_BYTES} is needed"}, close=True)
        body = self.rfile.read(int(length))
        if not hmac.compare_digest(self.headers.get("Authorization", "").encode(), f"Bearer {self.token}".encode()):
            return self.answer(401, {"error": "the token in the file notebook-token is needed"})
        try:
            code = json.loads(body)["code"]
        except (ValueError, KeyError, TypeError, RecursionError):
            code = None
        if self.path != "/run" or not isinstance(code, str):
            return self.answer(400, {"error": 'POST /run takes {"code": "..."}'})
        self.answer(200, self.kernel.run(code))

    def discard(self, length: int) -> None:
        """Reads a body not far over the limit, so that its sender hears the refusal instead of a reset."""
        left = min(length, 4 * MAX_BODY_BYTES)
        while left > 0 and (part := self.rfile.read(min(left, 1 << 16))):
            left -= len(part)

    def answer(self, status: int, value, close: bool = False) -> None:
        self.send(status, "application/json", json.dumps(value).encode() + b"\n", {"Connection": "close"} if close else {})

    def send(self, status: int, kind: str, body: bytes, headers) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, form, *values):
        pass  # request lines say nothing a reader of the log needs, and a careless client may put its token there


def write_private(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "w") as file:
        file.write(text)


def end_when_idle(server, kernel: Kernel, limit: float) -> None:
    while kernel.idle_seconds() < limit:
        time.sleep(min(1.0, limit / 10))
    print(f"idle for {limit:g} s, ending", flush=True)
    server.shutdown()


def main(arguments=None) -> int:
    parser = argparse.ArgumentParser(description="A small notebook kernel.")
    parser.add_argument("--idle-seconds", type=float, default=900)
    options = parser.parse_args(arguments)
    Handler.kernel, Handler.token = Kernel(), secrets.token_urlsafe(32)
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "0"))), Handler)
    server.daemon_threads = True
    signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
    write_private(TOKEN_FILE, Handler.token)
    address = f"http://127.0.0.1:{server.server_port}"
    write_private(ADDRESS_FILE, address + "\n")
    print(f"notebook at {address}, token in {TOKEN_FILE}", flush=True)
    threading.Thread(target=end_when_idle, args=(server, Handler.kernel, options.idle_seconds), daemon=True).start()
    server.serve_forever(poll_interval=0.1)
    TOKEN_FILE.unlink(missing_ok=True)
    ADDRESS_FILE.unlink(missing_ok=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
