"""`pagemill ingest`: the command over the real ingress and job runner, without Ray."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from pagemill.cli import app
from pagemill.ingesting.ingest_log import FILE_NAME
from tests.pagemill.local_ingress import Here, serving

LETTER = Path(__file__).parents[2] / "data" / "letter.pdf"


def pagemill(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    """Three documents of different bytes, one of them deeper, and a file that is none."""
    folder = tmp_path / "papers"
    (folder / "deep").mkdir(parents=True)
    for number, name in enumerate(("a.pdf", "b.pdf", "deep/c.pdf")):
        (folder / name).write_bytes(LETTER.read_bytes() + b"%d" % number)
    (folder / "program.bin").write_bytes(b"\x7fELF\x02\x01\x01" + bytes(99))
    return folder


def test_every_document_of_a_folder_gets_its_text(here: Here, papers: Path, tmp_path: Path) -> None:
    """Guards against documents that are lost on the way, and results that overwrite one another."""
    out = tmp_path / "out"
    ran = pagemill("ingest", papers, "--out", out, "--url", here.url)
    assert ran.exit_code == 0, ran.output
    assert {path.relative_to(out).as_posix() for path in out.rglob("*.md")} == {"a.md", "b.md", "deep/c.md"}
    assert ran.output.count("done") == 3


def test_run_again_it_sends_nothing(here: Here, papers: Path, tmp_path: Path) -> None:
    """Guards against an ingestion that begins again; another format, or other bytes, are other work."""
    arguments = ("ingest", papers, "--out", tmp_path / "out", "--url", here.url)
    pagemill(*arguments)
    sent = here.calls("POST")
    again = pagemill(*arguments)
    assert (again.exit_code, again.output.count("before"), here.calls("POST")) == (0, 3, sent)
    (papers / "b.pdf").write_bytes(LETTER.read_bytes() + b"other")
    pagemill(*arguments)
    assert here.calls("POST") == sent + 1
    (tmp_path / "out" / "a.md").unlink()
    pagemill(*arguments)
    assert (tmp_path / "out" / "a.md").exists()
    assert here.calls("POST") == sent + 1, "the job is known: only its result is fetched"


def test_what_broke_off_is_followed_not_sent_again(papers: Path, tmp_path: Path) -> None:
    """Guards against a killed run whose documents are read twice."""
    out, folder = tmp_path / "out", tmp_path / "server"
    folder.mkdir()
    with serving(folder, gated=True) as here:
        here.let_go()
        arguments = ("ingest", papers / "a.pdf", "--out", out, "--url", here.url)
        pagemill(*arguments)
        lines = (out / FILE_NAME).read_text().splitlines()
        assert [json.loads(line)["status"] for line in lines] == ["sent", "succeeded"]
        (out / FILE_NAME).write_text(f"{lines[0]}\n{lines[1][:40]}")  # as a kill in the middle of a line leaves it
        (out / "a.md").unlink()
        again = pagemill(*arguments)
        assert (again.exit_code, here.calls("POST")) == (0, 1)
        assert (out / "a.md").exists()
        assert json.loads((out / FILE_NAME).read_text().splitlines()[-1])["status"] == "succeeded"


def test_the_exit_code_tells_partial_from_failed(here: Here, papers: Path, tmp_path: Path) -> None:
    """Guards against scripts that take half of it for all, or for nothing."""
    some = pagemill("ingest", papers, papers / "program.bin", "--out", tmp_path / "out", "--url", here.url)
    none = pagemill("ingest", papers / "program.bin", "--out", tmp_path / "none", "--url", here.url)
    assert (some.exit_code, none.exit_code) == (3, 1)
    assert "unsupported_media_type" in none.output
    assert pagemill("ingest", tmp_path / "absent.pdf", "--out", tmp_path / "out").exit_code == 2


def test_a_page_that_failed_makes_it_partial(here: Here, papers: Path, tmp_path: Path) -> None:
    """Guards against a text with a hole that is told as a success."""
    here.work.troubles[2] = [RuntimeError("the page is broken")]
    ran = pagemill("ingest", papers / "a.pdf", "--out", tmp_path / "out", "--url", here.url)
    assert ran.exit_code == 3
    assert "without page 2" in ran.output


def test_as_json_it_says_one_value_and_nothing_else(here: Here, papers: Path, tmp_path: Path) -> None:
    """Guards against bars and lines in what a program reads."""
    ran = pagemill(
        "ingest", papers / "*.pdf", "--out", tmp_path / "out", "--url", here.url, "--json", "--format", "text"
    )
    documents = json.loads(ran.stdout)["documents"]
    assert [(document["status"], document["output"], document["num_pages"]) for document in documents] == [
        ("succeeded", "a.txt", 3),
        ("succeeded", "b.txt", 3),
    ]


def test_options_reach_the_server_and_unknown_ones_are_refused(here: Here, papers: Path, tmp_path: Path) -> None:
    """Guards against an option with a slip of the pen that is silently not done."""
    arguments = ("ingest", papers / "a.pdf", "--out", tmp_path / "out", "--url", here.url)
    assert pagemill(*arguments, "-o", "pages=2-3", "-o", "metadata.year=1999").exit_code == 0
    jobs = json.loads(pagemill("jobs", "--url", here.url, "--json").stdout)["jobs"]
    assert len(json.loads(pagemill("jobs", jobs[0]["id"], "--url", here.url, "--json").stdout)["pages"]) == 2
    wrong = pagemill(*arguments, "-o", "page=2")
    assert (wrong.exit_code, "page: is not known" in wrong.output) == (2, True)
    assert pagemill(*arguments, "-o", "pages").exit_code == 2


def test_a_server_that_is_not_there_is_said_with_what_to_do(tmp_path: Path) -> None:
    """Guards against a traceback, and against a program that finds no JSON."""
    ran = pagemill("jobs", "--url", "http://127.0.0.1:9")
    assert (ran.exit_code, "make serve" in ran.output) == (1, True)
    result = pagemill("query", "x", "--url", "http://127.0.0.1:9", "--json")
    assert (result.exit_code, json.loads(result.stdout)["problem"]) == (1, None)


def test_an_out_folder_that_cannot_be_is_said_in_a_line(here: Here, papers: Path, tmp_path: Path) -> None:
    """Guards against a traceback for a slip of the pen."""
    (tmp_path / "taken").write_text("a file")
    ran = pagemill("ingest", papers, "--out", tmp_path / "taken", "--url", here.url)
    assert (ran.exit_code, "Traceback" in ran.output, here.calls("POST")) == (2, False, 0)


def test_two_files_of_one_name_keep_their_own_results(here: Here, tmp_path: Path) -> None:
    """Guards against `scan.pdf` and `scan.png` that become one `scan.md`."""
    for name in ("scan.pdf", "scan.png"):
        shutil.copy(LETTER.with_name("letter.pdf" if name.endswith("pdf") else "scan.png"), tmp_path / name)
    arguments = ("ingest", tmp_path / "scan.*", "--out", tmp_path / "out", "--url", here.url)
    for _ in range(2):
        assert pagemill(*arguments).exit_code == 0
        assert {path.name for path in (tmp_path / "out").glob("*.md")} == {"scan.md", "scan.png.md"}
    assert here.calls("POST") == 2


def test_ctrl_c_stops_the_command_and_leaves_the_job(papers: Path, tmp_path: Path) -> None:
    """Guards against a traceback, and against an exit code that says all is there."""
    folder = tmp_path / "server"
    folder.mkdir()
    with serving(folder, gated=True) as here:
        command = [sys.executable, "-m", "pagemill", "ingest", str(papers / "a.pdf"), "--url", here.url]
        ours = signal.signal(signal.SIGINT, signal.default_int_handler)  # background: ignored, and handed on
        process = subprocess.Popen([*command, "--out", str(tmp_path / "out")], stderr=subprocess.PIPE, text=True)
        signal.signal(signal.SIGINT, ours)
        here.wait_for_follower()
        process.send_signal(signal.SIGINT)
        _, output = process.communicate(timeout=120)
        assert (process.returncode, "run the same command again" in output, "Traceback" in output) == (
            130,
            True,
            False,
        ), output
        here.let_go()
        assert pagemill("ingest", papers / "a.pdf", "--out", tmp_path / "out", "--url", here.url).exit_code == 0
        assert here.calls("POST") == 1
