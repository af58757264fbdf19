"""An image-text model of random weights as the OCR model of a replica."""

import asyncio
import contextlib
import json
import os
import shutil
from http import HTTPStatus

import numpy as np
import pytest

from batching import Request, SamplingParams, generate
from batching.loading.models import load_image_text
from configs import Settings
from configs.model_settings import OcrSettings
from configs.reading_profiles import PROFILES
from configs.settings import checkpoint_path
from deployments.ocr import ocr_model
from deployments.ocr.deployment import Ocr
from deployments.ocr.ocr_model import OcrModel
from deployments.values.read_options import ColorUnavailable, PatchesUnavailable, PictureTooLarge, ReadOptions
from documents.errors import PageFailed
from tests.batching.vision_families import picture
from tests.random_models import save_image_text

CROP = picture(3, 60, 90)
TOKENS = 12


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return str(save_image_text("paddleocr_vl", tmp_path_factory.mktemp("models") / "tiny"))


def run(folder, scenario, **settings):
    limits = {"min_word_confidence": 0.0, "max_tokens": TOKENS} | settings
    model = OcrModel(folder, OcrSettings(model=folder, **limits), "cpu")

    async def whole():
        await model.served.check_health()
        try:
            return await scenario(model)
        finally:
            await model.served.engine.close()

    return asyncio.run(whole())


def answer(folder, prompt, image=CROP):
    """What the engine alone says of it."""
    request = Request(images=[image], prompt=prompt, sampling=SamplingParams(max_tokens=TOKENS))
    (completion,) = generate(load_image_text(folder), [request])
    return completion.text.strip()


def test_the_kind_of_a_region_chooses_the_prompt_and_what_does_not_parse_is_kept(folder):
    """Random weights write no table: their words stay, with a warning."""

    async def scenario(model):
        return [await model.reader.read(CROP, ReadOptions(kind=kind)) for kind in ("plain text", "table")]

    text, table = run(folder, scenario)
    assert text.text == answer(folder, "OCR:")
    assert not text.warnings
    assert table.text == answer(folder, "Table Recognition:")
    assert [warning.code for warning in table.warnings] == ["answer_unparsed"]
    assert text.text != table.text


def test_a_page_is_read_as_a_whole(tmp_path):
    """By the engine's own answer, in blocks; of DocTags that random weights do not write, the words stay."""
    folder = str(save_image_text("idefics3", tmp_path / "tiny"))

    async def scenario(model):
        return await model.reader.read_page(CROP), model.about()

    page, about = run(folder, scenario)
    assert (about["profile"], about["unit"]) == ("idefics3", "page")
    assert page.num_tokens == TOKENS
    assert page.reader == "tiny"
    text = answer(folder, "Convert this page to docling.")
    assert "".join("".join(block.text for block in page.blocks).split()) == "".join(text.split())
    assert [warning.code for warning in page.warnings] == ["answer_unparsed"]
    assert run(folder, scenario, min_word_confidence=1.0)[0].is_doubtful


@pytest.mark.parametrize(
    ("name", "profile", "prompt"),
    [
        ("qwen3_5", "markdown", PROFILES["markdown"].prompts["text"]),
        ("minicpm_ocr", "minicpm_ocr", "Text Recognition:"),
        ("lfm2_vl", "markdown", PROFILES["markdown"].prompts["text"]),
    ],
)
def test_a_model_with_recurrent_layers_reads(name, profile, prompt, tmp_path):
    """By what transformers' generate says; several crops at once, each with a state of its own."""
    folder = str(save_image_text(name, tmp_path / "tiny"))
    crops = [picture(seed, 40 + 16 * seed, 90) for seed in range(3)]

    async def scenario(model):
        return await asyncio.gather(*(model.reader.read(crop) for crop in crops)), model.about()

    readings, about = run(folder, scenario)
    assert (about["family"], about["profile"], about["route"]) == (name, profile, "transformers")
    assert about["num_steps"] < len(crops) * TOKENS
    assert [reading.text for reading in readings] == [generated(folder, prompt, crop) for crop in crops]


def generated(folder, prompt, image):
    """What transformers' generate says, of a model and a processor from the same files."""
    import torch
    from transformers import AutoModelForImageTextToText, AutoProcessor

    model = AutoModelForImageTextToText.from_pretrained(folder).eval()
    processor = AutoProcessor.from_pretrained(folder)
    content = [{"type": "image"}, {"type": "text", "text": prompt}]
    text = processor.apply_chat_template([{"role": "user", "content": content}], add_generation_prompt=True)
    inputs = processor(text=[text], images=[image], return_tensors="pt")
    with torch.inference_mode():
        output = model.generate(**inputs, max_new_tokens=TOKENS, do_sample=False, pad_token_id=0)
    return processor.tokenizer.decode(output[0, inputs["input_ids"].shape[1] :], skip_special_tokens=True).strip()


def test_prompts_beside_the_weights_are_those_that_are_asked(folder, tmp_path):
    """Guards against `reading.json` that was loaded by the engine alone: what it left out was refused."""
    copied = tmp_path / "copied"
    shutil.copytree(folder, copied)
    (copied / "reading.json").write_text(json.dumps({"prompts": {"text": "Read this:"}}))

    async def scenario(model):
        return [await model.reader.read(CROP, ReadOptions(kind=kind)) for kind in ("plain text", "table")]

    text, table = run(str(copied), scenario)
    assert text.text == answer(folder, "Read this:")
    assert table.text == answer(folder, "Table Recognition:")
    (copied / "reading.json").write_text(json.dumps({"prompts": {"poem": "Read this:"}}))
    with pytest.raises(ValueError, match="must be of text, table, formula, chart, not poem"):
        run(str(copied), scenario)


