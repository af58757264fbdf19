"""Drafts of the picture, and prompts without its blank windows: over our compact checkpoint, against generate."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont
from safetensors.torch import load_file, save_file

from batching import EngineConfig, FinishReason, PromptTooLong, Request, SamplingParams, generate
from batching.inputs.got.draft_head import FILE_NAME
from batching.loading.models import load_got_ocr2
from batching.requests.rope_positions import MAX_DELTA, Rope
from documents.ocr_input.strip_folding import fold, square
from tests.batching.native_route_here import NATIVE

COMPACT = Path(__file__).parents[4] / "checkpoints" / "ocr-compact"
WORDS = ["the", "quick", "brown", "fox", "jumps", "over", "a", "lazy", "dog", "while", "seven", "zebras", "watch"]


def line(num_words):
    """A printed line, folded into its square; one without words is blank."""
    text = " ".join(WORDS[:num_words])
    font = ImageFont.load_default(28)
    picture = Image.new("L", (round(font.getlength(text)) + 8, 34), 255)
    ImageDraw.Draw(picture).text((4, 0), text, fill=0, font=font)
    return square(fold(np.asarray(picture)))


SQUARES = [line(num_words) for num_words in range(12)]


@pytest.fixture(scope="module")
def expected(torch):
    """What generate says where the tokens of blank windows are masked, and all others keep their positions."""
    from transformers import AutoImageProcessor, GotOcr2ForConditionalGeneration

    model = GotOcr2ForConditionalGeneration.from_pretrained(COMPACT, dtype=torch.float32).eval()
    processor = AutoImageProcessor.from_pretrained(COMPACT)
    outputs = []
    for picture in SQUARES:
        ids = torch.tensor([[3, *[5] * 64, 4]])
        mask = torch.ones_like(ids)
        num_rows = max((row + 1 for row in range(8) if picture[32 * row : 32 * row + 32].min() < 255), default=1)
        num_windows = (num_rows + 1) // 2  # each holds two rows
        mask[:, 1 + 16 * num_windows : 65] = 0
        with torch.inference_mode():
            output = model.generate(
                input_ids=ids,
                attention_mask=mask,
                position_ids=torch.arange(66)[None],
                pixel_values=processor(images=picture.copy(), return_tensors="pt")["pixel_values"],
                max_new_tokens=128,
                do_sample=False,
            )[0, 66:].tolist()
        outputs.append(output[: output.index(2) + 1] if 2 in output else output)
    return outputs


def with_head(folder, change):
    """A copy of the checkpoint whose head is changed by `change`."""
    shutil.copytree(COMPACT, folder)
    weights = load_file(folder / FILE_NAME)
    save_file({name: change(weight) for name, weight in weights.items()}, folder / FILE_NAME)
    return folder


@pytest.mark.parametrize("route", ["transformers", "torch", NATIVE])
@pytest.mark.parametrize(
    "limits",
    [{}, {"max_running": 4, "num_blocks": 28}, {"max_step_tokens": 20, "max_running": 3}, {"block_size": 5}],
    ids=["roomy", "preempting", "chunked", "small blocks"],
)
def test_lines_are_read_as_by_generate_in_fewer_than_half_the_steps(limits, route, expected):
    """Whatever is drafted and left out, preempted and cut: each token is the decoder's own."""
    ends = []
    runner = load_got_ocr2(COMPACT, route=route)
    completions = generate(
        runner, [Request(image=picture) for picture in SQUARES], EngineConfig(**limits, on_finish=ends.append)
    )
    assert [completion.token_ids for completion in completions] == expected
    if not limits:
        assert sum(end.num_steps for end in ends) < sum(end.num_output for end in ends) / 2


