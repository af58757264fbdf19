"""What only a GPU can show, correctness first: `make gpu-check`. Without a GPU it says so and ends well.

Needs no Ray, doclayout-yolo or pydantic: those checks that need what is not installed are skipped by name. Figures are
written as soon as they are known, and a check that fails is noted: the next ones run.
"""

from __future__ import annotations

import asyncio
import functools
import importlib.util
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from batching.forward_route import RouteName
from benchmarks.harness.options import parser_of

ROOT = Path(__file__).resolve().parents[1]
OCR = ROOT / "checkpoints" / "ocr-compact"
LAYOUT = ROOT / "checkpoints" / "layout-compact"
ROUTES: tuple[RouteName, ...] = ("transformers", "torch")
MAX_PIXELS_APART = 0.5  # of a detected box on the GPU against the CPU, both in fp32


@dataclass(frozen=True, slots=True)
class Scale:
    """Where the checks run beside the CPU, and on how much."""

    device: str
    num_strips: int
    num_requests: int
    max_output: int  # tokens of each request
    num_positions: int  # of the prompt in teacher forcing


FULL = Scale("cuda", num_strips=64, num_requests=96, max_output=512, num_positions=160)
REHEARSED = Scale("cpu", num_strips=2, num_requests=2, max_output=6, num_positions=40)


def main() -> int:
    parser = parser_of(__doc__)
    parser.add_argument("--rehearse", action="store_true", help="the CPU in the GPU's place, and little of everything")
    args = parser.parse_args()
    import torch

    if not args.rehearse and not torch.cuda.is_available():
        print("gpu-check: skipped, no CUDA device here")
        return 0
    device = "the CPU, rehearsed" if args.rehearse else torch.cuda.get_device_name()
    print(f"gpu-check on {device}, torch {torch.__version__}")
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False  # fp32 means fp32
    checks: tuple[Callable[[Scale], Iterator[dict[str, float]]], ...] = (
        reads_alike,
        decodes_alike,
        stays_near_in_bf16,
        detects_alike,
    )
    figures: dict[str, float] = {}
    for check in checks:
        try:
            for outcome in check(REHEARSED if args.rehearse else FULL):
                figures |= outcome
                _write(args.out, figures, device)
        except Exception:  # a fault of the device or of a library here says nothing of the checks that follow
            traceback.print_exc()
            figures[f"{check.__name__}_to_the_end_equal"] = 0
            _write(args.out, figures, device)
    for name, value in figures.items():
        print(f"{name:32} {value:g}")
    right = [value == 1 for name, value in figures.items() if name.endswith("_equal") or name == "boxes_alike"]
    return 0 if right and all(right) else 1


def reads_alike(scale: Scale) -> Iterator[dict[str, float]]:
    """The engine on the GPU gives the tokens that it gives on the CPU, in fp32; and how fast it gives them."""
    pictures = drawn_strips(scale.num_strips)
    cpu, _ = asyncio.run(_read(pictures, "cpu", "auto"))
    for route in ROUTES:
        gpu, seconds = asyncio.run(_read(pictures, scale.device, route))
        yield {
            f"ocr_{route}_tokens_equal": float(cpu == gpu),
            f"ocr_{route}_sequences_alike": sum(a == b for a, b in zip(cpu, gpu, strict=True)) / len(cpu),
            f"ocr_{route}_tokens_per_s": sum(map(len, gpu)) / seconds,
        }


def decodes_alike(scale: Scale) -> Iterator[dict[str, float]]:
    """A language model by each route on the GPU gives the tokens of the CPU, in fp32, also while it is preempted."""
    from batching import EngineConfig
    from batching.loading.models import load_causal_lm
    from benchmarks.loads.workloads import decoder, ours, shortened, spread

    model = decoder()
    asks = shortened(spread(scale.num_requests), scale.max_output)
    for name, num_blocks in (("", 2048), ("_preempted", 200)):
        config = functools.partial(EngineConfig, max_running=32, num_blocks=num_blocks)
        expected, _, _ = ours(load_causal_lm(model), asks, config)
        for route in ROUTES:
            runner = load_causal_lm(model, device=scale.device, route=route)
            ours(runner, asks[:8], config)  # warm
            outputs, _, seconds = ours(runner, asks, config)
            yield {
                f"lm_{route}{name}_equal": float(outputs == expected),
                f"lm_{route}{name}_tokens_per_s": sum(map(len, outputs)) / seconds,
            }


