"""Loads the right detector for a layout checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from documents.layout.batch_runner import RunnerConfig
from documents.layout.checkpoint import layout_folder
from documents.layout.errors import LayoutCheckpointError
from documents.layout.objects.object_network import load_object_network, model_type
from documents.layout.region_detector import RegionDetector, Thresholds


def load_detector(
    path_or_id: str | Path,
    *,
    runner: RunnerConfig | None = None,
    max_batch_size: int = 8,
    thresholds: Thresholds | None = None,
    class_confidence: Mapping[str, float] | None = None,
    classes: Mapping[str, str] | None = None,
    converted_dir: Path | None = None,
) -> RegionDetector[Any]:
    """DocLayout-YOLO, or an object detector of transformers; each imports only what it needs.

    `classes` is as `ObjectDetector` takes it, `converted_dir` as `layout_folder` does.

    Raises:
        LayoutCheckpointError: the checkpoint cannot be had, loaded or run, or a setting does not fit it.
    """
    folder = layout_folder(path_or_id, converted_dir=converted_dir)
    if model_type(folder) is not None:
        from documents.layout.objects.object_detector import ObjectDetector

        return ObjectDetector(
            Path(path_or_id).name,
            load_object_network(folder),
            runner=runner,
            max_batch_size=max_batch_size,
            thresholds=thresholds,
            class_confidence=class_confidence,
            classes=classes,
        )
    if classes:
        raise LayoutCheckpointError("layout.classes is for models of transformers: DocLayout-YOLO's classes are kinds")
    from documents.layout.doclayout.detector import Detector

    return Detector(
        folder,
        name=Path(path_or_id).name,
        runner=runner,
        max_batch_size=max_batch_size,
        thresholds=thresholds,
        class_confidence=class_confidence,
    )
