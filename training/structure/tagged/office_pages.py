"""Tagged PDFs of office documents: LibreOffice writes what their authors named a heading, a list, a table.

    python -m training.structure.tagged.office_pages runs/structure/office FOLDER...
    python -m training.structure.tagged.pages runs/structure/pages FOLDER... runs/structure/office/*

Of the documents in the folders, those of the half that is tuned on, each once and of a family a few; each PDF is
written below OUT as its document lies below the parent of its folder, so that it falls into the same half.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from training.structure.tagged.pages import chosen_files

WRITER, SLIDES = "writer_pdf_Export", "impress_pdf_Export"
FILTERS: Mapping[str, str] = {
    ".doc": WRITER,
    ".docx": WRITER,
    ".odt": WRITER,
    ".rtf": WRITER,
    ".odp": SLIDES,
    ".ppt": SLIDES,
    ".pptx": SLIDES,
}
OPTIONS = {
    "UseTaggedPDF": {"type": "boolean", "value": "true"},
    "ExportBookmarks": {"type": "boolean", "value": "true"},
    "ReduceImageResolution": {"type": "boolean", "value": "true"},
    "MaxImageResolution": {"type": "long", "value": "75"},
}
BATCH = 8  # documents that one process converts
MAX_S = 40.0  # per document
COMMAND = "soffice"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("folders", nargs="+", type=Path)
    args = parser.parse_args(arguments)
    if shutil.which(COMMAND) is None:
        parser.error(f"{COMMAND} (LibreOffice) is not installed")
    num_files = num_written = 0
    with tempfile.TemporaryDirectory() as profile:  # of its own: several commands may run at once
        for folder in args.folders:
            targets = {path: pdf_of(path, folder, args.out) for path in chosen_files([folder], FILTERS)}
            num_files += len(targets)
            for batch in batches(targets):
                convert({path: targets[path] for path in batch}, Path(profile))
            num_written += sum(target.exists() for target in targets.values())
    print(f"{num_written} PDFs of {num_files} documents")
    return 0


def batches(paths: Iterable[Path]) -> Iterator[Sequence[Path]]:
    """Documents that go through one filter, the small ones first."""
    by_filter: dict[str, list[Path]] = {}
    for path in sorted(paths, key=lambda path: path.stat().st_size):
        by_filter.setdefault(FILTERS[path.suffix.lower()], []).append(path)
    for own in by_filter.values():
        for start in range(0, len(own), BATCH):
            yield own[start : start + BATCH]


def pdf_of(path: Path, folder: Path, out: Path) -> Path:
    """Where the PDF of a document is written; its name but for the suffix is that of the document."""
    return out / path.relative_to(folder.parent).with_suffix(".pdf")


def convert(targets: Mapping[Path, Path], profile: Path) -> None:
    """Write the tagged PDFs that are not there yet; LibreOffice may fail or hang on a broken document."""
    missing = [path for path, target in targets.items() if not target.exists()]
    if not missing:
        return
    export = f"pdf:{FILTERS[missing[0].suffix.lower()]}:{json.dumps(OPTIONS)}"
    command = [COMMAND, f"-env:UserInstallation={profile.resolve().as_uri()}", "--headless", "--convert-to", export]
    with tempfile.TemporaryDirectory() as partial:
        copies = [Path(partial) / f"{number}{path.suffix.lower()}" for number, path in enumerate(missing)]
        for path, copy in zip(missing, copies, strict=True):
            shutil.copyfile(path, copy)
        arguments = [*command, "--outdir", partial, *map(str, copies)]
        nowhere = subprocess.DEVNULL
        with subprocess.Popen(arguments, stdout=nowhere, stderr=nowhere, start_new_session=True) as process:
            try:
                process.wait(MAX_S * len(copies))
            except subprocess.TimeoutExpired:
                os.killpg(
                    process.pid, signal.SIGKILL
                )  # the command is a script: it alone would leave the office running
        for path, copy in zip(missing, copies, strict=True):
            if copy.with_suffix(".pdf").exists():
                targets[path].parent.mkdir(parents=True, exist_ok=True)
                shutil.move(copy.with_suffix(".pdf"), targets[path])


if __name__ == "__main__":
    sys.exit(main())
