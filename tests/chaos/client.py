"""JSON over HTTP on the daemon's unix socket. One client belongs to one thread."""
import http.client
import json
import socket


class Unanswered(Exception):
    """The daemon is not there, or went away before it answered: nobody knows what became of the request."""


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str, limit: float):
        super().__init__("localhost", timeout=limit)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Client:
    def __init__(self, socket_path: str, limit: float = 20.0):
        self.socket_path, self.limit = socket_path, limit
        self.connection: _UnixConnection | None = None

    def call(self, method: str, path: str, body=None, **headers: str) -> tuple[int, dict]:
        """Status and JSON, {} where the answer is other text. Raises Unanswered."""
        text = None if body is None else json.dumps(body)
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        if text is not None:
            fields["Content-Type"] = "application/json"
        try:
            if self.connection is None:
                self.connection = _UnixConnection(self.socket_path, self.limit)
            self.connection.request(method, path, text, fields)
            answer = self.connection.getresponse()
            text = answer.read()
            return answer.status, json.loads(text) if "json" in answer.headers.get("Content-Type", "") else {}
        except (OSError, http.client.HTTPException, ValueError) as problem:
            self.close()
            raise Unanswered(f"{method} {path}: {problem}") from None

    def close(self) -> None:
        if self.connection is not None:
            self.connection.close()
            self.connection = None
