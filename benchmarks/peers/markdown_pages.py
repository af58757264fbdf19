"""Pages as Markdown by pymupdf4llm with its layout model, in a Python of its own that has it: nothing of ours is here.

Lines `{"path": ..., "pages": [...]}` come in, pages counted from 1; lines `{"pages": [...], "seconds": ...}` go out.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from typing import Any


def main() -> None:
    importlib.import_module("pymupdf.layout")  # its layout model, taken up by being imported
    converter: Any = importlib.import_module("pymupdf4llm")
    replies, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        request = json.loads(line)
        begun = time.perf_counter()
        try:
            chunks = converter.to_markdown(
                request["path"],
                pages=[number - 1 for number in request["pages"]],
                page_chunks=True,
                header=False,
                footer=False,
                use_ocr=False,
                show_progress=False,
            )
            pages = [chunk["text"] for chunk in chunks]
        except Exception as error:  # a page that it cannot read is an empty one
            print(f"{request['path']}: {error!r}", file=sys.stderr)
            pages = [""] * len(request["pages"])
        reply = {"pages": pages, "seconds": time.perf_counter() - begun}
        replies.write(json.dumps(reply) + "\n")
        replies.flush()


if __name__ == "__main__":
    main()
