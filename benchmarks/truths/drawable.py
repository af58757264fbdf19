"""Which pages of one file PyMuPDF can draw, tried in a process of its own: a file may crash it or never end.

`python -m benchmarks.truths.drawable FILE` prints the number of each page whose picture is not of one colour, from 1.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pymupdf

from documents.media_types import PDF, sniff

ROOT = Path(__file__).resolve().parents[2]
LIMIT_S = 60.0  # of one file
MEMORY_BYTES = 3_000_000_000  # address space
DPI = 36  # enough to see that something is printed
HEAD = 2048  # bytes by which a format is known


def drawable_pages(file: Path, limit_s: float = LIMIT_S) -> frozenset[int]:
    """The pages that were drawn before the process ended, whether well, by a crash or after `limit_s` seconds."""
    command = [sys.executable, "-m", "benchmarks.truths.drawable", str(file)]
    try:
        lines = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=limit_s, check=False).stdout
    except subprocess.TimeoutExpired as late:
        lines = late.stdout or b""
    return frozenset(map(int, lines.split()))


def main() -> int:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    file = Path(sys.argv[1])
    content = file.read_bytes()
    media_type = sniff(content[:HEAD])
    kind = "pdf" if media_type == PDF or file.suffix.lower() == ".pdf" else None
    with pymupdf.open(file, filetype=kind) as document:
        if kind == "pdf" and not document.is_pdf:
            return 0
        for number in range(1, document.page_count + 1):
            if _is_drawn(document, number):
                print(number, flush=True)
    return 0


def _is_drawn(document: pymupdf.Document, number: int) -> bool:
    try:
        picture = document[number - 1].get_pixmap(dpi=DPI, alpha=False)
    except Exception:  # whatever MuPDF raises on a damaged page: it is not drawn
        return False
    return not picture.is_unicolor


if __name__ == "__main__":
    sys.exit(main())
