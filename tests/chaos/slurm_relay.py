"""A relay between the daemon and slurmrestd that does what bad networks, proxies and overloaded daemons do.

It reads whole requests and whole answers (HTTP/1.1), so it can send a submission twice or answer with something else. The n-th request of a
kind gets its fault from (seed, kind, n) alone: a run with the same seed draws the same faults for the same requests. Every fault is written to
the log with the request that it met.

What is fair, and what is not:
- An answer never says that a change was refused when it was done: no client could know better. Where a change was done and its answer is
  spoiled, the answer is missing, broken, not Slurm's own, or one of those errors with which Slurm itself leaves the outcome open.
- `late` forwards a request after its client has given up, but before `submitSettle` is over: longer, Slurm does not sit on a message.
  Changes of waiting jobs (hold, release) are never late: an older one would undo a newer one.
- `twice-sent` sends one request to slurmrestd twice. For a submission that makes two jobs which no client can prevent. They are listed in
  `doubled`; the auditor wants one of them followed and the other one named.
- One side lies at a time: slurmdbd's list is never emptied before slurmctld's has been answered truly again.
"""
import asyncio
import contextlib
import json
import random
import socket
import struct
import threading
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

UPSTREAM_SECONDS = 60.0
HEAD_LIMIT = 64 << 10
PING_RATE = 0.3  # of the rate of others: while pings fail nothing else is asked
READS = ("ping", "jobs", "nodes", "partitions", "history")
LISTS = ("jobs", "nodes", "partitions", "history")
EVERYWHERE = {"delay": 30, "stall": 4, "late": 4, "drop": 6, "reset": 6, "drop-after": 6, "reset-after": 6, "truncated": 6, "cut": 6,
              "twice-answered": 6, "twice-sent": 4, "5xx": 6, "5xx-after": 6, "text": 4, "errors": 6, "errors-after": 6,
              "token-401": 4, "token-500": 3, "token-511": 3}
WEIGHTS = {kind: dict(EVERYWHERE) for kind in (*READS, "submit", "delete", "update")}
for _kind in LISTS:
    WEIGHTS[_kind]["empty"] = 8
for _kind in ("submit", "delete", "update"):
    WEIGHTS[_kind]["empty-after"] = 4
for _kind in READS:  # what was done to a list does not matter, only what is answered
    del WEIGHTS[_kind]["late"]
del WEIGHTS["update"]["late"]

REASONS = {200: "OK", 401: "Unauthorized", 500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
           511: "Network Authentication Required"}
PAGE = "<html><head><title>{0} {1}</title></head><body><center><h1>{0} {1}</h1></center></body></html>\r\n"


class Gone(Exception):
    """A peer went away, or sent what is no HTTP."""


@dataclass
class Message:
    """A request or an answer."""
    first: str  # its first line
    headers: list[tuple[str, str]]
    body: bytes

    def header(self, name: str) -> str:
        return next((value for key, value in self.headers if key.lower() == name), "")

    def render(self, length: int | None = None) -> bytes:
        """`length`: what Content-Length says, where that is not the truth."""
        kept = [(key, value) for key, value in self.headers if key.lower() not in ("content-length", "transfer-encoding")]
        kept.append(("Content-Length", str(len(self.body) if length is None else length)))
        return "\r\n".join([self.first, *(f"{key}: {value}" for key, value in kept), "", ""]).encode("latin-1") + self.body

    @property
    def status(self) -> int:
        return int(self.first.split()[1])


@dataclass
class Doubled:
    """A submission that was sent twice."""
    name: str
    jobs: list[int]  # ids that slurmrestd answered


@dataclass
class Drawn:
    """A request of the daemon and the fault that it gets."""
    number: int
    kind: str
    count: int
    fault: str  # empty: none
    random: random.Random
    request: Message
    notes: list[str] = field(default_factory=list)


def kind_of(method: str, target: str) -> str:
    """`/slurm/v0.0.38/job/submit` and so on; other requests pass untouched."""
    parts = target.partition("?")[0].strip("/").split("/")
    service, rest = parts[0], "/".join(parts[2:])
    if service == "slurmdb":
        return "history" if rest == "jobs" and method == "GET" else ""
    if service != "slurm":
        return ""
    if method == "GET":
        return rest if rest in ("ping", "jobs", "nodes", "partitions") else ""
    if method == "POST" and rest == "job/submit":
        return "submit"
    if rest.startswith("job/"):
        return {"DELETE": "delete", "POST": "update"}.get(method, "")
    return ""


