"""A server whose OCR model is an image-text model of random weights."""

from __future__ import annotations

import io
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image

from benchmarks.harness.server import server
from tests.batching.vision_families import picture
from tests.random_models import save_image_text
from tests.serve.fresh import fresh_parts

pytestmark = [pytest.mark.serve, pytest.mark.slow]
SCAN = Path(__file__).resolve().parents[1] / "data" / "scan.png"
NUM_DOCUMENTS = 3


def scan(number: int) -> bytes:
    """The scan with one pixel of its own: equal bytes would be one document."""
    image = Image.open(SCAN).convert("RGB")
    image.putpixel((number, 0), (250, 250, 250))
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def test_documents_are_read_by_a_random_paddleocr_vl(tmp_path: Path) -> None:
    """Guards against a model that loads alone and not in the graph; what it says is nothing."""
    folder = save_image_text("paddleocr_vl", tmp_path / "tiny-paddle")
    options = ("--ocr-model", str(folder), "--ocr-max-tokens", "256", "--ocr-least-confidence", "0")
    with (
        server(tmp_path / "data", *options) as running,
        httpx.Client(base_url=running.url, timeout=300, trust_env=False) as client,
        ThreadPoolExecutor(NUM_DOCUMENTS) as threads,
    ):

        def read(number: int) -> Any:
            files = {"file": (f"{number}.png", scan(number))}
            return client.post("/v1/documents", params={"wait": 240}, files=files).json()

        jobs = list(threads.map(read, range(NUM_DOCUMENTS)))
        image = io.BytesIO()
        Image.fromarray(picture(1, 60, 90)).save(image, "PNG")
        reading = client.post("/v1/ocr", files={"file": ("a.png", image.getvalue())}).json()
        ocr = fresh_parts(client)["ocr"]
    assert [job["status"] for job in jobs] == ["succeeded"] * NUM_DOCUMENTS
    assert reading["reader"] == "tiny-paddle"
    assert reading["num_tokens"] > 0
    assert (ocr["family"], ocr["profile"]) == ("paddleocr_vl", "paddleocr_vl")
    assert ocr["shared_steps"] > 0
