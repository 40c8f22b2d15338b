"""A way to a server that fails as it is told."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit


class Way:
    """``faults``, one for each request to come: ``cut before``, ``cut after``, ``half``, or an answer."""

    def __init__(self, to: str) -> None:
        self.faults: list[Any] = []
        self.seen: list[tuple[str, str | None]] = []
        target = urlsplit(to).netloc
        way = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                """Tests print nothing."""

            def cut(self) -> None:
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)

            def body(self) -> bytes:
                if self.headers.get("transfer-encoding") != "chunked":
                    return self.rfile.read(int(self.headers.get("content-length", 0)))
                pieces = []
                while size := int(self.rfile.readline(), 16):
                    pieces.append(self.rfile.read(size))
                    self.rfile.readline()
                self.rfile.readline()
                return b"".join(pieces)

            def pass_on(self) -> None:
                fault = way.faults.pop(0) if way.faults else None
                way.seen.append((f"{self.command} {self.path}", self.headers.get("idempotency-key")))
                content = self.body()
                if fault == "cut before":
                    return self.cut()
                if isinstance(fault, dict):
                    data = json.dumps(fault.get("body", {})).encode()
                    return self.answer(fault["status"], list(fault.get("headers", {}).items()), data)
                upstream = http.client.HTTPConnection(target)
                skipped = ("transfer-encoding", "content-length", "accept-encoding", "host")
                headers = {name: value for name, value in self.headers.items() if name.lower() not in skipped}
                upstream.request(self.command, self.path, content or None, headers)
                response = upstream.getresponse()
                if fault is None and response.getheader("content-type", "").startswith("text/event-stream"):
                    return self.stream(response, upstream)
                data = response.read()
                upstream.close()
                if fault == "cut after":
                    return self.cut()
                kept = [pair for pair in response.getheaders() if pair[0].lower() not in skipped]
                if fault == "half":
                    self.answer(response.status, kept, data[: len(data) // 2], len(data))
                    return self.cut()
                return self.answer(response.status, kept, data)

            def answer(self, status: int, headers: list[tuple[str, str]], data: bytes, length: int | None = None) -> None:
                self.send_response(status)
                for name, value in headers:
                    if name.lower() not in ("connection", "trailer", "date"):
                        self.send_header(name, value)
                if status != 204:
                    self.send_header("content-length", str(len(data) if length is None else length))
                self.end_headers()
                self.wfile.write(data)

            def stream(self, response: http.client.HTTPResponse, upstream: http.client.HTTPConnection) -> None:
                self.close_connection = True
                self.send_response(response.status)
                self.send_header("content-type", "text/event-stream")
                self.end_headers()
                try:
                    while piece := response.read1():
                        self.wfile.write(piece)
                except OSError:
                    pass
                finally:
                    upstream.close()

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = pass_on

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
