"""The room is light: only the detector knows torch, only the child knows the parsers of outside bytes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

LIGHT = """
import sys
import documents.media_types, documents.ocr_input.line_strips, documents.sandbox
import documents.document.assemble_document, documents.page.finished_page, documents.page.draft_regions
import documents.exports.markdown, documents.exports.plain_text
heavy = {"torch", "cv2", "doclayout_yolo", "pymupdf", "pypdfium2", "fitz", "ray", "fastapi"} & set(sys.modules)
assert not heavy, heavy
"""


def test_only_the_detector_and_the_child_import_what_is_heavy():
    """Guards against processes that hold torch, or a parser, for nothing."""
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", LIGHT], capture_output=True, text=True, env={"PYTHONPATH": str(root)}, check=False
    )
    assert done.returncode == 0, done.stderr
