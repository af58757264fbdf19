"""The second reader: its limits, its table, and a real run where it is installed."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest
from drawn_lines import TEXTS, sheet

from documents.ocr_input.tesseract import ReadWord, SecondReaderUnavailable, Tesseract, _words

HEAD = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n"


def test_words_come_by_line_and_rows_of_layout_are_none() -> None:
    table = HEAD + "1\t1\t0\t0\t0\t0\t0\t0\t9\t9\t-1\t\n5\t1\t1\t1\t1\t1\t0\t0\t9\t9\t96.5\tShips\n"
    table += '5\t3\t1\t1\t1\t1\t0\t0\t9\t9\t12\t"|\n5\t9\t1\t1\t1\t1\t0\t0\t9\t9\t50\tx\n5\t2'
    assert _words(table, 3) == [(ReadWord("Ships", 0.965),), (), (ReadWord('"|', 0.12),)]


def test_a_machine_without_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(SecondReaderUnavailable, match="not installed"):
        Tesseract.installed()


def test_a_reader_that_never_ends_is_ended_and_has_read_nothing(tmp_path: Path) -> None:
    """Guards against a page that waits for ever, and a process that outlives its call."""
    program = tmp_path / "tesseract"
    program.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid; exec sleep 600\n")
    program.chmod(0o755)
    reader = Tesseract(program=str(program), timeout_s=1.0)
    assert asyncio.run(reader.read([sheet(1)])) == [()]


def test_a_reader_that_writes_a_file_fails(tmp_path: Path) -> None:
    program = tmp_path / "tesseract"
    program.write_text(f"#!/bin/sh\ncat > {tmp_path}/copy\n")
    program.chmod(0o755)
    assert asyncio.run(Tesseract(program=str(program)).read([sheet(1)])) == [()]
    assert not (tmp_path / "copy").exists() or (tmp_path / "copy").stat().st_size == 0


def test_no_lines_start_no_process() -> None:
    assert asyncio.run(Tesseract(program="/nowhere/tesseract").read([])) == []


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="tesseract is not installed")
def test_printed_lines_are_read() -> None:
    lines = [sheet(3)[16 + 34 * k : 46 + 34 * k] for k in range(3)]
    readings = asyncio.run(Tesseract.installed().read(lines))
    assert [" ".join(word.text for word in words) for words in readings] == list(TEXTS[:3])
    assert all(word.confidence > 0.6 for words in readings for word in words)
