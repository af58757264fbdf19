"""Every change that rules are tried with: each rule left out, and each number of its thresholds moved down and up."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from documents.document.document_rule import DocumentRule
from documents.document.furniture import FURNITURE
from documents.draft.page_draft import PageDraft
from documents.draft.rule import Rule
from documents.page.rules import RULES, Stage

SHARE = 0.2  # by which a number is moved; a whole number by one at least
ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("document", "draft", "figures", "order", "page", "readings", "regions", "segments", "tables", "tags", "text")

Rules = Mapping[Stage, Sequence[Rule]]
Direction = Literal["lower", "higher"]


@dataclass(frozen=True, slots=True)
class Variant:
    """A rule left out, or with other thresholds: `number` is the path of the one that moved."""

    rule: str
    number: str = ""
    direction: Direction | None = None
    thresholds: Any = None  # None: left out


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The rules of pages, and the one of whole documents that has numbers."""

    pages: Rules = dataclasses.field(default_factory=lambda: RULES)
    furniture: DocumentRule | None = FURNITURE

    def __iter__(self) -> Iterator[Rule | DocumentRule]:
        yield from (rule for stage in self.pages.values() for rule in stage)
        if self.furniture is not None:
            yield self.furniture

    def step_of(self, variant: Variant) -> Callable[[PageDraft, Any], PageDraft]:
        """What the changed rule of pages does."""
        return next(rule.step for stage in self.pages.values() for rule in stage if rule.name == variant.rule)

    def with_variant(self, variant: Variant) -> RuleSet:
        """The same rules but one, which has other thresholds or is left out."""
        pages: Rules = {
            stage: [
                rule if rule.name != variant.rule else dataclasses.replace(rule, thresholds=variant.thresholds)
                for rule in rules
                if rule.name != variant.rule or variant.thresholds is not None
            ]
            for stage, rules in self.pages.items()
        }
        furniture = self.furniture
        if furniture is not None and furniture.name == variant.rule:
            is_left_out = variant.thresholds is None
            furniture = None if is_left_out else dataclasses.replace(furniture, thresholds=variant.thresholds)
        return RuleSet(pages, furniture)


def variants(rules: RuleSet) -> Iterator[Variant]:
    """Each rule left out, then each of its numbers lower and higher."""
    for rule in rules:
        yield Variant(rule.name)
        for path, value in numbers(rule.thresholds):
            for direction in ("lower", "higher"):
                thresholds = with_number(rule.thresholds, path, moved(value, direction))
                yield Variant(rule.name, path, direction, thresholds)


def numbers(thresholds: Any, prefix: str = "") -> Iterator[tuple[str, float]]:
    """The path and value of each number in a dataclass or named tuple of thresholds, and in those within it."""
    for name in _field_names(thresholds):
        value = getattr(thresholds, name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield prefix + name, value
        else:
            yield from numbers(value, f"{prefix}{name}.")


def moved(value: float, direction: Direction) -> float:
    """A number by `SHARE` lower or higher; a whole number stays one, and moves."""
    factor = 1 - SHARE if direction == "lower" else 1 + SHARE
    if not isinstance(value, int):
        return value * factor
    return min(value - 1, round(value * factor)) if direction == "lower" else max(value + 1, round(value * factor))


def with_number(thresholds: Any, path: str, value: float) -> Any:
    """The thresholds with one number changed."""
    name, _, rest = path.partition(".")
    changed = with_number(getattr(thresholds, name), rest, value) if rest else value
    if hasattr(thresholds, "_replace"):
        return thresholds._replace(**{name: changed})
    return dataclasses.replace(thresholds, **{name: changed})


def _field_names(thresholds: Any) -> Sequence[str]:
    if dataclasses.is_dataclass(thresholds):
        return [field.name for field in dataclasses.fields(thresholds)]
    return getattr(thresholds, "_fields", ())


def fingerprint_of_values(rules: RuleSet) -> str:
    """A hash of the names of all rules, in their order, with the names and values of their numbers."""
    content = [(rule.name, list(numbers(rule.thresholds))) for rule in rules]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]


def fingerprint_of_source() -> str:
    """A hash of the source of `ROOMS`, in which rules and most of what they call stand."""
    whole = hashlib.sha256()
    for path in sorted(path for room in ROOMS for path in (ROOT / "documents" / room).rglob("*.py")):
        whole.update(path.relative_to(ROOT).as_posix().encode())
        whole.update(path.read_bytes())
    return whole.hexdigest()[:16]
