"""`benchmarks.harness.stress`: what locust's files say; its users are played by locust alone."""

import importlib.util
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from benchmarks.harness.stress import NEEDS, figures_of, rows_of

STATS = ("Request Count", "Failure Count", "Requests/s", "50%", "95%", "99%")


def test_a_refusal_is_neither_an_answer_nor_a_failure():
    """Guards against a server that looks fast because it refuses."""
    stats = [
        {"Name": "/ocr"} | dict(zip(STATS, ("8", "1", "0.5", "2000", "3000", "4000"), strict=True)),
        {"Name": "refused"} | dict(zip(STATS, ("5", "0", "1", "3", "4", "5"), strict=True)),
        {"Name": "Aggregated"} | dict(zip(STATS, ("13", "1", "1.5", "900", "3000", "4000"), strict=True)),
    ]
    figures = figures_of(stats, "x")
    assert (figures["answered_x"], figures["refused_x"], figures["failed_x"]) == (7, 5, 1)
    assert (figures["answered_per_s_x"], figures["p50_s_x"], figures["p99_s_x"]) == (0.5, 2.0, 4.0)
    assert figures["failure_share_x"] == 1 / 13


def test_response_times_are_of_answers_alone():
    """Guards against refusals, which take milliseconds, in the median of a plot."""
    row = {"User Count": "5", "Requests/s": "3", "Failures/s": "0", "50%": "9", "95%": "9"}
    history = [row | {"Name": "Aggregated", "Timestamp": at} for at in ("100", "103")]
    history.append(row | {"Name": "refused", "Timestamp": "103"})
    history.append(row | {"Name": "/ocr", "Timestamp": "103", "Requests/s": "2", "50%": "250", "95%": "500"})
    rows = rows_of(history, "x")
    assert [(row["second"], row["p50_s"]) for row in rows] == [(0, None), (3, 0.25)]
    assert [(row["answered_per_s"], row["refused_per_s"]) for row in rows] == [(0, 0), (2, 3)]


def answering(*answers: tuple[int, dict[str, str], bytes]) -> HTTPServer:
    """A server on the loopback that gives one answer (status, headers, body) after the other."""
    left = iter(answers)

    class Answers(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            status, headers, body = next(left)
            self.send_response(status)
            for name, value in (headers | {"Content-Length": str(len(body))}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            """Keeps the tests' output clean."""

    return HTTPServer(("127.0.0.1", 0), Answers)


@pytest.mark.skipif(importlib.util.find_spec("locust") is None, reason=NEEDS)
def test_what_a_user_counts_as_answered_refused_and_failed(tmp_path):
    """Locust itself takes any status below 400 for a success; it has a process of its own here, for it patches much."""
    (tmp_path / "a.png").write_bytes(b"picture")
    away = {"Retry-After": "0"}
    result = [
        (200, {}, b"text"),
        (503, away, b"later"),
        (503, {}, b"no"),
        (200, {}, b""),
        (204, {}, b""),
        (429, {}, b"x"),
    ]
    with answering(*result) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        play = """
import sys
from locust.env import Environment
from benchmarks.loads.stress_users import Sender
Sender.host = sys.argv[1]
environment = Environment(user_classes=[Sender])
environment.create_local_runner()  # which counts
user = Sender(environment)
user.on_start()
for _ in range(6):
    user.send()
for entry in environment.stats.entries.values():
    print(entry.name, entry.num_requests, entry.num_failures)
"""
        told_by = {"STRESS_ROUTE": "/ocr", "STRESS_FIELD": "image", "STRESS_FILE": str(tmp_path / "a.png")}
        done = subprocess.run(
            [sys.executable, "-c", play, url], env=os.environ | told_by, capture_output=True, text=True, check=False
        )
        server.shutdown()
    assert sorted(done.stdout.split("\n"))[-2:] == ["/ocr 5 4", "refused 1 0"], done.stderr