def stays_near_in_bf16(scale: Scale) -> Iterator[dict[str, float]]:
    """By teacher forcing: how far logits in bf16 are from those in fp32, in parts of the largest, by each route."""
    import torch

    from batching.loading.models import load_causal_lm
    from batching.step_plan import PlanRow, RowOwner
    from benchmarks.loads.workloads import decoder, spread

    tokens = list(spread(1)[0].prompt) * 4
    rows = [
        PlanRow(
            owner=RowOwner(seq_id=0),
            tokens=tokens[: start + count],
            start=start,
            count=count,
            blocks=range(1, 65),
            decodes=count == 1,
        )
        for start, count in [(0, 32), *((at, 1) for at in range(32, min(len(tokens), scale.num_positions)))]
    ]
    logits: dict[str, list[torch.Tensor]] = {}
    cases: list[tuple[str, RouteName, torch.dtype]] = [("reference", "transformers", torch.float32)]
    cases.extend((route, route, torch.bfloat16) for route in ROUTES)
    for name, route, dtype in cases:
        runner = load_causal_lm(decoder(), device=scale.device, dtype=dtype, route=route)
        runner.allocate(64, 16, 1, 1)
        with torch.inference_mode():
            logits[name] = [runner.logits([row]).float()[0].clone() for row in rows]
        runner.close()
    largest = max(float(tensor.abs().max()) for tensor in logits["reference"])
    for route in ROUTES:
        pairs = zip(logits[route], logits["reference"], strict=True)
        yield {f"bf16_{route}_furthest_logit": max(float((a - b).abs().max()) for a, b in pairs) / largest}


def detects_alike(scale: Scale) -> Iterator[dict[str, float]]:
    """The layout network on the GPU gives the boxes that it gives on the CPU, in fp32."""
    missing = [name for name in ("doclayout_yolo", "pydantic") if importlib.util.find_spec(name) is None]
    if missing:
        print(f"layout: skipped, {' and '.join(missing)} not installed")
        return
    from documents.layout.batch_runner import RunnerConfig
    from documents.layout.doclayout.detector import Detector

    pages = [drawn_page(seed) for seed in range(8)]
    detections = {}
    for place, device in (("cpu", "cpu"), ("gpu", scale.device)):
        detections[place] = Detector(LAYOUT, runner=RunnerConfig(device=device)).detect(pages, [None] * len(pages))
    apart = 0.0
    for cpu, gpu in zip(detections["cpu"], detections["gpu"], strict=True):
        if isinstance(cpu, Exception) or isinstance(gpu, Exception) or [d.kind for d in cpu] != [d.kind for d in gpu]:
            yield {"boxes_alike": 0}
            return
        for a, b in zip(cpu, gpu, strict=True):
            apart = max(apart, *(abs(getattr(a.box, edge) - getattr(b.box, edge)) for edge in ("x0", "y0", "x1", "y1")))
    yield {"boxes_alike": float(apart <= MAX_PIXELS_APART), "max_box_difference_px": apart}


async def _read(pictures: list[np.ndarray], device: str, route: RouteName) -> tuple[list[list[int]], float]:
    import torch

    from batching import Engine, EngineConfig, Request
    from batching.loading.models import load_got_ocr2

    runner = load_got_ocr2(OCR, device=device, dtype=torch.float32, route=route)
    async with Engine(runner, EngineConfig(max_running=32)) as engine:
        await engine.submit(Request(image=pictures[0])).result()  # warm
        begun = time.perf_counter()
        done = await asyncio.gather(*(engine.submit(Request(image=picture)).result() for picture in pictures))
        return [completion.token_ids for completion in done], time.perf_counter() - begun


def drawn_strips(count: int) -> list[np.ndarray]:
    """Folded lines of different text: uint8 (256, 256, 3) each, in Pillow's own font."""
    from PIL import Image, ImageDraw, ImageFont

    from documents.ocr_input.strip_folding import fold, levels, parts, square

    font = ImageFont.load_default(size=28)
    strips: list[np.ndarray] = []
    for number in range(count):
        text = f"Line {number}: the harbour master wrote {number * 7919 % 10_000} words."
        left, top, right, bottom = (round(edge) for edge in font.getbbox(text))
        picture = Image.new("L", (right - left + 4, bottom - top + 4), "white")  # 2 pixels of paper around the ink
        ImageDraw.Draw(picture).text((2 - left, 2 - top), text, "black", font)
        strips += [square(fold(part)) for part in parts(levels(np.asarray(picture)))]
    return strips[:count]


def drawn_page(seed: int) -> np.ndarray:
    """A page of grey paragraphs: uint8 (640, 480, 3)."""
    chance = np.random.default_rng(seed)
    page = np.full((640, 480, 3), 255, np.uint8)
    for top in range(40, 600, 12):
        page[top : top + 6, 40 : 40 + int(chance.integers(200, 400))] = chance.integers(0, 90)
    return page


def _write(file: Path | None, figures: dict[str, float], device: str) -> None:
    from benchmarks.harness.report import record

    if file is not None:
        record(file, "gpu_check", figures, machine={"gpu": device})


if __name__ == "__main__":
    sys.exit(main())
