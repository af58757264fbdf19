"""What a full-size GOT-OCR2 takes of memory in a server on the CPU, and whether it reads there as the engine alone.

`python -m benchmarks.got_memory --json FILE [--model FOLDER]`; without FOLDER one with random weights is made
(`benchmarks.loads.got_full_size`). Needs 8 GB of memory and some minutes; its figures are of memory, not of time.
"""

from __future__ import annotations

import argparse
import io
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import psutil
import pymupdf
from PIL import Image, ImageDraw, ImageFont

from benchmarks.harness.report import record
from benchmarks.harness.server import ROOT, server

MAX_TOKENS = 100  # of each region: random weights never stop by themselves
NUM_REGIONS = 12
WAIT_S = 3000.0
NUM_BLOCKS = 300  # of the KV pool: 0.9 GB, enough for twelve regions
MB = 1 << 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--read", type=Path, help="read this picture by the engine alone, and print the text")
    args = parser.parse_args()
    if args.read:
        print(json.dumps(alone(args.model, args.read)))
        return
    with tempfile.TemporaryDirectory(prefix="got-memory-") as folder:
        model = args.model or Path(folder) / "got"
        if not model.exists():
            subprocess.run([sys.executable, "-m", "benchmarks.loads.got_full_size", str(model)], check=True)
        figures, rows = measured(model, Path(folder))
        record(args.json, "got_memory", figures, rows, {"threads_per_replica": 1})
    print(json.dumps(figures, indent=2))


def measured(model: Path, folder: Path) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """Figures in MB, and the texts."""
    weights_mb = sum(file.stat().st_size for file in model.glob("*.safetensors")) * 2 / MB  # bfloat16 read as float32
    figures: dict[str, float] = {"weights_float32_mb": weights_mb}
    picture = folder / "picture.png"
    picture.write_bytes(drawn_picture())
    settings = {"ocr-model": model, "ocr-max-tokens": MAX_TOKENS, "ocr-num-blocks": NUM_BLOCKS}
    settings |= {"limits-page-deadline-s": WAIT_S}
    options = [part for name, value in settings.items() for part in (f"--{name}", str(value))]
    with server(folder / "data", *options) as running:
        figures["ready_s"] = running.seconds
        ocr = replica(running.pid, "Ocr")
        figures["at_start_peak_mb"] = status(ocr, "VmHWM")
        with httpx.Client(base_url=running.url, timeout=WAIT_S, trust_env=False) as client:
            figures["before_rss_mb"] = status(ocr, "VmRSS")
            forget_peak(ocr)
            files = {"file": ("picture.png", picture.read_bytes())}
            answer = client.post("/v1/ocr", files=files, data={"max_tokens": str(MAX_TOKENS)})
            reading = answer.raise_for_status().json()
            figures["picture_peak_mb"] = status(ocr, "VmHWM")
            print(json.dumps(figures), flush=True)
            forget_peak(ocr)
            job = ingested(client, drawn_page())
            figures["page_peak_mb"] = status(ocr, "VmHWM")
            print(json.dumps(figures), flush=True)
            document = client.get(job["links"]["result"], params={"format": "json"}).raise_for_status().json()
            regions = document["pages"][0]["regions"]
    figures["page_regions"] = sum(region["text_source"] == "ocr" for region in regions)
    command = [sys.executable, "-m", "benchmarks.got_memory", "--model", str(model), "--read", str(picture)]
    done = subprocess.run([*command, "--json", "-"], check=True, capture_output=True, cwd=ROOT)
    by_engine = json.loads(done.stdout.splitlines()[-1])
    for name in ("picture", "page"):
        figures[f"{name}_over_weights_mb"] = figures[f"{name}_peak_mb"] - weights_mb
        figures[f"{name}_over_idle_mb"] = figures[f"{name}_peak_mb"] - figures["before_rss_mb"]
    figures["texts_equal"] = float(reading["text"] == by_engine)
    figures["text_characters"] = float(len(by_engine))
    box = reading["lines"][0]["box"] if reading["lines"] else None
    return figures, [{"server_text": reading["text"], "engine_text": by_engine, "line_box": box}]


def alone(model: Path, picture: Path) -> str:
    """The text as the engine reads it without a server, cut as a reading is."""
    import torch

    from batching import Request, SamplingParams, generate
    from batching.loading.models import load_got_ocr2
    from deployments.ocr.recognized_lines import shown

    torch.set_num_threads(1)
    pixels = np.asarray(Image.open(picture).convert("RGB"))
    request = Request(image=pixels, sampling=SamplingParams(max_tokens=MAX_TOKENS))
    return shown(generate(load_got_ocr2(model), [request])[0])


def drawn_picture() -> bytes:
    """A PNG of 900 x 600 pixels with some lines of text."""
    picture = Image.new("RGB", (900, 600), "white")
    pen, font = ImageDraw.Draw(picture), ImageFont.load_default(size=30)
    for line in range(10):
        pen.text((40, 30 + 54 * line), f"Line {line}: the harbour master keeps the log.", "black", font)
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return buffer.getvalue()


def drawn_page() -> bytes:
    """A PDF of one page with twelve paragraphs in two columns."""
    with pymupdf.open() as document:
        page = document.new_page(width=595, height=842)
        text = "The harbour master keeps the log and the lamps burn until the morning comes. " * 3
        for number in range(NUM_REGIONS):
            x0 = 50 + 255 * (number // (NUM_REGIONS // 2))
            y0 = 60 + 125 * (number % (NUM_REGIONS // 2))
            page.insert_textbox(pymupdf.Rect(x0, y0, x0 + 230, y0 + 90), text, fontsize=10)
        return document.tobytes()


def ingested(client: httpx.Client, content: bytes) -> dict[str, Any]:
    """The job of a document when it has succeeded."""
    form = {"options": json.dumps({"text_source": "ocr"})}
    job = client.post("/v1/documents", files={"file": ("page.pdf", content)}, data=form).raise_for_status().json()
    deadline = time.monotonic() + WAIT_S
    while job["status"] not in ("succeeded", "failed", "cancelled") and time.monotonic() < deadline:
        answer = client.get(f"/v1/jobs/{job['id']}", params={"wait": 60})
        if not answer.is_server_error:  # a machine at its limit may be late to answer; the job goes on
            job = answer.raise_for_status().json()
    if job["status"] != "succeeded":
        raise RuntimeError(f"the page was not read: {job}")
    return job


def replica(server_pid: int, deployment: str) -> int:
    """The process of a deployment's replica below a server."""
    for process in psutil.Process(server_pid).children(recursive=True):
        title = " ".join(process.cmdline())
        if title.startswith("ray::ServeReplica") and f":{deployment}" in title:
            return process.pid
    raise RuntimeError(f"no replica of {deployment}")


def status(pid: int, field: str) -> float:
    """MB, as the kernel counts them."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return int(next(line for line in lines if line.startswith(field)).split()[1]) / 1024


def forget_peak(pid: int) -> None:
    """Let VmHWM begin again."""
    Path(f"/proc/{pid}/clear_refs").write_text("5", encoding="ascii")


if __name__ == "__main__":
    main()
