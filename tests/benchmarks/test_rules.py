"""What a rule or a number gains is what is lost when it is changed, on documents that are made here."""

from __future__ import annotations

import dataclasses
import hashlib
from dataclasses import dataclass, field

import numpy as np
import pytest

from benchmarks.harness.rule_replay import PageFacts, Replay
from benchmarks.harness.rule_trials import result_of
from benchmarks.harness.rule_variants import RuleSet, moved, numbers, variants, with_number
from benchmarks.rules import HALVES, gains_nothing, moves_nothing, only_harms, rows_of
from benchmarks.truths.drawn_scores import drawn_counts
from benchmarks.truths.drawn_truth import TrueLine, TruePage
from benchmarks.truths.rules import development
from documents.boxes import BoundingBox
from documents.draft.rule import Rule
from documents.inspection import InkGrid, Inspection, TextLine
from documents.page.rules import RULES
from documents.segments.blocks import SegmentBlock
from documents.values import Detection, Opened

HEADING, TEXT = "The harbour", "It was closed until spring."


def printed(text, y, size):
    place = BoundingBox(x0=60, y0=y, x1=60 + 0.5 * size * len(text), y1=y + size)
    return TextLine(text=text, box=place, font_size=size, fonts=("Font",))


LINES = (printed(HEADING, 60, 18), printed(TEXT, 120, 10))
TRUTH = TruePage(
    number=1,
    lines=(
        TrueLine(text=HEADING, box=LINES[0].box, role="heading", block=1, rank=0.0),
        TrueLine(text=TEXT, box=LINES[1].box, role="text", block=2, rank=1.0),
    ),
)


