"""What a rule gains is what is lost when it is switched off, on documents that are made here."""

from __future__ import annotations

import dataclasses
import hashlib
import re

import numpy as np
import pytest

from benchmarks.harness.rule_replay import PageFacts, Replay
from benchmarks.rules import HALVES, Judged, compared, gains_nothing, only_harms
from benchmarks.truths.rules import Truth, development
from documents.boxes import BoundingBox
from documents.draft.rule import Rule
from documents.inspection import InkGrid, Inspection, TextLine
from documents.page.rules import RULES
from documents.segments.blocks import SegmentBlock
from documents.values import Detection, Opened

TRUTH = Truth(pages=frozenset(), markdown="# The harbour\n\nIt was closed until spring.\n", scores=frozenset({"heads"}))
HEADING = re.compile(r"^#+ (.+)$", re.M)


def printed(text, y, size):
    place = BoundingBox(x0=60, y0=y, x1=60 + 0.5 * size * len(text), y1=y + size)
    return TextLine(text=text, box=place, font_size=size, fonts=("Font",))


def facts():
    lines = (printed("The harbour", 60, 18), printed("It was closed until spring.", 120, 10))
    cells = np.zeros((99, 77), dtype=bool)
    for line in lines:
        cells[int(line.box.y0 // 8) : int(line.box.y1 // 8) + 1, int(line.box.x0 // 8) : int(line.box.x1 // 8) + 1] = (
            True
        )
    inspection = Inspection(number=1, width=612, height=792, lines=lines, ink=InkGrid.of(cells, 8))
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


def head_score(truth, result):
    expected, actual = HEADING.findall(truth), HEADING.findall(result)
    return {"heads": 2 * len(set(expected) & set(actual)) / (len(expected) + len(actual))}


def rows_of(*rules):
    tuples = {**RULES, "drafts": rules}
    documents = [
        Judged(Replay.of(half, Opened(num_pages=1), [facts()], tuples), (TRUTH,), half) for half in (*HALVES, "corpus")
    ]
    means, rows = compared(documents, tuples, head_score)
    return means, {row["rule"]: row for row in rows}


def test_a_rule_that_destroys_headings_is_shown_to_do_harm():
    """Guards against a table whose sign is the other way round, or that switches nothing off."""
    means, rows = rows_of(RESTS, DESTROYS)
    assert means["even"]["heads"] == 0
    assert rows["destroys"]["heads_even"] == rows["destroys"]["heads_odd"] == 1
    assert rows["destroys"]["pages_even"] == 1
    assert gains_nothing(rows["destroys"])
    assert only_harms(rows["destroys"])


def test_a_rule_that_makes_too_much_a_heading_costs_what_is_wrong_alone():
    means, rows = rows_of(REPAIRS)
    assert means["odd"]["heads"] == pytest.approx(2 / 3)
    assert rows["repairs"]["heads_odd"] == pytest.approx(1 / 3, abs=1e-5)


def test_a_rule_that_does_nothing_gains_nothing_and_changes_no_page():
    _, rows = rows_of(RESTS)
    assert gains_nothing(rows["rests"])
    assert not only_harms(rows["rests"])
    assert [rows["rests"][f"pages_{part}"] for part in (*HALVES, "corpus")] == [0, 0, 0]


def test_a_rule_that_only_another_one_needs_is_seen_to_be_needed():
    """Guards against replaying no page that a rule left alone by itself, where one below it acts on what it did."""
    undone = Rule(name="undone", purpose="-", step=lambda page, _: with_kinds(page, "plain text", "title"))
    means, rows = rows_of(DESTROYS, undone)
    assert means["even"]["heads"] == pytest.approx(2 / 3)
    assert rows["undone"]["heads_even"] == pytest.approx(-2 / 3, abs=1e-5)
    assert not gains_nothing(rows["undone"])
    assert rows["destroys"]["heads_even"] == 0


def test_documents_of_the_public_corpus_judge_no_rule(tmp_path):
    """Guards against a set that holds what rules were tuned on; of two documents that are alike one is enough."""
    known_values, new, again = b"%PDF known", b"%PDF new", b"%PDF again"
    for name, content, text in (("a", known_values, "one two"), ("b", new, "three four"), ("c", again, "three four")):
        (tmp_path / f"{name}.pdf").write_bytes(content)
        (tmp_path / f"{name}.pdf.md").write_text(text, encoding="utf-8")
    (tmp_path / "manifest.csv").write_text(f"file,sha256\na.pdf,{hashlib.sha256(known_values).hexdigest()}\n")
    assert [material.path.name for material in development([tmp_path], tmp_path)] == ["b.pdf"]
