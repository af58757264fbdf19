"""Parses page ranges such as `1-3,7`."""

from __future__ import annotations

import re

MAX_LENGTH = 1000  # characters


def select_pages(ranges: str | None, num_pages: int) -> list[int]:
    """The page numbers (from 1) that `ranges` names among `num_pages`, in order, each once; None: all.

    Raises:
        ValueError: `ranges` is not a list of numbers and ranges such as `1-3,7`.
    """
    if ranges is None:
        return list(range(1, num_pages + 1))
    numbers: list[int] = []
    for first, last in sorted(_bounds(part, num_pages) for part in ranges.split(",")):
        numbers.extend(range(max(first, numbers[-1] + 1 if numbers else 1), last + 1))
    return numbers


def absent_pages(ranges: str | None, num_pages: int) -> list[str]:
    """The parts of `ranges` that name no page at all among `num_pages`; one that only ends too late names some."""
    parts = ranges.split(",") if ranges else []
    bounds = [(part.strip(), *_bounds(part, num_pages)) for part in parts]
    return [part for part, first, last in bounds if first > last]


def _bounds(part: str, num_pages: int) -> tuple[int, int]:
    """First and last page of one part, as far as there are so many; a part of no page ends before it begins."""
    match = re.fullmatch(r"\s*(\d{1,9})\s*(?:-\s*(\d{1,9})?\s*)?", part)
    if match is None:
        raise ValueError(f"pages must be numbers and ranges such as 1-3,7, not {part!r}")
    first = int(match[1])
    last = first if "-" not in part else int(match[2]) if match[2] else num_pages
    if first < 1 or ("-" in part and match[2] and last < first):
        raise ValueError(f"page numbers start at 1 and ranges must ascend, not {part!r}")
    return first, min(last, num_pages)
