"""Our compact checkpoint, against transformers' generate."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from batching import EngineConfig, FinishReason, Request, generate
from batching.loading.models import load_got_ocr2

COMPACT = Path(__file__).parents[2] / "checkpoints" / "ocr-compact"
SCAN = Path(__file__).parents[1] / "data" / "scan.png"


def strip(text):
    """A line, folded into rows of a 256-pixel square."""
    square = Image.new("RGB", (256, 256), "white")
    draw = ImageDraw.Draw(square)
    for at, row in enumerate(text):
        draw.text((2, 32 * at + 2), row, fill="black", font_size=22)
    return np.asarray(square)


def test_the_compact_checkpoint_reads_as_with_generate(torch):
    """The default server stands on this checkpoint: its text, its end, its confidence."""
    runner = load_got_ocr2(COMPACT)
    assert runner.inputs.reading.unit == "strip"
    assert runner.inputs.reading.modes == ("plain",)
    images = [strip(rows) for rows in (["Continuous", "batching"], ["A page of text"], ["one"], ["two of", "three"])]
    completions = generate(runner, [Request(image=image) for image in images], EngineConfig(max_running=3))
    from transformers import AutoImageProcessor, GotOcr2ForConditionalGeneration

    pixels = AutoImageProcessor.from_pretrained(COMPACT)(images=[image.copy() for image in images], return_tensors="pt")
    whole = GotOcr2ForConditionalGeneration.from_pretrained(COMPACT, dtype=torch.float32).eval()
    ids = torch.tensor([[3, *[5] * 64, 4]] * 4)
    mask = torch.ones_like(ids)
    mask[:, 1 + 16 : 1 + 64] = (
        0  # two rows of text are a window, whose tokens are a quarter; what follows has its place
    )
    with torch.inference_mode():
        output = whole.generate(
            input_ids=ids,
            attention_mask=mask,
            position_ids=torch.arange(ids.shape[1]).expand(4, -1),
            pixel_values=pixels["pixel_values"],
            max_new_tokens=128,
            do_sample=False,
        )
    for completion, expected in zip(completions, output[:, ids.shape[1] :].tolist(), strict=True):
        assert completion.token_ids == expected[: expected.index(2) + 1]
        assert completion.finish_reason is FinishReason.STOP
        assert completion.mean_logprob is not None
        assert -1 < completion.mean_logprob < 0
    assert completions[1].text == "A page of text"


def test_drafts_change_no_line_of_a_scan():
    """The likeliest tokens stay the likeliest where a step verifies several of a line."""
    strips = pytest.importorskip(
        "documents.ocr_input.line_strips", exc_type=ImportError
    )  # a GPU machine lacks pydantic
    runner = load_got_ocr2(COMPACT)
    picture = np.asarray(Image.open(SCAN).convert("RGB"))
    requests = [Request(image=square) for line in strips.cut(picture) for square in line.squares]
    plain, steps = generate(runner, requests), []
    drafted = generate(runner, requests, EngineConfig(max_drafts=4, on_step=steps.append))
    assert sum(step.num_accepted for step in steps) > 0
    assert [completion.token_ids for completion in drafted] == [completion.token_ids for completion in plain]
    assert [completion.text for completion in drafted] == [completion.text for completion in plain]
