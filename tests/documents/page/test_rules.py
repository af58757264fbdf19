"""Whichever rule fails, the page is there with all of its words."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from block_making import blocks_of
from page_making import box, detection_of, inspection, line, printed, printed_table

from documents.inspection import Ruling
from documents.page.build_page import RuleRun, compose_page, draft_regions
from documents.page.rules import RULES
from documents.values import Reading, ReadLine

NAMES = [(stage, rule.name) for stage, rules in RULES.items() for rule in rules]
SEEN = inspection(
    line("A heading of the page", y=60, size=16, bold=True),
    line("The harbour was closed.¹ It stayed so", y=120),
    line("until the spring of the next year.", y=132),
    line("3.", x=40, y=160),
    line("A clause with its number in the margin", x=60, y=160),
    line("SIDEWAYS", x=20, y=300, width=8, angle=90),
    line("unseen", y=420, hidden="no_ink"),
    *printed_table([["Boat", "Left"], ["Alma", "04:10"], ["Dunlin", "05:15"]], y=200),
    printed("Figure 1. The harbour", 60, 480),
    line("1 Since the flood.", y=700, size=8),
    line("12", x=300, y=770),
).model_copy(update={"rules": (Ruling(box=box(55, 95, 255, 96)),)})
DETECTIONS = [
    detection_of("title", 50, 55, 400, 80),
    detection_of("plain text", 50, 110, 400, 146),
    detection_of("table", 50, 195, 300, 255),
    detection_of("figure", 50, 400, 300, 470),
    detection_of("figure", 52, 402, 300, 468),
]
ROLES = {
    "A heading of the page": "heading",
    "SIDEWAYS": "side_note",
    "Figure 1. The harbour": "caption",
    "1 Since the flood.": "footnote",
    "12": "page_number",
}
BLOCKS = blocks_of(SEEN, ROLES)


def words(text):
    return Counter(word.strip(".,¹") for word in text.split())


def breaking(name, step):
    return {
        stage: tuple(replace(rule, step=step) if rule.name == name else rule for rule in rules)
        for stage, rules in RULES.items()
    }


def fail(page, _):
    raise ValueError("a rule that never works")


def lose_all(page, _):
    return replace(
        page,
        parts=(),
        drafts=page.drafts if page.regions else (),
        regions={k: region.model_copy(update={"spans": ()}) for k, region in page.regions.items()},
    )


def printed_words():
    return sum((words(one.text) for one in SEEN.lines if one.hidden is None), Counter())


def page_words(page):
    return sum((words(span.text) for region in page.regions for span in region.spans), Counter())


@pytest.mark.parametrize(("stage", "name"), NAMES)
@pytest.mark.parametrize("step", [fail, lose_all])
def test_no_word_is_lost_whichever_rule_fails_or_loses_them(stage, name, step):
    """Guards against pages that were lost over one line number: `int('³')`."""
    run = RuleRun(rules=breaking(name, step))
    page = compose_page(SEEN, draft_regions(SEEN, DETECTIONS, blocks=BLOCKS, run=run), {}, {}, run=run)
    assert page_words(page) == printed_words()
    assert [region.order for region in page.regions] == list(range(len(page.regions)))
    if step is fail:
        assert [failure.rule for failure in run.failures] == [name]
        (warning,) = (one for one in page.warnings if one.code == "rule_failed")
        assert f"`{name}`" in warning.message
        assert "a rule that never works" in run.failures[0].trace


@pytest.mark.parametrize(
    ("stage", "name"), [pair for pair in NAMES if pair[0] in ("readings", "read_blocks", "regions")]
)
def test_what_ocr_read_is_on_the_page_whichever_rule_fails(stage, name):
    """Guards against readings that were paid for and thrown away."""
    run = RuleRun(rules=breaking(name, fail))
    page_inspection = inspection(ink=[box(60, 100, 300, 120), box(60, 200, 300, 220)], images=[box(0, 0, 612, 792)])
    drafts = draft_regions(
        page_inspection, [detection_of("plain text", 60, 100, 300, 120), detection_of("plain text", 60, 200, 300, 220)]
    )
    lined = Reading(text="one two", lines=(ReadLine(text="one two", box=box(0, 0, 90, 20), confidence=0.9),))
    page = compose_page(
        page_inspection, drafts, {0: lined, 1: Reading(text="three")}, {0: (240, 20), 1: (240, 20)}, run=run
    )
    assert sum((words(region.text) for region in page.regions), Counter()) == words("one two three")


def test_rules_are_named_once_and_say_what_they_are_for():
    """Guards against a warning that could mean either of two rules."""
    rules = [rule for stage in RULES.values() for rule in stage]
    assert len({rule.name for rule in rules}) == len(rules)
    assert all(rule.purpose.endswith(".") and "  " not in rule.purpose for rule in rules)


def test_a_region_tells_which_rules_gave_it_its_kind():
    """Guards against kinds that nobody can trace."""
    page = compose_page(SEEN, draft_regions(SEEN, DETECTIONS, blocks=BLOCKS), {}, {})
    number = next(region for region in page.regions if region.text == "12")
    assert (number.kind, number.rules) == ("abandon", ("blocks",))


def test_a_rule_that_only_sorts_names_itself_on_no_region():
    """Guards against provenance by place: a rule that sorts named itself on regions that it left as they were."""
    page = inspection(
        line("A heading of the page", y=60, size=16, bold=True),
        *(line("The harbour was closed until the spring", y=120 + 12 * k) for k in range(3)),
    )
    detections = [detection_of("title", 50, 55, 400, 80), detection_of("plain text", 50, 118, 400, 156)]
    blocks = blocks_of(page, {"A heading of the page": "heading"})[::-1]
    regions = compose_page(page, draft_regions(page, detections, blocks=blocks), {}, {}).regions
    assert [(region.kind, region.rules) for region in regions] == [("plain text", ("blocks",)), ("title", ("blocks",))]
