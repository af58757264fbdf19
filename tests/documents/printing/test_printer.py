"""LibreOffice prints behind its walls: it reaches no socket and no file of ours, and nothing of it lives on."""

from __future__ import annotations

import contextlib
import ctypes
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import docx as python_docx
import pytest

from deployments.renderer.office_printing import PrintedBoxCache
from documents.errors import PageFailed, PageTimeout, RendererUnavailable
from documents.media_types import DOCX
from documents.printing import printer
from documents.printing.printer import Printer, PrintLimits, program
from documents.sandbox import RendererPool
from documents.values import Page, Source
from documents.walls.libreoffice import EXIT_NO_WALLS
from tests.documents.office.drawn import docx, paragraph, saved, written

ROOT = Path(__file__).parents[3]
needs_libreoffice = pytest.mark.skipif(program() is None, reason="LibreOffice is not installed")
WITHIN = """
import ctypes, os, socket, sys
sys.stdout.reconfigure(line_buffering=True)
from pathlib import Path
from documents.walls import libreoffice
from documents.walls.libreoffice import EXIT_NO_WALLS, enter
readable = Path(sys.argv[4])
libreoffice.SYSTEM_PATHS += (str(readable),)
if not enter(Path(sys.argv[1]), 3_000_000_000, 60):
    sys.exit(EXIT_NO_WALLS)
def called(*arguments):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(*arguments) < 0:
        raise OSError(ctypes.get_errno(), "refused")
def tried(name, call):
    try:
        call()
    except OSError as error:
        print(name, error.errno)
    else:
        print(name, "done")
inside, outside = Path(sys.argv[1]), Path(sys.argv[2])
tried("write inside", lambda: (inside / "a").write_text("x"))
tried("read outside", lambda: (outside / "secret").read_text())
tried("write outside", lambda: (outside / "b").write_text("x"))
tried("passwords", lambda: Path("/etc/passwd").read_text())
tried("network", lambda: socket.socket(socket.AF_INET))
tried("datagrams", lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
tried("local server", lambda: socket.socket(socket.AF_UNIX).connect(str(outside / "socket")))
tried("other process", lambda: os.kill(int(sys.argv[3]), 0))
TGKILL = 234 if os.uname().machine == "x86_64" else 131
tried("its thread", lambda: called(TGKILL, int(sys.argv[3]), int(sys.argv[3]), 0))
tried("itself", lambda: called(TGKILL, os.getpid(), os.getpid(), 0))
tried("cut inside", lambda: (inside / "a").open("w").truncate(0))
tried("cut outside", lambda: os.truncate(outside / "secret", 0))
tried("cut what is read", lambda: os.close(os.open(readable / "a", os.O_RDONLY | os.O_TRUNC)))
tried("mode outside", lambda: os.chmod(outside / "secret", 0o777))
tried("owner outside", lambda: os.chown(outside / "secret", os.getuid(), os.getgid()))
tried("time outside", lambda: os.utime(outside / "secret", (1, 1)))
tried("attribute outside", lambda: os.setxattr(outside / "secret", "user.a", b"b"))
tried("own group", lambda: os.setpgid(0, 0))
if os.fork() == 0:
    tried("own session", os.setsid)
    sys.stdout.flush()
    os._exit(0)
os.wait()
"""


def test_behind_the_walls_there_is_only_the_folder(tmp_path: Path) -> None:
    """Guards against a macro or a parser's bug that reads the server's data or speaks to anybody."""
    inside, outside, readable = tmp_path / "inside", tmp_path / "outside", tmp_path / "readable"
    for folder in (inside, outside, readable):
        folder.mkdir()
    (outside / "secret").write_text("x")
    (readable / "a").write_text("x")
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(outside / "socket"))
    server.listen()
    version = ctypes.CDLL(None).syscall(444, None, ctypes.c_size_t(0), ctypes.c_uint(1))  # of Landlock
    command = [sys.executable, "-P", "-c", WITHIN, str(inside), str(outside), str(os.getpid()), str(readable)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=60, env={"PYTHONPATH": str(ROOT)}
    )
    server.close()
    if done.returncode == EXIT_NO_WALLS:
        pytest.skip("the kernel has not both walls")
    assert done.stdout.splitlines() == [
        "write inside done",
        "read outside 13",
        "write outside 13",
        "passwords 13",
        "network 1",
        "datagrams 1",
        "local server 1",
        "other process 1",
        "its thread 1",
        "itself done",
        "cut inside done",
        "cut outside 1",
        f"cut what is read {13 if version >= 3 else 'done'}",
        "mode outside 1",
        "owner outside 1",
        "time outside 1",
        "attribute outside 1",
        "own group 1",
        "own session 1",
    ], done.stderr


