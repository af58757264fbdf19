"""How long a slot stays taken after its client has gone: from disconnect or DELETE to free blocks, or a dead child."""

from __future__ import annotations

import contextlib
import json
import socket
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import psutil

from benchmarks.harness.server import Running, server
from benchmarks.harness.watch import name_of, processes
from benchmarks.loads.letters import heavy_page, letter

OPTIONS = ("--ocr-max-running", "4", "--limits-max-pages-in-flight", "4")
DENSE = 45  # lines of a page: more sequences than there are slots, so that some wait
PATIENCE_S = 60.0
LOOK_S = 0.01
BUSY_PERCENT = 20.0  # of a core: a child that draws
Engine = dict[str, Any]


def measured(repeats: int) -> list[dict[str, Any]]:
    """A row a departure: what was left, how, and the seconds until it was free."""
    with tempfile.TemporaryDirectory(prefix="pagemill-cancel-") as folder, server(Path(folder), *OPTIONS) as running:
        return _rows(running, repeats)


def _rows(running: Running, repeats: int) -> list[dict[str, Any]]:
    (renderer,) = processes(running.pid, "Renderer")
    with httpx.Client(base_url=running.url, timeout=PATIENCE_S, trust_env=False) as client:
        client.post("/v1/ocr", files={"file": ("warm.png", letter(0, scanned=True).content)}).raise_for_status()
        ways = Departures(client, renderer).ways
        return [
            {"left": what, "seconds_to_free": leave(10 * number + 1)}
            for number in range(repeats)
            for what, leave in ways.items()
        ]


class Departures:
    """Each leaves a piece of work in the middle, and gives the seconds until nothing of it was left."""

    def __init__(self, client: httpx.Client, renderer: psutil.Process) -> None:
        self._client, self._renderer = client, renderer
        self.ways: dict[str, Callable[[int], float]] = {
            "decoding, disconnect": self.decoding,
            "prefilling, disconnect": self.prefilling,
            "waiting, DELETE": self.waiting,
            "?wait, disconnect": self.waited,
            "rendering, DELETE": self.rendering,
        }

    def decoding(self, number: int) -> float:
        """A streaming /v1/ocr whose client closes the connection after the first text."""
        files = {"file": ("a.png", letter(number, scanned=True, num_lines=DENSE).content)}
        with self._client.stream("POST", "/v1/ocr", files=files, data={"stream": "true"}) as answer:
            next(answer.iter_lines())
            left = time.monotonic()
        return _until(self._client, _engine_is_free) - left

    def prefilling(self, number: int) -> float:
        """The same, closed as soon as the engine has begun, before any text is out."""
        picture = letter(number + 1, scanned=True, num_lines=DENSE).content
        request = self._client.build_request(
            "POST", "/v1/ocr", files={"file": ("a.png", picture)}, data={"stream": "true"}
        )
        with contextlib.closing(_Call(request)) as call:
            _until(self._client, lambda engine: engine["num_running"] + engine["num_waiting"] > 0)
            left = time.monotonic()
            call.close()
            return _until(self._client, _engine_is_free) - left

    def waiting(self, number: int) -> float:
        """A job of more lines than there are slots, deleted while some of them wait."""
        job = _ocr_job(self._client, number + 2, {})
        _until(self._client, lambda engine: engine["num_waiting"] > 0)
        left = time.monotonic()
        self._client.delete(job["links"]["self"]).raise_for_status()
        return _until(self._client, _engine_is_free) - left

    def waited(self, number: int) -> float:
        """A `?wait` whose client asked for `cancel_on_disconnect` and leaves."""
        content = letter(number + 3, scanned=True, num_lines=DENSE).content
        options = {"cancel_on_disconnect": True, "metadata": {"n": str(number)}}
        form: dict[str, Any] = {"files": {"file": ("a.png", content)}, "data": {"options": json.dumps(options)}}
        request = self._client.build_request("POST", "/v1/documents", params={"wait": 60}, **form)
        with contextlib.closing(_Call(request)) as call:
            _until(self._client, lambda engine: engine["num_running"] > 0)
            left = time.monotonic()
            call.close()
            return _until(self._client, _engine_is_free) - left

    def rendering(self, number: int) -> float:
        """A job whose page takes long to draw, deleted meanwhile: its child is killed."""
        form: dict[str, Any] = {"files": {"file": ("a.pdf", heavy_page(200_000 + number))}, "data": {"options": "{}"}}
        job = self._client.post("/v1/documents", **form).json()
        drawing = _await(
            lambda: [child for child in _children(self._renderer) if child.cpu_percent(0.2) > BUSY_PERCENT]
        )
        left = time.monotonic()
        self._client.delete(job["links"]["self"]).raise_for_status()
        _await(lambda: not any(child.is_running() for child in drawing))
        return time.monotonic() - left


class _Call:
    """A request on a connection of its own, whose answer nobody reads; closing it is what a client that leaves does."""

    def __init__(self, request: httpx.Request) -> None:
        body = request.read()
        head = [f"{request.method} {request.url.raw_path.decode()} HTTP/1.1"]
        head += [f"{name}: {value}" for name, value in request.headers.items()]
        self._socket = socket.create_connection((request.url.host, request.url.port), timeout=PATIENCE_S)
        self._socket.sendall("\r\n".join([*head, "", ""]).encode() + body)

    def close(self) -> None:
        self._socket.close()


def _ocr_job(client: httpx.Client, number: int, options: dict[str, Any]) -> dict[str, Any]:
    content = letter(number, scanned=True, num_lines=DENSE).content
    response = client.post("/v1/documents", files={"file": ("a.png", content)}, data={"options": json.dumps(options)})
    return response.json()


def _engine_is_free(engine: Engine) -> bool:
    full = engine["num_free_blocks"] == engine["num_blocks"]
    return full and not engine["num_running"] and not engine["num_waiting"]


def _until(client: httpx.Client, holds: Callable[[Engine], bool]) -> float:
    """The moment when the engine is seen in a state."""
    _await(lambda: holds(client.get("/readyz").json()["parts"]["ocr"]))
    return time.monotonic()


def _await(look: Callable[[], Any]) -> Any:
    end, pause = time.monotonic() + PATIENCE_S, threading.Event()
    while time.monotonic() < end:
        if value := look():
            return value
        pause.wait(LOOK_S)  # nothing tells a client what a process of the server does
    raise TimeoutError("the server never came into the state that was waited for")


def _children(renderer: psutil.Process) -> list[psutil.Process]:
    return [child for child in renderer.children() if name_of(child) == "Renderer child"]
