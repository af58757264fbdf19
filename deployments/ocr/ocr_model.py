"""Loads one OCR checkpoint (`ocr.model`, `ocr.readers`) with its engine, reading profile and second reader."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

from batching import RepetitionLimit, RequestStats, StepStats
from batching.inputs.reading_config import FILE_NAME, ReadingConfig
from configs.model_settings import OcrSettings
from configs.reading_profiles import ReadingProfile, Task, profile_of
from configs.settings import checkpoint_path
from deployments.ocr.digit_looks import LineReader
from deployments.ocr.line_cutter import Cut, cut_here
from deployments.ocr.region_reader import RegionReader
from deployments.replicas.served_engine import ServedEngine
from documents.ocr_input.tesseract import Tesseract
from documents.ocr_input.word_confidence import Calibration

if TYPE_CHECKING:
    from batching.inputs.image_inputs import ImageInputs
    from batching.model_runner import ModelRunner

GOT_MODEL_TYPES = ("got_ocr2", "GOT")  # the second is that of the original checkpoint
MAX_VISION_THREADS = 8
LOOP_LIMIT = RepetitionLimit(longest=64, times=10, least=320)
"""Of image-text models, which run away in tables: a region may repeat itself, but not so often."""


class OcrModel:
    """Loaded in the replica that makes it; its engine starts with the first call."""

    def __init__(
        self,
        model: str,
        settings: OcrSettings,
        device: str,
        *,
        cut: Cut = cut_here,
        kind: str = "engine",
        on_step: Callable[[StepStats], None] = lambda _: None,
        on_finish: Callable[[RequestStats], None] = lambda _: None,
        line_reader: LineReader | None = None,
    ) -> None:
        """`model`: folder or hub id; `kind` names its metrics; `line_reader` is as RegionReader takes it."""
        from batching.loading.models import model_type_of  # here: whoever builds the graph need not load torch

        path = checkpoint_path(model)
        self.name = model.rstrip("/").rsplit("/", 1)[-1]
        self.family = model_type_of(path)
        self.profile_name, profile = (
            ("got", None) if self.family in GOT_MODEL_TYPES else profile_of(self.family, settings.profile)
        )
        if profile is not None:
            profile = profile_in_folder(profile, Path(path))
        self._profile = profile
        runner = _runner(path, settings, device, profile)
        self.route = runner.route
        self.served = ServedEngine(
            runner, settings, kind, vision_budget_mb=settings.vision_budget_mb, on_step=on_step, on_finish=on_finish
        )
        self.reader = RegionReader(
            self.served.engine,
            runner.inputs.reading,
            self.name,
            max_tokens=settings.max_tokens,
            window=2 * settings.max_running,
            calibration=Calibration.of_folder(path, threshold=settings.min_word_confidence),
            repetition=repetition_limit(runner.inputs.tokenizer) if profile is None else LOOP_LIMIT,
            second=Tesseract.installed() if settings.second_reader == "tesseract" else None,
            doubtful=settings.warning_confidence,
            profile=profile,
            cut=cut,
            line_reader=line_reader,
            prove_digits=settings.prove_digits,
        )

    def about(self) -> dict[str, Any]:
        """What it is, how it runs, and what its engine did so far."""
        return {
            "model": self.name,
            "family": self.family,
            "profile": self.profile_name,
            "unit": "region" if self._profile is None else self._profile.unit,
            "page_long_side": None if self._profile is None else self._profile.long_side,
            "route": self.route,
            **self.served.about(),
        }


def reads_lines(model: str) -> bool:
    """Whether a checkpoint reads printed lines one by one, as `reading.json` beside its weights says."""
    folder = Path(checkpoint_path(model))
    return (folder / FILE_NAME).is_file() and ReadingConfig.of_folder(folder).unit == "strip"


def profile_in_folder(profile: ReadingProfile, folder: Path) -> ReadingProfile:
    """The profile with the prompts and the limit of `reading.json` beside the weights, where it has any.

    Raises:
        ValueError: a prompt is of no task.
    """
    if not (folder / FILE_NAME).is_file():
        return profile
    reading = ReadingConfig.of_folder(folder)
    unknown = reading.prompts.keys() - set(get_args(Task))
    if unknown:
        tasks = ", ".join(get_args(Task))
        raise ValueError(f"prompts in {folder / FILE_NAME} must be of {tasks}, not {', '.join(sorted(unknown))}")
    prompts = {task: prompt for task, prompt in reading.prompts.items() if task in reading.modes}
    return dataclasses.replace(
        profile,
        prompts={**profile.prompts, **cast("dict[Task, str]", prompts)},
        max_tokens=min(profile.max_tokens, reading.max_tokens),
    )


def _runner(path: str, settings: OcrSettings, device: str, profile: ReadingProfile | None) -> ModelRunner[ImageInputs]:
    from batching.loading.models import load_got_ocr2, load_image_text
    from deployments.replicas.device import choose_dtype, give_back_freed_memory

    options: dict[str, Any] = {
        "device": device,
        "dtype": choose_dtype(settings.precision),
        "route": settings.route_on(device),
        "quantisation": settings.quantisation,
        "kv_dtype": settings.kv_dtype,
    }
    if profile is None:
        runner = load_got_ocr2(
            path,
            vision_threads=settings.vision_threads or min(MAX_VISION_THREADS, len(os.sched_getaffinity(0))),
            **options,
        )
    else:
        reading = ReadingConfig.of_prompts(
            {str(task): text for task, text in profile.prompts.items()}, max_tokens=profile.max_tokens
        )
        runner = load_image_text(path, reading=reading, **options)
    give_back_freed_memory()
    return runner


def repetition_limit(tokenizer: Any) -> RepetitionLimit:
    """When a line's reader has run away: rows of dots, dashes and equal figures are printed so, words are not."""
    wordless = (token_id for token_id in range(len(tokenizer)) if not _has_letter(tokenizer, token_id))
    return RepetitionLimit(ignored_token_ids=frozenset(wordless))


def _has_letter(tokenizer: Any, token_id: int) -> bool:
    return any(sign.isalpha() for sign in tokenizer.decode([token_id], skip_special_tokens=True))
