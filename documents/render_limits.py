"""Limits of one child process: pages, pixels, time, memory."""

from __future__ import annotations

from dataclasses import dataclass

MAX_DRAWN_PIXELS = 30_000_000  # of a page that is drawn finer than it is, or to be straightened


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderLimits:
    """What a document may cost before it is refused or its child is ended."""

    max_pages: int = 2000
    max_pixels: int = 100_000_000  # of an image file, or of a drawn picture
    max_lines: int = 20_000  # of one page's text layer
    max_content_bytes: int = 64_000_000  # of one page's drawing commands, unpacked
    memory_bytes: int = 1_500_000_000  # address space of a child
    resident_bytes: int = 300_000_000  # a child that holds more after a call is retired
    page_timeout_s: float = 60.0  # wall clock of one call
    page_cpu_s: float = 20.0  # processor time of one call
    start_timeout_s: float = 60.0  # wall clock until a new child says that it is ready
    documents_per_child: int = 200  # then it is retired
    niceness: int = 10  # added to that of the parent
    structure_trees: bool = True  # those of tagged PDFs are read
