"""A Ray job over the running graph: regions, a reading and a whole ingestion by handle, and one that is given up.

    eval "$(pagemill where)"                              # which Ray, and its token
    ray job submit -- python examples/ray_job.py

It draws its own document. Every call is bounded by a timeout, and ends its callee when it is given up.
"""

from __future__ import annotations

import argparse
import io
import json
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from examples.graph import connect, deployment

DPI = 144
LINES = ("Harbour rules, part {number}", "Ships wait for the tide at night.", "Lamps burn until the morning.")
LONG = 20  # pages of the document that is given up
TIMEOUT_S = 300


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", type=Path, help="of the server")
    connect(parser.parse_args().data_dir)
    print(json.dumps({"read": read(sheet(1)), "ingested": ingest(scan(2)), "given_up": give_up(scan(LONG))}))


def read(picture: np.ndarray) -> list[str]:
    """The text of each region of a page picture (uint8, height x width x 3), from the top."""
    layout, ocr = deployment("Layout"), deployment("Ocr")
    detections = layout.detect.remote(picture).result(timeout_s=TIMEOUT_S)
    boxes = sorted((detection.box for detection in detections), key=lambda box: box.y0)
    crops = [picture[int(box.y0) : int(box.y1) + 1, int(box.x0) : int(box.x1) + 1] for box in boxes]
    calls = [ocr.read.remote(crop, "plain") for crop in crops]  # all at once: they share decode steps
    return [reading.text for _, reading in (response.result(timeout_s=TIMEOUT_S) for response in calls)]


def ingest(content: bytes) -> dict[str, object]:
    """A document from its bytes to the index, and the best passage of a search for it."""
    jobs, search = deployment("Jobs"), deployment("Search")
    job = jobs.submit.remote(content, file_name="rules.pdf").result(timeout_s=TIMEOUT_S)
    job = jobs.wait.remote(job.id, TIMEOUT_S).result(timeout_s=TIMEOUT_S)
    retrieved = search.query.remote("until when lamps burn", k=1).result(timeout_s=TIMEOUT_S)
    best = retrieved.result.passages[0]
    return {"status": job.status, "pages": len(job.pages), "document_id": best.document_id, "text": best.text}


def give_up(content: bytes) -> dict[str, object]:
    """A long document, cancelled after its first page: what was read stays, the rest is not begun."""
    jobs = deployment("Jobs")
    job = jobs.submit.remote(content, {"index": False}, file_name="long.pdf").result(timeout_s=TIMEOUT_S)
    after, read_one = 0, False
    while not read_one:
        events, ended = jobs.events.remote(job.id, after, 30.0).result(timeout_s=TIMEOUT_S)
        read_one = ended or any(event.kind == "page" for event in events)
        after = events[-1].id if events else after
    job = jobs.cancel.remote(job.id).result(timeout_s=TIMEOUT_S)
    return {"status": job.status, "pages": len(job.pages), "read": sum(p.status == "succeeded" for p in job.pages)}


def sheet(number: int) -> np.ndarray:
    """A page of large print: uint8, (1684, 1190, 3)."""
    image = Image.new("RGB", (595 * DPI // 72, 842 * DPI // 72), "white")
    draw = ImageDraw.Draw(image)
    for line, text in enumerate(LINES):
        size = 44 if line == 0 else 26
        draw.text((140, 200 + 90 * line), text.format(number=number), "black", ImageFont.load_default(size))
    return np.asarray(image)


def scan(num_pages: int) -> bytes:
    """A PDF of pictures: nothing in it but pixels."""
    first, *others = (Image.fromarray(sheet(number)) for number in range(1, num_pages + 1))
    buffer = io.BytesIO()
    first.save(buffer, "PDF", resolution=DPI, save_all=True, append_images=others)
    return buffer.getvalue()


if __name__ == "__main__":
    main()
