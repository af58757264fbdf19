"""What is taken from the output of the server's processes, and what a person sees of it."""

import io
import json
import threading
from pathlib import Path

import pytest
from rich.console import Console

from pagemill.serving.server_display import Addresses, ServerDisplay
from pagemill.serving.server_output import JobEnd, Notice, Parts, ServerLog, message_of

ENDING = {"file": "a\nb.pdf", "pages": 1, "seconds": 1.25, "warnings": 2, "error": None}
STAMP = "2026-11-23 08:31:02,216"
END = f"job 7f: succeeded {json.dumps(ENDING)}"
REPLICA = "\x1b[36m(ServeReplica:pagemill:{} pid=84)\x1b[0m "


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('pagemill parts: {"Ocr": true, "Jobs": false}', Parts({"Ocr": True, "Jobs": False})),
        (
            f"{REPLICA.format('Jobs')}INFO {STAMP} pagemill_Jobs ge8uzt1q -- {END}",
            JobEnd("7f", "succeeded", "a\nb.pdf", 1, 1.25, 2, None),
        ),
        (
            REPLICA.format("Jobs") + json.dumps({"levelname": "INFO", "message": END}),
            JobEnd("7f", "succeeded", "a\nb.pdf", 1, 1.25, 2, None),
        ),
        (
            f"{REPLICA.format('Ocr')}WARNING {STAMP} pagemill_Ocr j -- a replica died",
            Notice("WARNING", "Ocr", "a replica died"),
        ),
        (f"{REPLICA.format('Ingress')}WARNING {STAMP} pagemill_Ingress j -- Failed to get queue length from x", None),
        (f"{REPLICA.format('Renderer')}ERROR {STAMP} pagemill_Renderer j -- Request failed.", None),
        (f"{REPLICA.format('Jobs')}INFO {STAMP} pagemill_Jobs ge8 68ca -- CALL about OK 78.1ms", None),
        (f"(ServeController pid=7) WARNING {STAMP} controller 7 -- taken more than 30s to be scheduled", None),
        (f"{REPLICA.format('Ocr')}INFO {STAMP} pagemill_Ocr j -- {END}", None),
        ("pagemill parts: [", None),
    ],
)
def test_of_ray_s_lines_a_person_sees_those_that_matter(line, message):
    """94 raw lines before "ready", and nine for each call afterwards."""
    assert message_of(line) == message


def shown(messages, **chosen):
    drawn = io.StringIO()
    display = ServerDisplay(
        Addresses("http://x:1", Path("/d"), Path("/d/logs/ray.log")), Console(file=drawn, width=200, **chosen)
    )
    display.start()
    for message in messages:
        display.take(message)
    display.ready()
    return drawn.getvalue()


def test_without_a_terminal_there_are_plain_lines():
    """A log that is full of cursor control."""
    notice = Notice("ERROR", "Ocr", "out of\x1b[2J memory")
    text = shown(
        [Parts({"Ocr": True, "Jobs": False}), notice, notice, JobEnd("7", "failed", "a.pdf", 2, 1.0, 0, "damaged")]
    )
    assert "\x1b" not in text
    assert "started 1 of 2: Ocr" in text
    assert text.count("error Ocr: out of") == 1
    assert "failed a.pdf (2 pages, 1.0 s): damaged" in text
    assert "page  http://x:1\n" in text
    assert "docs  http://x:1/docs\n" in text


def test_a_terminal_shows_what_is_loading():
    assert "1 of 2" in shown([Parts({"Ocr": True, "Jobs": False})], force_terminal=True)


def test_the_log_is_whole_also_where_it_was_cut_between_looks(tmp_path):
    """A line that is read in halves would be none."""
    log, ended, lines = ServerLog(tmp_path / "logs"), threading.Event(), []
    with log.open() as file:
        file.write(b"one\ntw")
        file.flush()
        follower = threading.Thread(target=log.follow, args=(ended, lines.append))
        follower.start()
        file.write(b"o\nthree\n")
        file.flush()
        ended.set()
        follower.join()
    assert lines == ["one", "two", "three"]
    with log.open() as file:
        assert file.tell() == 0
    assert (tmp_path / "logs" / "ray.log.1").read_bytes() == b"one\ntwo\nthree\n"
