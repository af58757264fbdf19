"""The two networks that say what is on a page, as a server has them by its settings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from configs.settings import Settings, checkpoint_path
from documents.layout.detector import Detector
from documents.layout.structure_reader import StructureReader


@dataclass(frozen=True, slots=True)
class PageNetworks:
    """`detector` finds regions in a page's picture, `reader` blocks in its printed lines."""

    detector: Detector
    reader: StructureReader

    @classmethod
    def of(cls, settings: Settings) -> PageNetworks:
        """Those of the settings' checkpoints."""
        return cls(Detector(checkpoint_path(settings.layout.model)), structure_reader(settings))


def structure_reader(settings: Settings) -> StructureReader:
    """The reader of the settings' checkpoint."""
    return StructureReader(Path(checkpoint_path(settings.layout.structure_model)))
