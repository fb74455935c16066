"""The inference server against a really trained model. Run alone: /usr/bin/python3 -m unittest examples.tests.test_serve"""
import hashlib
import json
import unittest

from .support import EXAMPLES, ExampleTest, post_json, request


def held_out_digits(count: int) -> list[tuple[int, list[int]]]:
    lines = (EXAMPLES / "train/digits.txt").read_text().splitlines()[-count:]
    return [(int(line[0]), [int(character, 17) for character in line[2:]]) for line in lines]


class ServeTest(ExampleTest):
    def serve(self):
        code, _, errors = self.run_example("train/train.py", "--step-seconds", "0", "--steps", "120", "--every", "120")
        self.assertEqual((code, errors), (0, ""))
        process = self.start("serve/serve.py", FAIRLEAD_MODEL_PATH=str(self.folder / "out/model"))
        return process, self.wait_for_text("serve-address")

    def test_predicts_digits_it_has_not_seen_and_ends_on_term(self):
        process, address = self.serve()
        self.assertEqual(request(address + "/healthz")[0], 200)
        digits = held_out_digits(100)
        status, answer = post_json(address + "/predict", {"instances": [pixels for _, pixels in digits]})
        self.assertEqual(status, 200)
        right = sum(said["digit"] == digit for said, (digit, _) in zip(answer["predictions"], digits))
        self.assertGreater(right, 80)
        self.assertEqual(self.stop(process), 0)
        self.assertFalse((self.folder / "serve-address").exists())

    def test_says_which_bytes_it_serves(self):
        _, address = self.serve()
        metadata = json.loads(request(address + "/metadata")[1])
        weights = (self.folder / "out/model/weights.npz").read_bytes()
        self.assertEqual(metadata["sha256"]["weights.npz"], hashlib.sha256(weights).hexdigest())
        self.assertEqual(metadata["about"]["kind"], "digits-mlp")

    def test_bad_requests_are_refused_and_survived(self):
        _, address = self.serve()
        row = [0] * 64
        for body in (b"", b"{", b"[" * 100_000, b"{}", b"[]", b'{"instances": []}', json.dumps({"instances": [row[1:]]}).encode(),
                     json.dumps({"instances": [["x"] * 64]}).encode(), json.dumps({"instances": [[float("nan")] * 64]}).encode(),
                     json.dumps({"instances": [row] * 1025}).encode(), b'{"instances": [[1' + b"0" * 400 + b"]]}"):
            with self.subTest(body=body[:40]):
                self.assertEqual(request(address + "/predict", body)[0], 400)
        self.assertEqual(request(address + "/predict", b" " * ((1 << 20) + 1))[0], 413)
        self.assertEqual(request(address + "/nothing")[0], 404)
        self.assertEqual(request(address + "/nothing", b"{}")[0], 404)
        self.assertEqual(post_json(address + "/predict", {"instances": [row]})[0], 200)

    def test_needs_a_model(self):
        self.assertEqual(self.run_example("serve/serve.py")[0], 2)
        self.assertEqual(self.run_example("serve/serve.py", FAIRLEAD_MODEL_PATH=str(self.folder))[0], 65)


if __name__ == "__main__":
    unittest.main()