def test_a_wrong_head_changes_nothing_and_is_given_up(tmp_path, torch, expected):
    """Drafts of weights in disorder: the same text, and few rows for it."""
    order = torch.Generator().manual_seed(2)
    folder = with_head(
        tmp_path / "wrong", lambda weight: weight[torch.randperm(len(weight), generator=order)].contiguous()
    )
    ends, steps = [], []
    config = EngineConfig(on_finish=ends.append, on_step=steps.append)
    completions = generate(load_got_ocr2(folder), [Request(image=picture) for picture in SQUARES], config)
    assert [completion.token_ids for completion in completions] == expected
    assert 0 < sum(step.num_drafts for step in steps) < 6 * sum(end.num_output for end in ends)
    assert any(end.gave_up_drafts for end in ends)


def test_a_checkpoint_without_a_head_reads_without_drafts(tmp_path, expected):
    """As every published one."""
    shutil.copytree(COMPACT, tmp_path / "bare")
    (tmp_path / "bare" / FILE_NAME).unlink()
    steps = []
    runner = load_got_ocr2(tmp_path / "bare")
    completions = generate(runner, [Request(image=SQUARES[3])], EngineConfig(on_step=steps.append))
    assert completions[0].token_ids == expected[3]
    assert sum(step.num_drafts for step in steps) == 0


@pytest.mark.parametrize("fault", ["of another width", "of another vocabulary", "no head", "no file of weights"])
def test_a_head_that_does_not_fit_is_left_out(fault, tmp_path, torch, expected, caplog):
    """One that was copied from another checkpoint must not end the engine with its first line."""
    folder = tmp_path / "foreign"
    shutil.copytree(COMPACT, folder)
    file = folder / FILE_NAME
    weights = load_file(file)
    if fault == "of another width":
        weights["norm.weight"] = weights["norm.bias"] = torch.ones(96)
    elif fault == "of another vocabulary":
        weights |= {name: torch.cat([weights[name], weights[name]]) for name in ("tokens.weight", "tokens.bias")}
    elif fault == "no head":
        weights = {"0.weight": torch.ones(4)}
    save_file({name: weight.clone() for name, weight in weights.items()}, file)
    if fault == "no file of weights":
        file.write_bytes(b"nothing")
    steps = []
    completion = generate(load_got_ocr2(folder), [Request(image=SQUARES[4])], EngineConfig(on_step=steps.append))[0]
    assert completion.token_ids == expected[4]
    assert sum(step.num_drafts for step in steps) == 0
    assert "is not a draft head of its checkpoint" in caplog.text


def test_sampled_outputs_have_no_drafts():
    """A token that is drawn depends on a generator, whose numbers a draft would use up."""
    steps = []
    request = Request(image=SQUARES[3], sampling=SamplingParams(temperature=0.7, seed=1))
    generate(load_got_ocr2(COMPACT), [request], EngineConfig(on_step=steps.append))
    assert sum(step.num_drafts for step in steps) == 0


def test_an_output_ends_where_positions_do(tmp_path):
    """What is left out of a prompt still takes positions of the model's context."""
    shutil.copytree(COMPACT, tmp_path / "short")
    file = tmp_path / "short" / "config.json"
    file.write_text(file.read_text().replace('"max_position_embeddings": 512', '"max_position_embeddings": 80'))
    completion = generate(load_got_ocr2(tmp_path / "short"), [Request(image=SQUARES[9])], EngineConfig())[0]
    assert len(completion.token_ids) == 80 - 66
    assert completion.finish_reason is FinishReason.LENGTH
    runner = load_got_ocr2(tmp_path / "short")
    (rest,) = generate(runner, [Request(image=SQUARES[9], continuation=completion.token_ids[:10])])
    assert rest.token_ids == completion.token_ids[10:]
    with pytest.raises(PromptTooLong, match="positions"):
        runner.inputs.prepare(Request(image=SQUARES[9], continuation=[70] * 15))


def test_positions_beyond_those_that_routes_have_angles_for_are_refused():
    """Not read from beyond a table's end."""
    with pytest.raises(ValueError, match="delta must be at most"):
        Rope(np.arange(4)[None], MAX_DELTA + 1)
