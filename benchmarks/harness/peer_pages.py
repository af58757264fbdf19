"""Pages as Markdown by pymupdf4llm with its layout model, which runs in a Python of its own."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

PEER = Path(__file__).parents[1] / "peers" / "markdown_pages.py"


@dataclass(frozen=True, slots=True)
class PeerPages:
    """The Markdown of some pages of a file, in their order, and the seconds for all of them."""

    pages: tuple[str, ...]
    seconds: float


def peer_pages(python: str, requests: Sequence[tuple[Path, Sequence[int]]]) -> list[PeerPages]:
    """Of each file and its pages, counted from 1, in one process; `python` has pymupdf4llm and pymupdf-layout.

    Raises:
        subprocess.CalledProcessError: it ended with an error.
    """
    lines = "".join(json.dumps({"path": str(path), "pages": list(pages)}) + "\n" for path, pages in requests)
    done = subprocess.run([python, str(PEER)], input=lines, stdout=subprocess.PIPE, text=True, check=True)
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    return [PeerPages(tuple(reply["pages"]), reply["seconds"]) for reply in replies]
