"""Documents made on the spot for load: each page says which one it is, so that a lost or doubled page is seen."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import httpx
import pymupdf

SENTENCE = "the harbour master keeps the log of ships that wait for the tide while lamps burn until morning"
FAILED_BELOW = 400


@dataclass(frozen=True, slots=True)
class Letter:
    """One document to send; `marks` are the lines that name its pages."""

    name: str
    content: bytes
    marks: tuple[str, ...]


def letter(number: int, num_pages: int = 1, *, scanned: bool = False, num_lines: int = 12) -> Letter:
    """A PDF of so many pages, or a PNG of one, like no other of another number."""
    pdf = pymupdf.open()
    marks: list[str] = []
    for n in range(1, num_pages + 1):
        page = pdf.new_page(width=595, height=842)
        marks.append(f"Letter {number} part {n}")
        page.insert_text((72, 90), marks[-1], fontsize=18, fontname="hebo")
        vocabulary = SENTENCE.split()
        for line in range(num_lines):
            words = [vocabulary[(number + 3 * line + 7 * n + word) % len(vocabulary)] for word in range(9)]
            page.insert_text((72, 130 + 16 * line), " ".join(words), fontsize=11)
    if scanned:
        return Letter(f"{number}.png", pdf[0].get_pixmap(dpi=120).tobytes("png"), (marks[0],))
    return Letter(f"{number}.pdf", pdf.tobytes(no_new_id=True), tuple(marks))


def heavy_page(num_strokes: int = 400_000) -> bytes:
    """A PDF whose one page takes many seconds to draw."""
    pdf = pymupdf.open()
    page = pdf.new_page()
    page.insert_text((72, 72), "slow")
    strokes = b"".join(
        b"%d %d m %d %d %d %d %d %d c S\n"
        % (k * 7 % 600, k * 13 % 800, k * 17 % 600, k % 800, k * 29 % 600, k * 31 % 800, k % 600, k * 41 % 800)
        for k in range(num_strokes)
    )
    pdf.update_stream(page.get_contents()[0], strokes)
    return pdf.tobytes(deflate=True)


def send(client: httpx.Client, document: Letter, *, wait_s: float = 0, **options: Any) -> httpx.Response:
    """Upload a letter."""
    form = {"options": json.dumps({"document_id": document.name} | options)}
    headers = {"Idempotency-Key": document.name}
    files = {"file": (document.name, document.content)}
    return client.post("/v1/documents", params={"wait": wait_s}, files=files, data=form, headers=headers)


def delivered(client: httpx.Client, job: dict[str, Any], document: Letter) -> tuple[int, int]:
    """How many pages of a letter its result holds, and how many of them more than once; a PDF's text proves it."""
    answer = client.get(job["links"]["result"], params={"format": "json"})
    if answer.status_code >= FAILED_BELOW:
        return 0, 0
    numbers = [page["number"] for page in answer.json()["pages"]]
    text = " ".join(client.get(job["links"]["result"], params={"format": "text"}).text.split())
    right = [n for n in set(numbers) if document.name.endswith(".png") or text.count(document.marks[n - 1]) == 1]
    return len(right), len(numbers) - len(set(numbers))