def draw(seed: int, kind: str, count: int, rate: float) -> tuple[str, random.Random]:
    """The fault of the `count`-th request of a kind, empty for none, and the source of its details."""
    source = random.Random(f"{seed}-{kind}-{count}")
    if source.random() >= rate * (PING_RATE if kind == "ping" else 1.0):
        return "", source
    weights = WEIGHTS[kind]
    return source.choices(list(weights), list(weights.values()))[0], source


def answer_of(status: int, body: str, content: str = "text/plain") -> Message:
    return Message(f"HTTP/1.1 {status} {REASONS[status]}", [("Content-Type", content), ("Connection", "close")], body.encode())


def problems(status: int, *errors: dict, **more) -> Message:
    """An answer as slurmrestd makes one; 22.05 calls the number error_number in slurm and errno elsewhere."""
    return answer_of(status, json.dumps({"meta": {}, "errors": list(errors), **more}), "application/json")


class Relay:
    """Thread-safe: what is read of it while it runs are counters and lists that only grow."""

    def __init__(self, upstream: tuple[str, int], seed: int, rate: float, call_seconds: float, log: Path):
        self.upstream, self.seed, self.rate, self.call_seconds = upstream, seed, rate, call_seconds
        self.counts: dict[str, Counter] = defaultdict(Counter)  # by kind, then fault
        self.requests = Counter()  # by kind
        self.submits = Counter()  # submissions that came here, by the job's name
        self.doubled: list[Doubled] = []
        self.trouble: list[str] = []  # of the relay itself
        self.port = 0
        self.quiet = False  # no faults any more
        self.log_file = open(log, "a", encoding="utf-8", buffering=1)
        self.begun = time.monotonic()
        self.number = 0
        self.ctld_lied = False  # the last list of jobs was not the truth
        self.loop = asyncio.new_event_loop()
        self.ready = threading.Event()
        self.thread = threading.Thread(target=self.main, name="relay", daemon=True)

    # -- for the thread that owns it

    def start(self) -> int:
        self.thread.start()
        if not self.ready.wait(10):
            raise RuntimeError("the relay does not listen")
        return self.port

    def stop(self) -> None:
        if self.thread.is_alive():
            self.loop.call_soon_threadsafe(self.loop.stop)
            self.thread.join(10)
        self.log_file.close()

    def faults(self) -> int:
        return sum(sum(by.values()) for by in list(self.counts.values()))

    # -- the loop

    def main(self) -> None:
        asyncio.set_event_loop(self.loop)
        server = self.loop.run_until_complete(asyncio.start_server(self.serve, "127.0.0.1", 0, limit=HEAD_LIMIT))
        self.port = server.sockets[0].getsockname()[1]
        self.ready.set()
        try:
            self.loop.run_forever()
        finally:
            server.close()
            for task in asyncio.all_tasks(self.loop):
                task.cancel()
            self.loop.run_until_complete(asyncio.sleep(0))
            self.loop.close()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection of the daemon."""
        try:
            while (request := await read_message(reader)) is not None:
                if not await self.handle(request, writer):
                    break
        except (Gone, OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the daemon went away, as it does when it is killed; or the relay stops
        except Exception as problem:  # a relay that fails would look like a fault that was not drawn
            self.trouble.append(repr(problem))
        finally:
            with contextlib.suppress(OSError, RuntimeError):
                writer.close()

    def meet(self, request: Message) -> Drawn:
        method, target, _ = request.first.split(" ", 2)
        kind = kind_of(method, target)
        self.number += 1
        self.requests[kind] += 1
        fault, source = ("", random.Random(0))
        if kind:
            fault, source = draw(self.seed, kind, self.requests[kind], self.rate)
        if self.quiet or (fault == "empty" and kind == "history" and self.ctld_lied):
            fault = ""
        if kind == "submit":
            self.submits[name_of(request)] += 1
        if kind == "jobs":
            self.ctld_lied = fault == "empty"
        return Drawn(self.number, kind, self.requests[kind], fault, source, request)

    async def handle(self, request: Message, writer: asyncio.StreamWriter) -> bool:
        """True when the connection may carry another request."""
        drawn = self.meet(request)
        if drawn.fault:
            self.counts[drawn.kind][drawn.fault] += 1
        try:
            act = getattr(self, "do_" + drawn.fault.replace("-", "_").replace("5xx", "bad"), None) if drawn.fault else self.do_pass
            return await act(drawn, writer)
        except Gone as gone:  # slurmrestd itself is not there, or went away
            drawn.notes.append(str(gone))
            return self.abort(writer)
        finally:
            if drawn.fault or drawn.kind == "submit" or drawn.notes:
                self.write(drawn)

    def write(self, drawn: Drawn) -> None:
        name = name_of(drawn.request) if drawn.kind == "submit" else ""
        words = [f"{time.monotonic() - self.begun:9.3f}", f"#{drawn.number}", f"{drawn.kind}:{drawn.count}", drawn.fault or "-", drawn.request.first, name, *drawn.notes]
        self.log_file.write(" ".join(filter(None, words)) + "\n")

    # -- what becomes of a request

    async def forward(self, drawn: Drawn) -> Message:
        answer = await exchange(self.upstream, drawn.request)
        job = job_of(answer) if drawn.kind == "submit" else 0
        drawn.notes.append(f"upstream={answer.status}" + (f" job={job}" if job else ""))
        return answer

    async def give(self, writer: asyncio.StreamWriter, answer: Message) -> bool:
        writer.write(answer.render())
        await writer.drain()
        return "close" not in answer.header("connection").lower()

    def abort(self, writer: asyncio.StreamWriter) -> bool:
        """Ends the connection with a reset: whatever was still to be read or sent is gone."""
        connection = writer.get_extra_info("socket")
        if connection is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()
        return False

    async def do_pass(self, drawn: Drawn, writer) -> bool:
        answer = await self.forward(drawn)
        if drawn.kind != "submit":
            drawn.notes.clear()
        return await self.give(writer, answer)

    async def do_delay(self, drawn: Drawn, writer) -> bool:
        first, second = drawn.random.uniform(0.0, 0.3), drawn.random.uniform(0.0, self.call_seconds / 2)
        await asyncio.sleep(first)
        answer = await self.forward(drawn)
        await asyncio.sleep(second)
        return await self.give(writer, answer)

    async def do_stall(self, drawn: Drawn, writer) -> bool:
        """Done at once, and answered when nobody waits any more."""
        answer = await self.forward(drawn)
        await asyncio.sleep(self.call_seconds * 1.2)
        return await self.give(writer, answer)

    async def do_late(self, drawn: Drawn, _) -> bool:
        await asyncio.sleep(self.call_seconds * drawn.random.uniform(1.05, 1.7))
        await self.forward(drawn)
        return False

    async def do_drop(self, _, __) -> bool:
        return False

    async def do_reset(self, _, writer) -> bool:
        return self.abort(writer)

    async def do_drop_after(self, drawn: Drawn, _) -> bool:
        await self.forward(drawn)
        return False

    async def do_reset_after(self, drawn: Drawn, writer) -> bool:
        await self.forward(drawn)
        return self.abort(writer)

    async def do_truncated(self, drawn: Drawn, writer) -> bool:
        """The connection ends inside the answer."""
        answer = await self.forward(drawn)
        whole = answer.render()
        writer.write(whole[:int(len(whole) * drawn.random.uniform(0.02, 0.98))])
        await writer.drain()
        return False

    async def do_cut(self, drawn: Drawn, writer) -> bool:
        """Whole as HTTP, and its text ends early."""
        answer = await self.forward(drawn)
        answer.body = answer.body[:int(len(answer.body) * drawn.random.uniform(0.02, 0.98))]
        return await self.give(writer, answer)

    async def do_twice_answered(self, drawn: Drawn, writer) -> bool:
        """The second copy must never be taken for the answer to the next request."""
        answer = await self.forward(drawn)
        if drawn.random.random() < 0.5:
            writer.write(answer.render())
            return await self.give(writer, answer)
        await self.give(writer, answer)
        await asyncio.sleep(drawn.random.uniform(0.0, 0.05))
        return await self.give(writer, answer)

    async def do_twice_sent(self, drawn: Drawn, writer) -> bool:
        doubled = Doubled(name_of(drawn.request), []) if drawn.kind == "submit" else None
        if doubled:
            self.doubled.append(doubled)
        answers = []
        for _ in range(2):
            answers.append(await self.forward(drawn))
            if doubled and job_of(answers[-1]):
                doubled.jobs.append(job_of(answers[-1]))
        return await self.give(writer, drawn.random.choice(answers))

    async def do_bad(self, drawn: Drawn, writer) -> bool:
        status = drawn.random.choice([500, 502, 503, 504])
        return await self.give(writer, answer_of(status, PAGE.format(status, REASONS[status]), "text/html"))

    async def do_bad_after(self, drawn: Drawn, writer) -> bool:
        await self.forward(drawn)
        return await self.do_bad(drawn, writer)

    async def do_text(self, drawn: Drawn, writer) -> bool:
        """A page of something else that stands before slurmrestd."""
        return await self.give(writer, answer_of(200, drawn.random.choice(["OK\n", "", "<html><body>Sign in</body></html>", "{", "null"])))

    async def do_errors(self, drawn: Drawn, writer) -> bool:
        """slurmrestd could not reach slurmctld."""
        status = drawn.random.choice([200, 500])
        return await self.give(writer, problems(status, {"error": "Unable to contact slurm controller (connect failure)", "error_number": 1001, "errno": 1001}))

    async def do_errors_after(self, drawn: Drawn, writer) -> bool:
        """slurmrestd reached slurmctld, and got no word back in time. With lists: what was read stands there as well, or an empty list."""
        answer = await self.forward(drawn)
        error = {"error": "Socket timed out on send/recv operation", "error_number": 5004, "errno": 5004}
        more = {}
        if drawn.kind in LISTS:
            key = "jobs" if drawn.kind == "history" else drawn.kind
            more = {key: [] if drawn.random.random() < 0.5 else content_of(answer).get(key, [])}
        return await self.give(writer, problems(drawn.random.choice([200, 500]), error, **more))

    async def do_empty(self, drawn: Drawn, writer) -> bool:
        answer = await self.forward(drawn)
        content = content_of(answer)
        content["jobs" if drawn.kind == "history" else drawn.kind] = []
        answer.body = json.dumps(content).encode()
        return await self.give(writer, answer)

    async def do_empty_after(self, drawn: Drawn, writer) -> bool:
        await self.forward(drawn)
        return await self.give(writer, answer_of(200, "{}", "application/json"))

    async def do_token_401(self, _, writer) -> bool:
        return await self.give(writer, answer_of(401, "Authentication failure"))

    async def do_token_500(self, drawn: Drawn, writer) -> bool:
        """As 22.05 refuses a token; the same words stand for other troubles, after which the change may have been done."""
        if drawn.random.random() < 0.5:
            await self.forward(drawn)
        return await self.give(writer, problems(500, {"error": "Unspecified error", "error_number": -1, "errno": -1}))

    async def do_token_511(self, _, writer) -> bool:
        return await self.give(writer, problems(511, {"error": "Protocol authentication error", "error_number": 1007}))


def name_of(request: Message) -> str:
    """The name of the job that a submission is about."""
    try:
        return str(json.loads(request.body)["job"]["name"])
    except (ValueError, KeyError, TypeError):
        return "?"


def content_of(answer: Message) -> dict:
    try:
        content = json.loads(answer.body)
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


def job_of(answer: Message) -> int:
    job = content_of(answer).get("job_id", 0)
    return job if isinstance(job, int) else 0


async def read_message(reader: asyncio.StreamReader) -> Message | None:
    """None where the peer ended in order before a message."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as end:
        if end.partial:
            raise Gone("the peer ended inside a message") from None
        return None
    except asyncio.LimitOverrunError:
        raise Gone("the head of a message is too long") from None
    first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    headers = [(key.strip(), value.strip()) for key, _, value in (line.partition(":") for line in lines)]
    message = Message(first, headers, b"")
    length = message.header("content-length")
    if length:
        message.body = await reader.readexactly(int(length))
    elif "chunked" in message.header("transfer-encoding").lower():
        message.body = await read_chunks(reader)
    elif first.startswith("HTTP/") and "close" in message.header("connection").lower():
        message.body = await reader.read()
    return message


async def read_chunks(reader: asyncio.StreamReader) -> bytes:
    body = b""
    while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
        body += (await reader.readexactly(size + 2))[:-2]
    await reader.readuntil(b"\r\n")
    return body


async def exchange(upstream: tuple[str, int], request: Message) -> Message:
    """One request on a connection of its own. Raises Gone."""
    try:
        async with asyncio.timeout(UPSTREAM_SECONDS):
            reader, writer = await asyncio.open_connection(*upstream, limit=HEAD_LIMIT)
            try:
                writer.write(request.render() if request.body else request.render(0))
                answer = await read_message(reader)
            finally:
                writer.close()
    except (OSError, TimeoutError, asyncio.IncompleteReadError, ValueError) as problem:
        raise Gone(f"slurmrestd: {problem!r}") from None
    if answer is None:
        raise Gone("slurmrestd ended without an answer")
    return answer
