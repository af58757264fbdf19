"""An OpenAI-compatible server on loopback whose model says what a test wants."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Say = Callable[[dict[str, Any]], str]
"""A request's body to the text of the answer."""


class Script:
    """Answers by `say`, and notes what was asked; `finish_reason` is that of all answers."""

    def __init__(self, say: Say, finish_reason: str = "stop") -> None:
        self.say, self.finish_reason = say, finish_reason
        self.asked: list[dict[str, Any]] = []
        self.url = ""


@contextlib.contextmanager
def scripted_model(script: Script) -> Iterator[Script]:
    """Serve `script` at `script.url` until the block is left."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # the library's name
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            script.asked.append(body)
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            for text, reason in ((script.say(body), None), ("", script.finish_reason)):
                event = {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": reason}]}
                self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
            self.wfile.write(b"data: [DONE]\n\n")

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    script.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield script
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
