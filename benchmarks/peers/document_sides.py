"""One side of the documents comparison, in a process of its own; runs under any Python that has its library.

`python benchmarks/peers/document_sides.py NAME` reads one path per line from standard input, turns the document into
text or Markdown and answers with a line of JSON: pages, seconds, seconds of processor time (children included),
peak MB and characters.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Reader = Callable[[str], tuple[int, str]]  # a path to its number of pages and its text


def main() -> int:
    read = SIDES[sys.argv[1]]()
    for line in sys.stdin:
        cpu, begun = cpu_s(), time.perf_counter()
        num_pages, text = read(line.strip())
        answer = {
            "pages": num_pages,
            "seconds": time.perf_counter() - begun,
            "cpu_s": cpu_s() - cpu,
            "peak_mb": peak_mb(),
            "characters": len(text),
        }
        print(json.dumps(answer), flush=True)
    return 0


def cpu_s() -> float:
    """Seconds of processor time of this process and of its children, those that have ended included."""
    own = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    running = sum(_ticks(pid) for pid in _children()) / os.sysconf("SC_CLK_TCK")
    return sum(usage.ru_utime + usage.ru_stime for usage in own) + running


def peak_mb() -> float:
    """The most that this process has held, and each child that runs, in MB."""
    return sum(_peak_kb(pid) for pid in (os.getpid(), *_children())) / 1000


def _children() -> list[int]:
    tasks = Path("/proc/self/task").iterdir()
    return [int(pid) for task in tasks for pid in (task / "children").read_text().split()]


def _ticks(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def _peak_kb(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def _ours_text() -> Reader:
    from benchmarks.harness.library_reader import LibraryReader

    return LibraryReader(layout=False).read


def _ours_layout() -> Reader:
    from benchmarks.harness.library_reader import LibraryReader

    return LibraryReader(layout=True).read


def _pymupdf_text() -> Reader:
    import pymupdf

    def read(path: str) -> tuple[int, str]:
        with pymupdf.open(path) as document:
            return len(document), "".join(str(page.get_text()) for page in document)

    return read


def _pymupdf4llm() -> Reader:
    import pymupdf

    importlib.import_module("pymupdf.layout")  # its layout model, taken up by being imported
    converter: Any = importlib.import_module("pymupdf4llm")

    def read(path: str) -> tuple[int, str]:
        with pymupdf.open(path) as document:
            return len(document), str(converter.to_markdown(document, show_progress=False))

    return read


def _docling() -> Reader:
    converter: Any = importlib.import_module("docling.document_converter").DocumentConverter()

    def read(path: str) -> tuple[int, str]:
        document = converter.convert(path).document
        return len(document.pages), document.export_to_markdown()

    return read


SIDES: dict[str, Callable[[], Reader]] = {
    "ours_text": _ours_text,
    "ours_layout": _ours_layout,
    "pymupdf_text": _pymupdf_text,
    "pymupdf4llm": _pymupdf4llm,
    "docling": _docling,
}

if __name__ == "__main__":
    sys.exit(main())
