"""The notebook kernel. Run alone: /usr/bin/python3 -m unittest examples.tests.test_notebook"""
import stat
import unittest

from .support import ExampleTest, post_json, request


class NotebookTest(ExampleTest):
    def open_notebook(self, *arguments: str):
        process = self.start("notebook/notebook.py", *arguments)
        return process, self.wait_for_text("notebook-address"), self.wait_for_text("notebook-token")

    def test_cells_share_a_namespace(self):
        _, address, token = self.open_notebook()
        run = lambda code: post_json(address + "/run", {"code": code}, Authorization=f"Bearer {token}")
        self.assertEqual(run("x = 20\nprint('set')"), (200, {"output": "set\n", "result": None, "error": None}))
        self.assertEqual(run("x + 1")[1]["result"], "21")
        self.assertIn("ZeroDivisionError", run("1 / 0")[1]["error"])
        self.assertIn("SyntaxError", run("def")[1]["error"])
        self.assertIn("SystemExit", run("raise SystemExit(3)")[1]["error"])
        self.assertEqual(run("x * 2")[1]["result"], "40")
        self.assertLessEqual(len(run("print('y' * 10**6)")[1]["output"]), 64 * 1024)

    def test_nothing_runs_without_the_token(self):
        _, address, token = self.open_notebook()
        cell = {"code": "open('trace', 'w')"}
        for headers in ({}, {"Authorization": "Bearer "}, {"Authorization": f"Bearer {token}x"}, {"Authorization": token}):
            self.assertEqual(post_json(address + "/run", cell, **headers)[0], 401)
        self.assertFalse((self.folder / "trace").exists())

    def test_the_token_is_private_and_not_printed(self):
        process, address, token = self.open_notebook()
        self.assertEqual(stat.S_IMODE((self.folder / "notebook-token").stat().st_mode), 0o600)
        status, page = request(address + "/")
        self.assertEqual(status, 200)
        self.assertNotIn(token, page)
        request(f"{address}/?token={token}")
        process.terminate()
        code, output, errors = self.finish(process)
        self.assertEqual(code, 0)
        self.assertNotIn(token, output + errors)
        self.assertFalse((self.folder / "notebook-token").exists())

    def test_bad_requests_are_refused(self):
        _, address, token = self.open_notebook()
        right = {"Authorization": f"Bearer {token}"}
        for body in (b"", b"[]", b"{}", b'{"code": 1}', b"\xff", b"[" * 100_000):
            self.assertEqual(request(address + "/run", body, **right)[0], 400)
        self.assertEqual(request(address + "/run", b" " * ((1 << 18) + 1), **right)[0], 413)
        self.assertEqual(request(address + "/other")[0], 404)

    def test_ends_when_idle(self):
        process, *_ = self.open_notebook("--idle-seconds", "0.3")
        code, output, _ = self.finish(process)
        self.assertEqual(code, 0)
        self.assertIn("idle for 0.3 s", output)


if __name__ == "__main__":
    unittest.main()
