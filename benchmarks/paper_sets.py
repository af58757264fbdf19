"""Scans of real paper with a person's truth, gathered from the repositories that publish them.

    python -m benchmarks.paper_sets SOURCES OUT

SOURCES holds unpacked clones: `funsd` (Doc-LD/funsd-bench), `sroie` (zzzDavid/ICDAR-2019-SROIE), `books`
(PedroBarcha/old-books-dataset), `labels` (idigbio-aocr/label-data); a clone that is absent is left out. OUT gets
`forms`, `receipts`, `books` and `labels` with `truth.json`, as `benchmarks.paper` and `training.ocr.real_lines` take
them; its images are links into SOURCES. Left out of every set is what others judge by: FUNSD's `testing_data`,
receipts from 500 on, books g to j. A page's half, `tune` or `judge`, depends on its name alone; a book lies in one
half as a whole. Do not pass these sets on: FUNSD and SROIE are research data, the labels state no licence.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

LAST_RECEIPT = 499
BOOKS = {"a": "tune", "b": "judge", "c": "tune", "d": "judge", "e": "tune", "f": "judge"}
BINARISATIONS = ("minimum/tiff", "Otsu", "concavity", "intermeans", "intermodes", "moments", "MaxEntropy")  # in turn
COLLECTIONS = ("ent", "herb", "lichens")  # insects, plants, lichens
Page = dict[str, Any]  # source, file, split, text, and lines or words


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", type=Path)
    parser.add_argument("out", type=Path)
    args = parser.parse_args()
    for kind, (folder, pages_of) in SETS.items():
        if (args.sources / folder).is_dir():
            pages = list(pages_of(args.sources / folder))
            write(args.out / kind, pages)
            num_judge = sum(page["split"] == "judge" for page in pages)
            print(f"{kind}: {len(pages)} pages, {num_judge} of them to judge by")
        else:
            print(f"{kind}: left out, {args.sources / folder} is absent", file=sys.stderr)
    return 0


def half(name: str) -> str:
    """The half of a page; the same on every machine and whatever other pages there are."""
    return "judge" if zlib.crc32(name.encode()) % 2 else "tune"


def write(out: Path, pages: list[Page]) -> None:
    """A set again: links to the images, and `truth.json`."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    for page in pages:
        (out / page["file"]).symlink_to(page.pop("source").resolve())
    (out / "truth.json").write_text(json.dumps(pages, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def page_of(
    image: Path, split: str, text: str, *, lines: list[Page] | None = None, words: list[Page] | None = None
) -> Page:
    return {
        "source": image,
        "file": image.name,
        "split": split,
        "text": text,
        "lines": lines or [],
        "words": words or [],
    }


def forms(folder: Path) -> Iterator[Page]:
    """Faxed and copied forms; words with boxes."""
    for file in sorted((folder / "training_data" / "annotations").glob("*.json")):
        entries = json.loads(file.read_text(encoding="utf-8"))["form"]
        words = [
            {"box": word["box"], "text": word["text"].strip()}
            for entry in entries
            for word in entry["words"]
            if word["text"].strip()
        ]
        text = "\n".join(entry["text"] for entry in entries)
        image = folder / "training_data" / "images" / f"{file.stem}.png"
        yield page_of(image, half(file.stem), text, words=words)


def receipts(folder: Path) -> Iterator[Page]:
    """Receipts; lines with the four corners of each."""
    for file in sorted((folder / "data" / "box").glob("*.csv")):
        if int(file.stem) > LAST_RECEIPT:
            continue
        lines = [receipt_line(row) for row in file.read_text(encoding="utf-8").splitlines() if row.strip()]
        text = "\n".join(line["text"] for line in lines)
        image = folder / "data" / "img" / f"{file.stem}.jpg"
        yield page_of(image, half(file.stem), text, lines=lines)


def receipt_line(row: str) -> Page:
    """`x0,y0,...,x3,y3,text`, whose text may hold commas."""
    *corners, text = row.split(",", 8)
    x, y = [int(value) for value in corners[::2]], [int(value) for value in corners[1::2]]
    return {"box": [min(x), min(y), max(x), max(y)], "text": text.strip()}


def books(folder: Path) -> Iterator[Page]:
    """Pages of old books in black and white, made so by several methods in turn; text alone."""
    files = [file for file in sorted((folder / "groundtruth").glob("*.txt")) if file.stem[0] in BOOKS]
    for k, file in enumerate(files):
        names = [BINARISATIONS[(k + step) % len(BINARISATIONS)] for step in range(len(BINARISATIONS))]
        images = [folder / "binarized_300dpi" / name / f"{file.stem}.tiff" for name in names]
        image = next((image for image in images if image.is_file()), None)
        if image is not None:
            yield page_of(image, BOOKS[file.stem[0]], file.read_text(encoding="utf-8-sig"))


def labels(folder: Path) -> Iterator[Page]:
    """Photographed labels of museum specimens, printed, typed and a little handwriting; text alone."""
    for collection in COLLECTIONS:
        for file in sorted((folder / collection / "gold" / "ocr").glob("*.txt")):
            image = folder / collection / "gold" / "inputs" / f"{file.stem}.jpg"
            text = file.read_text(encoding="utf-8-sig", errors="replace")
            if image.is_file() and text.strip():
                yield page_of(image, half(file.stem), text)


SETS: dict[str, tuple[str, Callable[[Path], Iterator[Page]]]] = {
    "forms": ("funsd", forms),
    "receipts": ("sroie", receipts),
    "books": ("books", books),
    "labels": ("labels", labels),
}


if __name__ == "__main__":
    sys.exit(main())
