"""What only a GPU can show, correctness first: `make gpu-check`. Without a GPU it says so and ends well.

Needs neither Ray nor doclayout-yolo: those checks that need what is not installed are skipped by name.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
OCR = ROOT / "checkpoints" / "ocr-compact"
LAYOUT = ROOT / "checkpoints" / "layout-compact"
NUM_STRIPS = 64
MAX_PIXELS_APART = 0.5  # of a detected box on the GPU against the CPU, both in fp32


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, dest="out", help="write the figures here")
    args = parser.parse_args()
    import torch

    if not torch.cuda.is_available():
        print("gpu-check: skipped, no CUDA device here")
        return 0
    print(f"gpu-check on {torch.cuda.get_device_name()}, torch {torch.__version__}")
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False  # fp32 means fp32
    checks: tuple[Callable[[], dict[str, float]], ...] = (reads_alike, detects_alike)
    figures: dict[str, float] = {}
    for check in checks:
        figures |= check()
    for name, value in figures.items():
        print(f"{name:32} {value:g}")
    if args.out:
        _write(args.out, figures)
    return 0 if figures.get("ocr_tokens_equal") == 1 and figures.get("boxes_alike", 1) == 1 else 1


def reads_alike() -> dict[str, float]:
    """The engine on the GPU gives the tokens that it gives on the CPU, in fp32; and how fast it gives them."""
    pictures = drawn_strips(NUM_STRIPS)
    cpu, _ = asyncio.run(_read(pictures, "cpu"))
    gpu, seconds = asyncio.run(_read(pictures, "cuda"))
    count = sum(map(len, gpu))
    return {
        "ocr_tokens_equal": float(cpu == gpu),
        "ocr_sequences_equal": sum(a == b for a, b in zip(cpu, gpu, strict=True)) / len(cpu),
        "ocr_tokens_per_s": count / seconds,
    }


def detects_alike() -> dict[str, float]:
    """The layout network on the GPU gives the boxes that it gives on the CPU, in fp32."""
    if importlib.util.find_spec("doclayout_yolo") is None:
        print("layout: skipped, doclayout-yolo is not installed")
        return {}
    from documents.detector import Detector
    from documents.network_runner import RunnerConfig

    pages = [drawn_page(seed) for seed in range(8)]
    found = {}
    for device in ("cpu", "cuda"):
        found[device] = Detector(LAYOUT, runner=RunnerConfig(device=device)).detect(pages, [None] * len(pages))
    apart = 0.0
    for cpu, gpu in zip(found["cpu"], found["cuda"], strict=True):
        if isinstance(cpu, Exception) or isinstance(gpu, Exception) or [d.kind for d in cpu] != [d.kind for d in gpu]:
            return {"boxes_alike": 0}
        for a, b in zip(cpu, gpu, strict=True):
            apart = max(apart, *(abs(getattr(a.box, edge) - getattr(b.box, edge)) for edge in ("x0", "y0", "x1", "y1")))
    return {"boxes_alike": float(apart <= MAX_PIXELS_APART), "max_box_difference_px": apart}


async def _read(pictures: list[np.ndarray], device: str) -> tuple[list[list[int]], float]:
    import torch

    from batching import Engine, EngineConfig, Request
    from batching.models import load_got_ocr2

    runner = load_got_ocr2(OCR, device=device, dtype=torch.float32)
    async with Engine(runner, EngineConfig(max_running=32)) as engine:
        await engine.submit(Request(image=pictures[0])).result()  # warm
        begun = time.perf_counter()
        done = await asyncio.gather(*(engine.submit(Request(image=picture)).result() for picture in pictures))
        return [each.token_ids for each in done], time.perf_counter() - begun


def drawn_strips(count: int) -> list[np.ndarray]:
    """Folded lines of different text: uint8 (256, 256, 3) each, in Pillow's own font."""
    from PIL import Image, ImageDraw, ImageFont

    from documents.strips import cut

    strips: list[np.ndarray] = []
    for number in range(count):
        picture = Image.new("RGB", (900, 60), "white")
        text = f"Line {number}: the harbour master wrote {number * 7919 % 10_000} words."
        ImageDraw.Draw(picture).text((10, 12), text, "black", ImageFont.load_default(size=28))
        strips += cut(np.asarray(picture))[0].squares
    return strips[:count]


def drawn_page(seed: int) -> np.ndarray:
    """A page of grey paragraphs: uint8 (640, 480, 3)."""
    chance = np.random.default_rng(seed)
    page = np.full((640, 480, 3), 255, np.uint8)
    for top in range(40, 600, 12):
        page[top : top + 6, 40 : 40 + int(chance.integers(200, 400))] = chance.integers(0, 90)
    return page


def _write(file: Path, figures: dict[str, float]) -> None:
    import torch

    from benchmarks.report import record

    gpu: dict[str, Any] = {"gpu": torch.cuda.get_device_name()}
    record(file, "gpu_check", figures, machine=gpu)


if __name__ == "__main__":
    sys.exit(main())
