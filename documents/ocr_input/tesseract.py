"""Runs Tesseract as second OCR reader, in a limited process per call."""

from __future__ import annotations

import asyncio
import contextlib
import csv
import io
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image

from documents.errors import IngestError

NAME = "tesseract"
# processor seconds, KiB of memory, bytes of any file
LIMITS_SCRIPT = 'ulimit -t "$1"; ulimit -v "$2"; ulimit -f 0; shift 2; exec "$@"'
TARGET_LINE_HEIGHT = 48  # a line with its margin is scaled to this height, in pixels
MAX_LINE_PIXELS = 6000  # maximum width of a line's picture
MARGIN = 10  # white pixels around a line
DPI = 200  # told to it, so that it does not guess


class SecondReaderUnavailable(IngestError):
    """The second reader that the settings name is not installed."""

    code = "second_reader_unavailable"


@dataclass(frozen=True, slots=True)
class ReadWord:
    """A word and how sure Tesseract is of it, 0..1."""

    text: str
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Tesseract:
    """Reads pictures of lines; what it cannot read in its limits is read as nothing."""

    program: str
    language: str = "eng"
    cpu_s: int = 60  # of one call
    timeout_s: float = 120.0
    memory_mb: int = 1000

    @classmethod
    def installed(cls) -> Tesseract:
        """The program of this machine; raises SecondReaderUnavailable where there is none."""
        program = shutil.which(NAME)
        if program is None:
            raise SecondReaderUnavailable("ocr.second_reader is tesseract, which is not installed here: tesseract-ocr")
        return cls(program=program)

    async def read(self, lines: Sequence[np.ndarray]) -> list[tuple[ReadWord, ...]]:
        """The words of each line, uint8 (height, width), from the left."""
        if not lines:
            return []
        command = ["/bin/sh", "-c", LIMITS_SCRIPT, "sh", str(self.cpu_s), str(self.memory_mb * 1000), self.program]
        command += ["stdin", "stdout", "--psm", "7", "--dpi", str(DPI), "-l", self.language, "tsv"]
        child = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={"PATH": os.environ.get("PATH", ""), "OMP_THREAD_LIMIT": "1"},
            close_fds=True,
        )
        try:
            pages = await asyncio.to_thread(_as_tiff, lines)
            table, _ = await asyncio.wait_for(child.communicate(pages), self.timeout_s)
        except TimeoutError:
            return [() for _ in lines]
        finally:
            if child.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    child.kill()
                await child.wait()
        return _words(table.decode("utf-8", "replace"), len(lines))


def _as_tiff(lines: Sequence[np.ndarray]) -> bytes:
    """A page per line."""
    pages = [Image.fromarray(_scaled(line)) for line in lines]
    content = io.BytesIO()
    pages[0].save(content, "TIFF", save_all=True, append_images=pages[1:])
    return content.getvalue()


def _scaled(line: np.ndarray) -> np.ndarray:
    height, width = line.shape
    zoom = min(TARGET_LINE_HEIGHT / height, MAX_LINE_PIXELS / width)
    size = max(1, round(width * zoom)), max(1, round(height * zoom))
    picture = Image.fromarray(np.ascontiguousarray(line)).resize(size, Image.Resampling.BICUBIC)
    return np.pad(np.asarray(picture), MARGIN, constant_values=255)


def _words(table: str, num_lines: int) -> list[tuple[ReadWord, ...]]:
    """Words by page of Tesseract's TSV; rows of anything else have a confidence of -1."""
    words_by_line: list[list[ReadWord]] = [[] for _ in range(num_lines)]
    for row in csv.DictReader(io.StringIO(table), delimiter="\t", quoting=csv.QUOTE_NONE):
        try:
            page, confidence = int(row["page_num"]), float(row["conf"])
        except (KeyError, TypeError, ValueError):  # it was ended in the middle of a row
            continue
        text = (row.get("text") or "").strip()
        if confidence >= 0 and text and 1 <= page <= num_lines:
            words_by_line[page - 1].append(ReadWord(text, round(min(1.0, confidence / 100), 3)))
    return [tuple(words) for words in words_by_line]
