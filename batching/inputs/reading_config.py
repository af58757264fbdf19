"""ReadingConfig: `reading.json` of an OCR checkpoint: prompt, modes, and whether it reads regions or line strips."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

FILE_NAME = "reading.json"  # lies beside the weights
GOT_PROMPT = (
    "<|im_start|>system\nYou should follow the instructions carefully and explain your answers in detail.<|im_end|>"
    "<|im_start|>user\n<img>{image}</img>\n{query}<|im_end|><|im_start|>assistant\n"
)
"""GOT-OCR2's own, as transformers' GotOcr2Processor writes it."""

QUERIES = {"plain": "", "format": " with format"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingConfig:
    """What `reading.json` beside the weights says; without that file, how the published GOT-OCR2 reads.

    Raises:
        ValueError: names the field that is wrong.
    """

    unit: Literal["region", "strip"] = "region"  # what one image holds: a whole region, or one folded line
    prompt: str = GOT_PROMPT  # {image} stands for the image tokens, {query} for what the mode asks
    prompts: Mapping[str, str] = field(default_factory=dict[str, str])  # by mode, of any model but GOT-OCR2
    modes: tuple[str, ...] = ("plain", "format")
    stop: str = "<|im_end|>"  # the token that ends an answer
    max_tokens: int = 4096
    omits_blank: bool = False  # picture tokens below the last ink are left out; what follows keeps its positions

    def __post_init__(self) -> None:
        if self.unit not in ("region", "strip"):
            raise ValueError(f"unit must be region or strip, not {self.unit!r}")
        if self.prompt.count("{image}") != 1:
            raise ValueError("prompt must hold {image} exactly once")
        available = self.prompts or QUERIES
        if not self.modes or not set(self.modes) <= available.keys():
            raise ValueError(f"modes must be some of {sorted(available)}, not {self.modes!r}")
        if any(not isinstance(prompt, str) for prompt in self.prompts.values()):  # pyright: ignore[reportUnnecessaryIsInstance]  # of JSON
            raise ValueError("prompts must map each mode to a text")
        if self.max_tokens < 1:
            raise ValueError(f"max_tokens must be at least 1, not {self.max_tokens!r}")

    @classmethod
    def of_folder(cls, folder: Path) -> ReadingConfig:
        """The settings of a checkpoint folder; keys that concern others are left alone.

        Raises:
            ValueError: `reading.json` is no JSON object, or a field of it is wrong.
        """
        file = folder / FILE_NAME
        if not file.is_file():
            return cls()
        content: dict[str, Any] = json.loads(file.read_text("utf-8"))
        settings = {field.name: content[field.name] for field in fields(cls) if field.name in content}
        settings["modes"] = tuple(settings.get("modes", settings.get("prompts", QUERIES)))
        return cls(**settings)

    @classmethod
    def of_prompts(cls, prompts: Mapping[str, str], *, max_tokens: int = 4096) -> ReadingConfig:
        """Of an image-text model that has a prompt per mode, which follows the picture."""
        return cls(prompts=dict(prompts), modes=tuple(prompts), max_tokens=max_tokens)

    def query(
        self,
        mode: str,
        *,
        box: tuple[int, int, int, int] | None = None,
        color: str | None = None,
        crops: bool = False,
    ) -> str:
        """What one reading asks, as transformers' GotOcr2Processor writes it; `box` in thousandths of the picture."""
        region = "" if box is None else str(list(box))
        frame = "" if color is None else f"[{color}] "
        return f"{frame}{region} OCR{QUERIES[mode]}{' upon the patch reference' if crops else ''}: "

    def text(self, query: str, image_tokens: str) -> str:
        """The whole prompt for one image."""
        return self.prompt.replace("{query}", query).replace("{image}", image_tokens)
