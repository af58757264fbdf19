"""How each family of image-text models (GOT, Docling, olmOCR ...) is prompted for OCR and in which format it answers.

The prompts are those that the families were trained with, as their model cards give them; no weights were available, so
that only the mechanics are tested. Another prompt: `reading.json` beside the weights, see docs/models.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

AnswerForm = Literal["plain", "markdown", "html", "otsl", "latex", "doctags", "chart"]
"""How a task is answered; see `documents/tables/written/model_answers.py`."""

Task = Literal["text", "table", "formula", "chart"]
"""What a crop holds, by the kind of its region."""

TASKS_BY_KIND: Mapping[str, Task] = {"table": "table", "isolate_formula": "formula", "chart": "chart"}
"""By kind of region, or `chart` for the table of a figure; any other is text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingProfile:
    """A task without a prompt of its own is read as text."""

    prompts: Mapping[Task, str]
    answers: Mapping[Task, AnswerForm] = field(default_factory=dict[Task, AnswerForm])  # others are plain text
    unit: Literal["region", "page"] = "region"  # what is read at once of a document; a page's answer is parted after
    long_side: int | None = None  # pixels of a page's picture; None: as `ocr.dpi` says
    max_tokens: int = 4096

    def task_of(self, kind: str | None) -> Task:
        """What a region of this kind is read as."""
        task = TASKS_BY_KIND.get(kind or "", "text")
        return task if task in self.prompts else "text"

    def answer_of(self, task: Task) -> AnswerForm:
        """The form in which a task is answered."""
        return self.answers.get(task, "plain")


MARKDOWN_PROFILE = ReadingProfile(
    prompts={"text": "Write down all text in the picture as Markdown, and nothing else."},
    answers={"text": "markdown"},
)
"""For general models without a prompt of their own."""

DOCLING_PROFILE = ReadingProfile(
    prompts={
        "text": "Convert this page to docling.",
        "table": "Convert this table to OTSL.",
        "formula": "Convert this formula to LaTeX.",
        "chart": "Convert chart to OTSL.",
    },
    answers={"text": "doctags", "table": "doctags", "formula": "doctags", "chart": "doctags"},
    unit="page",
    long_side=2048,
)

PICTURE_PROFILE = ReadingProfile(prompts={"text": ""}, answers={"text": "markdown"}, unit="page", long_side=1540)
"""LightOnOCR's: the picture alone is the prompt."""

OLMOCR_PROMPT = (
    "Attached is one page of a document that you must process. Just return the plain text representation of this "
    "document as if you were reading it naturally. Convert equations to LateX and tables to HTML.\n"
    "If there are any figures or charts, label them with the following markdown syntax "
    "![Alt text describing the contents of the figure](page_startx_starty_width_height.png)\n"
    "Return your output as markdown, with a front matter section on top specifying values for the primary_language, "
    "is_rotation_valid, rotation_correction, is_table, and is_diagram parameters."
)

PROFILES: Mapping[str, ReadingProfile] = {
    "paddleocr_vl": ReadingProfile(
        prompts={
            "text": "OCR:",
            "table": "Table Recognition:",
            "formula": "Formula Recognition:",
            "chart": "Chart Recognition:",
        },
        answers={"table": "otsl", "formula": "latex", "chart": "chart"},
    ),
    "minicpm_ocr": ReadingProfile(
        prompts={"text": "Text Recognition:", "table": "Table Recognition:", "formula": "Formula Recognition:"},
        answers={"table": "html", "formula": "latex"},
    ),
    "glm_ocr": ReadingProfile(
        prompts={"text": "Text Recognition:", "table": "Table Recognition:", "formula": "Formula Recognition:"},
        answers={"text": "markdown", "table": "html", "formula": "latex"},
    ),
    "mineru": ReadingProfile(
        prompts={
            "text": "\nText Recognition:",
            "table": "\nTable Recognition:",
            "formula": "\nFormula Recognition:",
        },
        answers={"table": "otsl", "formula": "latex"},
    ),
    "lighton_ocr": PICTURE_PROFILE,
    "lighton_ocr_3": replace(PICTURE_PROFILE, long_side=2048),
    "docling": DOCLING_PROFILE,
    "idefics3": DOCLING_PROFILE,
    "smolvlm": DOCLING_PROFILE,
    "pp_chart2table": ReadingProfile(prompts={"text": "Chart to table"}, answers={"text": "chart"}),
    "markdown": MARKDOWN_PROFILE,
    "markdown_page": replace(MARKDOWN_PROFILE, unit="page"),
    "olmocr": ReadingProfile(
        prompts={"text": OLMOCR_PROMPT}, answers={"text": "markdown"}, unit="page", long_side=1288
    ),
}
"""By model type, or by a name that `ocr.profile` may give; any other family reads by MARKDOWN_PROFILE."""


def profile_of(family: str, name: str | None = None) -> tuple[str, ReadingProfile]:
    """The profile that is named, else that of the family, with its name.

    Raises:
        ValueError: no profile has that name.
    """
    if name is not None:
        if name not in PROFILES:
            raise ValueError(f"ocr.profile must be one of {', '.join(sorted(PROFILES))}, not {name!r}")
        return name, PROFILES[name]
    return (family, PROFILES[family]) if family in PROFILES else ("markdown", MARKDOWN_PROFILE)
