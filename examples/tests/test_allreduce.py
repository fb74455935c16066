"""The gang. Run alone: /usr/bin/python3 -m unittest examples.tests.test_allreduce"""
import socket
import unittest

from .support import ExampleTest


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class AllReduceTest(ExampleTest):
    def start_rank(self, rank: int, size: int, port: int, *arguments: str):
        return self.start("gang/allreduce.py", *arguments, RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(size), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))

    def test_all_ranks_agree_on_the_sum(self):
        for size, length in ((1, 10), (2, 3), (4, 100_000), (4, 3)):
            with self.subTest(size=size, length=length):
                port = free_port()
                ranks = [self.start_rank(rank, size, port, "--rounds", "5", "--length", str(length)) for rank in reversed(range(size))]
                ends = [self.finish(process) for process in ranks]
                self.assertEqual([(code, errors) for code, _, errors in ends], [(0, "")] * size)
                self.assertIn(f"over {size} ranks, 5 rounds right", ends[-1][1])

    def test_a_peer_that_never_comes_is_named(self):
        port = free_port()
        ranks = [self.start_rank(rank, 3, port, "--timeout", "1") for rank in (0, 2)]
        ends = [self.finish(process) for process in ranks]
        self.assertEqual([code for code, *_ in ends], [75, 75])
        self.assertIn("rank [1] did not come", ends[0][2])

    def test_a_peer_that_dies_ends_the_others(self):
        port = free_port()
        ranks = [self.start_rank(rank, 3, port, "--rounds", "100000", "--round-seconds", "0.01", "--length", "10") for rank in range(3)]
        while "round" not in ranks[0].stdout.readline():
            self.assertIsNone(ranks[0].poll())
        ranks[2].kill()
        self.assertEqual([self.finish(process)[0] for process in ranks[:2]], [75, 75])

    def test_a_wrong_environment_is_refused(self):
        self.assertEqual(self.run_example("gang/allreduce.py", RANK="", WORLD_SIZE="1")[0], 2)
        self.assertEqual(self.start_rank(4, 4, 1).wait(30), 2)


if __name__ == "__main__":
    unittest.main()
