"""How well the corpus' pages are put in reading order with the regions that a detector finds."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from configs.settings import Settings, checkpoint_path
from documents.document.assemble_document import assemble
from documents.errors import IngestError
from documents.exports.markdown import markdown
from documents.layout.doclayout.detector import Detector
from documents.layout.structure.structure_reader import StructureReader
from documents.media_types import PDF
from documents.page.build_page import compose_page, draft_regions
from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits
from documents.segments.packed_features import packed_segments
from documents.values import Page, Source

KIND = "order"  # of corpus files


def order_with_detector(detector: Detector, corpus: Path) -> float | None:
    """The corpus' own score of order, mean over its files of that kind; None where there is no corpus."""
    if not (corpus / "manifest.csv").is_file():
        return None
    with (corpus / "manifest.csv").open(encoding="utf-8", newline="") as manifest:
        rows = [row for row in csv.DictReader(manifest) if row["kind"] == KIND and row["file"].endswith(".pdf")]
    reader = StructureReader(Path(checkpoint_path(Settings().layout.structure_model)))
    with tempfile.TemporaryDirectory(prefix="pagemill-order-") as folder:
        for path in (corpus / row["file"] for row in rows):
            Path(folder, f"{path.name}.md").write_text(read(detector, reader, path), encoding="utf-8")
        scores = Path(folder, "scores.json")
        command = [sys.executable, str(corpus / "score.py"), folder, "--json", str(scores)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        means: dict[str, dict[str, float]] = json.loads(scores.read_text(encoding="utf-8"))["means"]
    return next(row["order"] for name, row in means.items() if name.removeprefix("mean ").split(" (")[0] == KIND)


def read(detector: Detector, reader: StructureReader, path: Path) -> str:
    """The Markdown of a PDF by its text layer; a page that fails is left out."""
    file = PdfFile(Source(path=str(path), media_type=PDF), RenderLimits())
    try:
        pages: list[Page] = []
        for number in range(1, file.opened().num_pages + 1):
            inspection = file.inspect(number)
            picture = file.picture(number, detector.image_size, None, None, 0)
            (detections,) = detector.detect([picture], [(inspection.width, inspection.height)])
            if isinstance(detections, IngestError):
                continue
            blocks = reader.blocks_of(packed_segments(inspection))
            drafts = draft_regions(inspection, detections, blocks=blocks, crop_margin=detector.crop_margin)
            pages.append(compose_page(inspection, drafts, {}, {}))
        return markdown(assemble(path.name, 1, file.opened(), pages))
    finally:
        file.close()
