"""Tables by another library, in a process of its own; runs under any Python that has the library.

`python benchmarks/peers/table_sides.py NAME` reads lines of JSON, `{"path": ..., "pages": [...]}` (pages
count from 1; none: all), and answers each with `{"markdown": ..., "seconds": ..., "error": ...}`: HTML or Markdown
that holds the tables.
"""

from __future__ import annotations

import html
import importlib
import json
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import version
from typing import Any

Reader = Callable[[str, Sequence[int]], str]  # a path and its pages to Markdown


def main() -> int:
    read, packages = SIDES[sys.argv[1]]
    print(json.dumps({"versions": {name: version(name) for name in packages}}), flush=True)
    for line in sys.stdin:
        task = json.loads(line)
        begun = time.perf_counter()
        markdown, error = "", None
        try:
            markdown = read(task["path"], task["pages"])
        except Exception as failure:  # whatever a library raises is its result for this file
            error = f"{type(failure).__name__}: {failure}"[:200]
        answer = {"markdown": markdown, "seconds": time.perf_counter() - begun, "error": error}
        print(json.dumps(answer), flush=True)
    return 0


def _camelot(flavor: str, path: str, pages: Sequence[int]) -> str:
    library: Any = importlib.import_module("camelot")
    page_list = ",".join(map(str, pages)) or "all"
    return "\n\n".join(_html(table.data) for table in library.read_pdf(path, pages=page_list, flavor=flavor))


def _html(rows: Sequence[Sequence[str]]) -> str:
    """camelot says no spans: a cell for each place."""
    lines = ["".join(f"<td>{html.escape(cell, quote=False)}</td>" for cell in row) for row in rows]
    return "\n".join(["<table>", *(f"<tr>{line}</tr>" for line in lines), "</table>"])


def _pymupdf4llm(path: str, pages: Sequence[int]) -> str:
    library: Any = importlib.import_module("pymupdf")
    importlib.import_module("pymupdf.layout")  # its layout model, taken up by being imported
    converter: Any = importlib.import_module("pymupdf4llm")
    with library.open(path) as document:
        page_indices = [page - 1 for page in pages] or None
        return str(converter.to_markdown(document, pages=page_indices, show_progress=False))


SIDES: dict[str, tuple[Reader, tuple[str, ...]]] = {
    "camelot_lattice": (partial(_camelot, "lattice"), ("camelot-py",)),
    "camelot_stream": (partial(_camelot, "stream"), ("camelot-py",)),
    "pymupdf4llm": (_pymupdf4llm, ("pymupdf4llm", "pymupdf-layout", "pymupdf")),
}

if __name__ == "__main__":
    sys.exit(main())
