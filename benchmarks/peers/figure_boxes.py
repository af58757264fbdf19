"""Boxes of pymupdf4llm: lines of JSON `{"path", "page"}` to `{"boxes": [[kind, box], ...], "seconds"}`.

Runs in a process of its own, under any Python that has the library; its names of kinds are put into ours.
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
        boxes: list[Any] = []
        try:
            with library.open(task["path"]) as document:
                pages = converter.to_markdown(
                    document, pages=[task["page"] - 1], page_chunks=True, show_progress=False, use_ocr=False
                )
            page_boxes: Any = pages[0]["page_boxes"]
            boxes = [(KINDS.get(box["class"], box["class"]), list(box["bbox"])) for box in page_boxes]
        except Exception as failure:  # whatever the library raises is its result for this page
            print(failure, file=sys.stderr)
        print(json.dumps({"boxes": boxes, "seconds": time.perf_counter() - begun}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