def facts():
    cells = np.zeros((99, 77), dtype=bool)
    for line in LINES:
        cells[int(line.box.y0 // 8) : int(line.box.y1 // 8) + 1, int(line.box.x0 // 8) : int(line.box.x1 // 8) + 1] = (
            True
        )
    inspection = Inspection(number=1, width=612, height=792, lines=LINES, ink=InkGrid.of(cells, 8))
    result = (
        Detection(kind="title", box=BoundingBox(x0=55, y0=55, x1=300, y1=82), score=0.9),
        Detection(kind="plain text", box=BoundingBox(x0=55, y0=115, x1=300, y1=135), score=0.9),
    )
    blocks = tuple(SegmentBlock(segments=(k,), role=role, score=0.9) for k, role in enumerate(("heading", "text")))
    return PageFacts(inspection, result, (0.0, 0.0), blocks)


def with_kinds(page, old, new):
    drafts = tuple(d.model_copy(update={"kind": new}) if d.kind == old else d for d in page.drafts)
    return dataclasses.replace(page, drafts=drafts)


DESTROYS = Rule(name="destroys", purpose="-", step=lambda page, _: with_kinds(page, "title", "plain text"))
REPAIRS = Rule(name="repairs", purpose="-", step=lambda page, _: with_kinds(page, "plain text", "title"))
RESTS = Rule(name="rests", purpose="-", step=lambda page, _: page)


@dataclass(frozen=True)
class Sizes:
    """A threshold within others."""

    min_size: float = 9.0


@dataclass(frozen=True)
class Limits:
    """A number that decides nothing, and one that does."""

    unread: int = 3
    sizes: Sizes = field(default_factory=Sizes)
    name: str = "no number"


def small_is_no_title(page, limits):
    """Lines of ten points are headings as soon as the least size of text is more."""
    large = any(line.font_size < limits.sizes.min_size for draft in page.drafts for line in draft.lines)
    return with_kinds(page, "plain text", "title") if large else page


SIZED = Rule(name="sized", purpose="-", step=small_is_no_title, thresholds=Limits())


def rules_with(*rules):
    return RuleSet({**RULES, "drafts": rules})


def rows_with(*rules):
    rule_set = rules_with(*rules)
    results = [
        result_of(
            Replay.of(part, Opened(num_pages=1), [facts()], rule_set),
            part,
            lambda document: drawn_counts(document, [TRUTH]),
        )
        for part in (*HALVES, "corpus")
    ]
    return {(row["rule"], row.get("number", "")): row for row in rows_of(results, rule_set)}


def test_a_rule_that_destroys_headings_is_shown_to_do_harm():
    """Guards against a table whose sign is the other way round, or that switches nothing off."""
    row = rows_with(RESTS, DESTROYS)["destroys", ""]
    assert row["without"]["pages"] == {"even": 1, "odd": 1, "corpus": 1}
    assert row["without"]["scores"]["heads_even"] == row["without"]["scores"]["heads_odd"] == 1
    assert gains_nothing(row)
    assert only_harms(row)


def test_a_rule_that_makes_too_much_a_heading_costs_what_is_wrong_alone():
    row = rows_with(REPAIRS)["repairs", ""]
    assert row["without"]["scores"]["heads_odd"] == pytest.approx(1 / 3, abs=1e-5)


def test_a_rule_that_does_nothing_gains_nothing_and_is_not_scored():
    rule_set = rules_with(RESTS)
    replay = Replay.of("a", Opened(num_pages=1), [facts()], rule_set)
    variant = next(variant for variant in variants(rule_set) if variant.rule == "rests")
    assert replay.with_variant(variant) == (None, 0)
    row = rows_with(RESTS)["rests", ""]
    assert gains_nothing(row)
    assert moves_nothing(row)
    assert not only_harms(row)


def test_a_rule_that_only_another_one_needs_is_seen_to_be_needed():
    """Guards against replaying no page that a rule left alone by itself, where one below it acts on what it did."""
    undone = Rule(name="undone", purpose="-", step=lambda page, _: with_kinds(page, "plain text", "title"))
    rows = rows_with(DESTROYS, undone)
    assert rows["undone", ""]["without"]["scores"]["heads_even"] == pytest.approx(-2 / 3, abs=1e-5)
    assert not gains_nothing(rows["undone", ""])
    assert "heads_even" not in rows["destroys", ""]["without"]["scores"]


def test_a_number_within_thresholds_is_moved_both_ways_and_what_it_moves_is_scored():
    """Guards against numbers of nested thresholds that are never on trial."""
    rows = rows_with(SIZED)
    row = rows["sized", "sizes.min_size"]
    assert (row["lower"]["value"], row["higher"]["value"]) == pytest.approx((7.2, 10.8))
    assert row["lower"]["pages"] == {}
    assert row["higher"]["scores"]["heads_even"] == pytest.approx(-1 / 3, abs=1e-5)
    assert not moves_nothing(row)
    assert moves_nothing(rows["sized", "unread"])
    assert not gains_nothing(row)  # a number is none that may be left out


@pytest.mark.parametrize(
    ("value", "lower", "higher"), [(3, 2, 4), (1, 0, 2), (40, 32, 48), (0.5, 0.4, 0.6), (-0.5, -0.4, -0.6)]
)
def test_numbers_move_by_a_fifth_and_whole_ones_by_one_at_least(value, lower, higher):
    assert (moved(value, "lower"), moved(value, "higher")) == pytest.approx((lower, higher))
    assert type(moved(value, "lower")) is type(value)


def test_every_number_of_thresholds_can_be_changed_alone():
    for rule in RuleSet():
        for path, value in numbers(rule.thresholds):
            changed = dict(numbers(with_number(rule.thresholds, path, moved(value, "higher"))))
            assert changed.pop(path) == moved(value, "higher")
            assert changed == {name: other for name, other in numbers(rule.thresholds) if name != path}


def test_documents_of_the_public_corpus_judge_no_rule(tmp_path):
    """Guards against a set that holds what rules were tuned on; of two documents that are alike one is enough."""
    known_values, new, again = b"%PDF known", b"%PDF new", b"%PDF again"
    for name, content, text in (("a", known_values, "one two"), ("b", new, "three four"), ("c", again, "three four")):
        (tmp_path / f"{name}.pdf").write_bytes(content)
        (tmp_path / f"{name}.pdf.md").write_text(text, encoding="utf-8")
    (tmp_path / "manifest.csv").write_text(f"file,sha256\na.pdf,{hashlib.sha256(known_values).hexdigest()}\n")
    assert [material.path.name for material in development([tmp_path], tmp_path)] == ["b.pdf"]
