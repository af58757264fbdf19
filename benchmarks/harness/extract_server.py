"""Receipts through a server: read by OCR, a model that says what people wrote, and boxes judged by the people's."""

from __future__ import annotations

import collections
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image

from benchmarks.harness.server import server
from benchmarks.truths.receipts import FIELDS, receipt, true_lines
from documents.boxes import BoundingBox
from documents.matching.lines import PrintedLine
from pagemill import Client
from pagemill.errors import Refused
from pagemill.values import ExtractedField
from tests.deployments.ingress.scripted_model import Script, scripted_model

SCHEMA = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in FIELDS},
    "required": list(FIELDS),
}


def through_server(folder: Path, names: list[str]) -> dict[str, Any]:
    """Of the values that stand on a receipt by the people's text, how many got the right box, a wrong one, or none."""
    counts: collections.Counter[str] = collections.Counter()
    script = Script(lambda _: "{}")
    with (
        tempfile.TemporaryDirectory() as data_dir,
        scripted_model(script),
        server(Path(data_dir), "--answers-url", script.url, "--answers-model", "people") as running,
        Client(running.url) as client,
    ):
        for name in names:
            lines, fields = receipt(folder, name)
            script_values = {field: fields.get(field, "") for field in FIELDS}
            script.say = lambda _, values=script_values: json.dumps(values)
            picture = folder / "img" / f"{name}.jpg"
            job = client.ingest(picture, wait_s=None)
            try:
                extraction = client.extract(SCHEMA, job_id=job.id)
            except Refused as error:  # a page that could not be read has none of its values
                print(f"{name}: {error}; {client.job(job.id)}", file=sys.stderr)
                for field in FIELDS:
                    if script_values[field] and true_lines(field, script_values[field], lines):
                        counts[f"{field}_missing"] += 1
                continue
            size = json.loads(client.result(job.id, "json").content)["pages"][0]["size"]
            with Image.open(picture) as image:
                scale = image.width / size[0], image.height / size[1]
            for field, leaf in extraction.leaves():
                runs = true_lines(field, script_values[field], lines) if script_values[field] else []
                if runs:
                    counts[f"{field}_{_verdict(leaf, runs, lines, scale)}"] += 1
    total = {kind: sum(counts[f"{field}_{kind}"] for field in FIELDS) for kind in ("right", "wrong", "missing")}
    return {"num_receipts": len(names), **total, **dict(sorted(counts.items()))}


def _verdict(leaf: ExtractedField, runs: list[set[int]], lines: list[PrintedLine], scale: tuple[float, float]) -> str:
    """Right where each box's centre lies in a line of one run; OCR may cut lines otherwise than people do."""
    if not leaf.boxes:
        return "missing"
    boxes = [BoundingBox(**box.model_dump()).scaled(*scale) for box in leaf.boxes]
    lines_of_boxes = [{at for at, line in enumerate(lines) if line.box.contains(*box.center)} for box in boxes]
    return "right" if any(all(lines_of_box & run for lines_of_box in lines_of_boxes) for run in runs) else "wrong"
