"""ReadingProfile: how a family of image-text models reads a crop: what it is asked, and how it answers.

The prompts are those that the families were trained with, as their model cards give them; no weights were at hand, so
that only the mechanics are tested. Another prompt: `reading.json` beside the weights, see docs/models.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

AnswerForm = Literal["plain", "markdown", "html", "otsl", "latex", "doctags"]
"""How a task is answered; see `documents/tables/answers.py`."""

Task = Literal["text", "table", "formula", "chart"]
"""What a crop holds, by the kind of its region."""

TASKS: Mapping[str, Task] = {"table": "table", "isolate_formula": "formula", "figure": "chart"}
"""By kind of region; any other is text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingProfile:
    """A task without a prompt of its own is read as text."""

    prompts: Mapping[Task, str]
    answers: Mapping[Task, AnswerForm] = field(default_factory=dict[Task, AnswerForm])  # others are plain text
    whole_pages: bool = False  # it was trained on pages: crops of them are less than it is used to
    max_tokens: int = 4096

    def task_of(self, kind: str | None) -> Task:
        """What a region of this kind is read as."""
        task = TASKS.get(kind or "", "text")
        return task if task in self.prompts else "text"

    def answer_of(self, task: Task) -> AnswerForm:
        """The form in which a task is answered."""
        return self.answers.get(task, "plain")


MARKDOWN = ReadingProfile(
    prompts={"text": "Write down all text in the picture as Markdown, and nothing else."},
    answers={"text": "markdown"},
    whole_pages=True,
)
"""For general models without a prompt of their own."""

DOCLING = ReadingProfile(
    prompts={
        "text": "Convert this page to docling.",
        "table": "Convert this table to OTSL.",
        "formula": "Convert this formula to LaTeX.",
        "chart": "Convert chart to OTSL.",
    },
    answers={"text": "doctags", "table": "doctags", "formula": "doctags", "chart": "doctags"},
    whole_pages=True,
)

PROFILES: Mapping[str, ReadingProfile] = {
    "paddleocr_vl": ReadingProfile(
        prompts={
            "text": "OCR:",
            "table": "Table Recognition:",
            "formula": "Formula Recognition:",
            "chart": "Chart Recognition:",
        },
        answers={"table": "otsl", "formula": "latex", "chart": "markdown"},
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
    "lighton_ocr": ReadingProfile(prompts={"text": ""}, answers={"text": "markdown"}, whole_pages=True),
    "docling": DOCLING,
    "idefics3": DOCLING,
    "smolvlm": DOCLING,
    "pp_chart2table": ReadingProfile(prompts={"text": "Chart to table"}, answers={"text": "markdown"}),
    "markdown": MARKDOWN,
}
"""By model type, or by a name that `ocr.profile` may give; any other family reads by MARKDOWN."""


def profile_of(family: str, name: str | None = None) -> tuple[str, ReadingProfile]:
    """The profile that is named, else that of the family, with its name.

    Raises:
        ValueError: no profile has that name.
    """
    if name is not None:
        if name not in PROFILES:
            raise ValueError(f"ocr.profile must be one of {', '.join(sorted(PROFILES))}, not {name!r}")
        return name, PROFILES[name]
    return (family, PROFILES[family]) if family in PROFILES else ("markdown", MARKDOWN)
