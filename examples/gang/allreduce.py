#!/usr/bin/env python3
"""One rank of a gang: the ranks find each other over TCP and add up vectors with a ring all-reduce.

Reads RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and MASTER_PORT as torchrun sets them. Rank 0 listens at the master address,
collects where every rank listens, and tells all of them; then each rank sends to the next one of the ring only.
Every round is checked: the sum must be exactly what the ranks put in. Rank 0 prints the result.
Exit codes: 0 all rounds right, 1 a sum was wrong, 2 the environment is wrong, 75 a peer is missing or went away (worth another try).
"""
import argparse
import contextlib
import json
import os
import socket
import struct
import sys
import threading
import time

import numpy as np

MISSING_PEER = 75
MAX_MESSAGE = 1 << 20  # bytes of a rendezvous message


def receive_exactly(connection: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        part = connection.recv(min(size - len(data), 1 << 20))
        if not part:
            raise ConnectionError("a peer went away")
        data += part
    return bytes(data)


def send_message(connection: socket.socket, value) -> None:
    text = json.dumps(value).encode()
    connection.sendall(struct.pack("!I", len(text)) + text)


def receive_message(connection: socket.socket):
    """Reads not one byte more than the message: numbers may follow it at once."""
    (size,) = struct.unpack("!I", receive_exactly(connection, 4))
    if size > MAX_MESSAGE:
        raise ConnectionError("a peer says too much")
    return json.loads(receive_exactly(connection, size))


def connect(address: tuple[str, int], deadline: float) -> socket.socket:
    """Tries again until the deadline: a peer may start later than this rank."""
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError(f"nobody answers at {address[0]}:{address[1]}")
        try:
            return socket.create_connection(address, timeout=left)
        except OSError:
            time.sleep(min(0.05, left))


def accept(listener: socket.socket, deadline: float) -> socket.socket:
    listener.settimeout(max(deadline - time.monotonic(), 0.001))
    connection = listener.accept()[0]
    connection.settimeout(max(deadline - time.monotonic(), 0.001))
    return connection


def gather_ring(rank: int, size: int, master: tuple[str, int], mine: tuple[str, int], deadline: float) -> list[tuple[str, int]]:
    """Where every rank listens, in rank order. Rank 0 plays the master."""
    if rank != 0:
        with connect(master, deadline) as connection:
            send_message(connection, {"rank": rank, "host": connection.getsockname()[0], "port": mine[1]})
            connection.settimeout(max(deadline - time.monotonic(), 0.001))
            return [(host, int(port)) for host, port in receive_message(connection)]
    places, peers = {0: mine}, []
    with socket.create_server(master, backlog=size) as listener, contextlib.ExitStack() as open_peers:
        while len(places) < size:
            try:
                peer = open_peers.enter_context(accept(listener, deadline))
                hello = receive_message(peer)
            except TimeoutError:
                raise TimeoutError(f"rank {sorted(set(range(size)) - set(places))} did not come") from None
            if hello["rank"] in places or not 0 < hello["rank"] < size:
                raise ConnectionError(f"rank {hello['rank']} came twice or does not belong here")
            places[hello["rank"]] = (hello["host"], int(hello["port"]))
            peers.append(peer)
        ring = [places[place] for place in range(size)]
        for peer in peers:
            send_message(peer, ring)
    return ring


class Ring:
    """Connections to the next and from the previous rank."""

    def __init__(self, rank: int, size: int, to_next: socket.socket, from_previous: socket.socket, timeout: float):
        self.rank, self.size, self.to_next, self.from_previous = rank, size, to_next, from_previous
        for connection in (to_next, from_previous):
            connection.settimeout(timeout)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def exchange(self, chunk: np.ndarray, size: int) -> np.ndarray:
        """Sends one chunk on while receiving another of `size` numbers; both at once, or a ring of full buffers would stand still."""
        failed = []

        def send():
            try:
                self.to_next.sendall(chunk.tobytes())
            except OSError as problem:
                failed.append(problem)

        sender = threading.Thread(target=send)
        sender.start()
        try:
            received = np.frombuffer(receive_exactly(self.from_previous, size * 8), dtype=np.int64)
        finally:
            sender.join()
        if failed:
            raise failed[0]
        return received

    def all_reduce(self, vector: np.ndarray) -> np.ndarray:
        """The sum of the vectors of all ranks. First every rank comes to own one summed chunk, then the chunks go round."""
        chunks = [chunk.copy() for chunk in np.array_split(vector, self.size)]
        for step in range(self.size - 1):
            give, take = (self.rank - step) % self.size, (self.rank - step - 1) % self.size
            chunks[take] = chunks[take] + self.exchange(chunks[give], len(chunks[take]))
        for step in range(self.size - 1):
            give, take = (self.rank + 1 - step) % self.size, (self.rank - step) % self.size
            chunks[take] = self.exchange(chunks[give], len(chunks[take]))
        return np.concatenate(chunks)


def build_ring(rank: int, size: int, master: tuple[str, int], timeout: float) -> Ring:
    deadline = time.monotonic() + timeout
    host = master[0] if rank == 0 else ""
    with socket.create_server((host, 0), backlog=4) as listener:
        ring = gather_ring(rank, size, master, (master[0], listener.getsockname()[1]), deadline)
        to_next = connect(ring[(rank + 1) % size], deadline)
        send_message(to_next, {"rank": rank})
        from_previous = accept(listener, deadline)
        if receive_message(from_previous)["rank"] != (rank - 1) % size:
            raise ConnectionError("somebody else than the previous rank connected")
    return Ring(rank, size, to_next, from_previous, timeout)


def contribution(rank: int, round_number: int, length: int) -> np.ndarray:
    return np.random.default_rng([rank, round_number]).integers(-1_000_000, 1_000_000, length)


def run(rank: int, size: int, ring: Ring, options) -> int:
    checksum = 0
    for number in range(1, options.rounds + 1):
        total = ring.all_reduce(contribution(rank, number, options.length))
        expected = sum(contribution(peer, number, options.length) for peer in range(size))
        if not np.array_equal(total, expected):
            print(f"rank {rank}: round {number}: the sum is wrong", file=sys.stderr)
            return 1
        checksum = (checksum * 31 + int(total.sum())) % 1_000_000_007
        if rank == 0 and number % 5 == 0:
            print(f"round {number}/{options.rounds}: {size} ranks agree", flush=True)
        time.sleep(options.round_seconds)
    if rank == 0:
        print(f"all-reduce of {options.length} numbers over {size} ranks, {options.rounds} rounds right, checksum {checksum}", flush=True)
    return 0


def parse(arguments):
    parser = argparse.ArgumentParser(description="One rank of a ring all-reduce.")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--round-seconds", type=float, default=0.0, help="rest after a round")
    parser.add_argument("--length", type=int, default=10_000, help="numbers in each vector")
    parser.add_argument("--timeout", type=float, default=30.0, help="seconds to wait for a peer")
    return parser.parse_args(arguments)


def main(arguments=None) -> int:
    options = parse(arguments)
    try:
        rank, size, local = (int(os.environ[name]) for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK"))
        master = (os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]))
        if not 0 <= rank < size:
            raise ValueError(f"RANK {rank} is not in 0..{size - 1}")
    except (KeyError, ValueError) as problem:
        print(f"allreduce: environment: {problem}", file=sys.stderr)
        return 2
    print(f"rank {rank} of {size} (local {local}), devices {os.environ.get('CUDA_VISIBLE_DEVICES', 'none')}", flush=True)
    try:
        return run(rank, size, build_ring(rank, size, master, options.timeout), options)
    except (OSError, ValueError, KeyError, TypeError) as problem:
        print(f"rank {rank}: a peer is missing: {problem}", file=sys.stderr)
        return MISSING_PEER


if __name__ == "__main__":
    sys.exit(main())