@needs_libreoffice
@pytest.mark.anyio
async def test_text_has_the_box_where_libreoffice_prints_it(tmp_path: Path) -> None:
    """Guards against boxes of another paragraph: PDFium finds the same words in the box of the page."""
    document = python_docx.Document()
    for k in range(90):
        document.add_paragraph(f"Line {k} says that the tide was high on day {k}.")
    document.add_paragraph("The very last words stand here.")
    source = Source(path=str(written(tmp_path, "a.docx", saved(document))), media_type=DOCX)
    pool = RendererPool(1)
    try:
        prints = PrintedBoxCache(pool, Printer())
        page = await pool.authored(source, 1)
        assert page is not None
        placed = await prints.placed(source, page, 100)
        again = await prints.placed(source, page, 100)
    finally:
        await pool.close()
    assert again == placed
    assert placed.warnings == ()
    boxes = [region.place.printed for region in placed.regions if region.place is not None]
    assert all(box is not None for box in boxes)
    tops = [(box.page, box.box[1]) for box in boxes if box is not None]
    assert tops == sorted(set(tops))
    assert tops[0][0] == 1
    assert tops[-1][0] > 1


@needs_libreoffice
@pytest.mark.anyio
async def test_a_file_that_cannot_be_printed_keeps_its_text_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards against a document that is lost for its picture."""
    source = Source(path=str(written(tmp_path, "a.docx", docx(paragraph("words")))), media_type=DOCX)
    pool = RendererPool(1)
    try:
        page = await pool.authored(source, 1)
        assert isinstance(page, Page)
        placed = await PrintedBoxCache(pool, Printer(PrintLimits(timeout_s=0.05))).placed(source, page, 100)
        monkeypatch.setattr(printer, "PROGRAMS", ())
        missing = await PrintedBoxCache(pool, Printer()).placed(source, page, 100)
    finally:
        await pool.close()
    for one in (placed, missing):
        assert [warning.code for warning in one.warnings] == ["not_printed"]
        assert [region.text for region in one.regions] == ["words"]


@pytest.mark.anyio
async def test_a_program_that_hangs_is_ended_with_all_that_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards against LibreOffice's helpers that live on for ever: the whole process group is ended."""
    marker = f"sleep 987.{os.getpid()}"
    script = written(tmp_path, "hangs", f"#!/bin/sh\n{marker} &\nwait\n".encode())
    script.chmod(0o700)
    target = Path("/usr/local/bin") if os.access("/usr/local/bin", os.W_OK) else None
    if target is None:
        pytest.skip("no folder of programs to write to")
    hanging = target / f"pagemill-hangs-{os.getpid()}"
    hanging.write_bytes(script.read_bytes())
    hanging.chmod(0o700)
    monkeypatch.setattr(printer, "PROGRAMS", (str(hanging),))
    try:
        with pytest.raises((PageTimeout, RendererUnavailable)):
            await Printer(PrintLimits(timeout_s=3)).print(script, DOCX, tmp_path / "out.pdf")
    finally:
        hanging.unlink()
    listed = subprocess.run(  # noqa: ASYNC221  all else has ended
        ["ps", "-eo", "args"], capture_output=True, text=True, check=True
    ).stdout
    assert marker not in listed.splitlines()


@needs_libreoffice
@pytest.mark.anyio
@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 broken", docx("") * 2], ids=["empty", "broken", "doubled"])
async def test_damaged_files_end_in_a_named_error_or_in_pages(tmp_path: Path, content: bytes) -> None:
    """Guards against LibreOffice's own words, and against waiting for a dialogue that nobody sees."""
    began = time.monotonic()
    with contextlib.suppress(PageFailed):
        await Printer().print(written(tmp_path, "a.docx", content), DOCX, tmp_path / "out.pdf")
    assert time.monotonic() - began < 60
