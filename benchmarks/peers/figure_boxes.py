"""Boxes of pymupdf4llm, in a process of its own: lines of JSON `{"path", "page"}` to `{"boxes": [[kind, box]], "seconds"}`.

Runs under any Python that has the library; its words for kinds are put into ours where they differ.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from typing import Any

KINDS = {"picture": "figure"}


def main() -> int:
    library: Any = importlib.import_module("pymupdf")
    importlib.import_module("pymupdf.layout")  # its layout model, taken up by being imported
    converter: Any = importlib.import_module("pymupdf4llm")
    for line in sys.stdin:
        task = json.loads(line)
        begun = time.perf_counter()
        boxes: list[tuple[str, list[float]]] = []
        try:
            with library.open(task["path"]) as document:
                pages = converter.to_markdown(
                    document, pages=[task["page"] - 1], page_chunks=True, show_progress=False, use_ocr=False
                )
            boxes = [(KINDS.get(box["class"], box["class"]), list(box["bbox"])) for box in pages[0]["page_boxes"]]
        except Exception as failure:  # whatever the library raises is its result for this page
            print(failure, file=sys.stderr)
        print(json.dumps({"boxes": boxes, "seconds": time.perf_counter() - begun}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