def test_a_stream_ends_with_the_reading(folder):
    """As that of any other checkpoint does."""

    async def scenario(model):
        *pieces, last = [piece async for piece in model.reader.stream(CROP)]
        return "".join(pieces).strip(), last, await model.reader.read(CROP)

    streamed, last, whole = run(folder, scenario)
    assert streamed == whole.text
    assert last == whole


def test_a_box_is_cut_out_and_what_the_family_cannot_do_is_refused(folder):
    """Ignored, all of the picture would be read."""

    async def scenario(model):
        part = await model.reader.read(CROP, ReadOptions(box=(10, 5, 80, 50)))
        for options, error in (
            (ReadOptions(color="red"), ColorUnavailable),
            (ReadOptions(crop_to_patches=True), PatchesUnavailable),
        ):
            with pytest.raises(error):
                await model.reader.read(CROP, options)
        return part

    part = run(folder, scenario)
    assert part.text == answer(folder, "OCR:", np.ascontiguousarray(CROP[5:50, 10:80]))
    assert (part.lines[0].box.x0, part.lines[0].box.y1) == (10, 50)


def test_a_picture_that_does_not_fit_is_refused_with_both_numbers(folder):
    """422, once the processor has said how many tokens it is."""

    async def scenario(model):
        with pytest.raises(PictureTooLarge, match=r"has \d+ tokens, the KV pool holds 32") as refusal:
            await model.reader.read(picture(1, 96, 96))
        with pytest.raises(PictureTooLarge):
            _ = [piece async for piece in model.reader.stream(picture(1, 96, 96))]
        return refusal.value

    assert run(folder, scenario, num_blocks=8, block_size=4).status == HTTPStatus.UNPROCESSABLE_ENTITY


@pytest.mark.parametrize(("setting", "expected"), [(3, 3), (None, min(8, len(os.sched_getaffinity(0))))])
def test_pictures_are_encoded_on_as_many_cores_as_the_setting_says(setting, expected):
    """By default on all of a small machine."""
    path = str(checkpoint_path(OcrSettings().model))
    runner = ocr_model._runner(path, OcrSettings(vision_threads=setting), "cpu", None)
    assert runner.inputs.encoder._num_threads == expected


def test_what_runs_is_named(folder):
    """`GET /readyz` shows it."""

    async def scenario(model):
        return model.about()

    about = run(folder, scenario)
    assert {name: about[name] for name in ("model", "family", "profile")} == {
        "model": "tiny",
        "family": "paddleocr_vl",
        "profile": "paddleocr_vl",
    }
    assert about["route"] in ("torch", "native")
    assert run(folder, scenario, profile="markdown")["profile"] == "markdown"


def test_a_kind_of_region_may_have_a_reader_of_its_own(folder):
    """Each in the same replica, with an engine of its own."""
    ocr = Ocr(Settings.model_validate({"ocr": {"readers": {"table": folder}, "max_tokens": TOKENS}}))

    async def whole():
        await ocr.check_health()
        try:
            readings = [(await ocr.read(CROP, kind=kind))[1] for kind in ("table", "plain text", "isolate_formula")]
            return readings, await ocr.about()
        finally:
            for model in ocr._models():
                await model.served.engine.close()
            await ocr._cutter.close()

    readings, about = asyncio.run(whole())
    assert [reading.reader for reading in readings] == ["tiny", "ocr-compact", "ocr-compact"]
    assert about["family"] == "got_ocr2"
    assert about["readers"]["table"]["family"] == "paddleocr_vl"


def test_a_crop_that_cannot_be_read_costs_no_other_of_its_call(folder):
    """Guards against a page that one region fails, and against reads that go on when nobody waits for them any more."""
    ocr = Ocr(Settings.model_validate({"ocr": {"readers": {"table": folder}, "max_tokens": TOKENS}}))
    crops = [CROP, PageFailed("it cannot be drawn"), CROP, CROP]
    options = [ReadOptions(kind="table"), ReadOptions(), ReadOptions(), ReadOptions(color="red")]

    async def whole():
        await ocr.check_health()
        try:
            reads = {read.index: read async for read in ocr.read_crops(crops, options, label="x", cost=4.0)}
            async with contextlib.aclosing(ocr.read_crops(crops, options)) as left:
                first = await anext(left)
            return reads, first, [model.reader.num_open for model in ocr._models()]
        finally:
            for model in ocr._models():
                await model.served.engine.close()
            await ocr._cutter.close()

    reads, first, num_open = asyncio.run(whole())
    assert [reads[index].size for index in range(4)] == [(90, 60), (0, 0), (90, 60), (90, 60)]
    assert [getattr(reads[index].result, "reader", None) for index in range(4)] == ["tiny", None, "ocr-compact", None]
    assert reads[1].result is crops[1]
    assert isinstance(reads[3].result, ColorUnavailable)
    assert first.index in (1, 3), "what is known is told at once"
    assert num_open == [0, 0]


def test_beside_a_model_of_regions_lines_are_read_that_prove_its_digits(folder):
    """A reader of one kind shares the reader of lines that the server has anyway."""
    for settings, names in (
        ({"model": folder, "min_word_confidence": 0.0}, ["ocr-compact", "tiny"]),
        ({"readers": {"table": folder}}, ["ocr-compact", "tiny"]),
    ):
        ocr = Ocr(Settings.model_validate({"ocr": settings | {"max_tokens": TOKENS}}))
        assert [model.name for model in ocr._models()] == names
        asyncio.run(ocr._cutter.close())
