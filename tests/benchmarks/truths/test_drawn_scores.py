"""Scores of a page are those that a person counts, by the truth of its drawing."""

from __future__ import annotations

import pytest

from benchmarks.truths.drawn_scores import neighbours, page_counts
from benchmarks.truths.drawn_truth import TrueCaption, TrueCell, TrueLine, TruePage
from documents.boxes import BoundingBox
from documents.region_values import Span, Table, TableCell, region_of
from documents.values import Page


def box(y, x=60, width=200):
    return BoundingBox(x0=x, y0=y, x1=x + width, y1=y + 10)


def line(text, y, role, block, rank=None, **more):
    return TrueLine(text=text, box=box(y), role=role, block=block, rank=float(block) if rank is None else rank, **more)


HEAD = line("Ledger", 20, "page_header", 0).model_copy(update={"rank": None})
LINES = (
    HEAD,
    line("The harbour", 60, "heading", 1),
    line("It was closed until", 100, "text", 2),
    line("the spring came.", 112, "text", 2),
    line("Then boats left.", 130, "text", 3),
    line("Table 1. Boats", 200, "caption", 4),
)


def region(kind, lines, order, **more):
    spans: list[Span] = []
    text = ""
    for one in lines:
        text += " " if text else ""
        spans.append(Span(text=one.text, box=one.box, source="text_layer").placed(len(text), len(text + one.text)))
        text += one.text
    whole = BoundingBox.around([one.box for one in lines])
    return region_of(kind, box=whole, score=0.9, text=text, spans=tuple(spans), order=order, **more)


def counts(*regions, lines=LINES, **truth):
    page = Page(number=1, size=(612, 792), regions=regions)
    own = page_counts(page, TruePage(number=1, lines=lines, **truth))
    return {name: hits / among for name, (hits, among) in own.items() if among}


RIGHT = (
    region("abandon", LINES[:1], 0),
    region("title", LINES[1:2], 1),
    region("plain text", LINES[2:4], 2),
    region("plain text", LINES[4:5], 3),
    region("table_caption", LINES[5:], 4),
)


def test_a_page_that_is_read_as_it_was_drawn_has_all_points():
    assert counts(*RIGHT) == dict.fromkeys(("heads", "captions", "furniture", "text", "order", "no_table"), 1.0)


def test_paragraphs_that_are_joined_cost_a_pair_of_lines_and_parted_ones_another():
    joined = counts(*RIGHT[:2], region("plain text", LINES[2:5], 2), RIGHT[4])
    assert joined["text"] == pytest.approx(2 / 3)  # one pair of two is no pair of the drawing
    parted = [region("plain text", LINES[k : k + 1], k) for k in (2, 3, 4)]
    assert counts(*RIGHT[:2], *parted)["text"] == 0
    continued = parted[1].model_copy(update={"continues": True})
    assert counts(*RIGHT[:2], parted[0], continued, parted[2])["text"] == 1


def test_lines_that_no_rule_has_joined_are_no_paragraph():
    """Guards against a rule of running text that seems to do harm, where without it every line seems joined."""
    loose = RIGHT[2].model_copy(update={"spans": tuple(span.placed(None, None) for span in RIGHT[2].spans)})
    assert counts(*RIGHT[:2], loose, *RIGHT[3:])["text"] == 0


def test_a_block_in_another_place_breaks_the_pairs_around_it():
    swapped = RIGHT[3].model_copy(update={"order": 1}), RIGHT[1].model_copy(update={"order": 3})
    assert counts(RIGHT[0], swapped[0], RIGHT[2], swapped[1], RIGHT[4])["order"] == 0


def test_furniture_in_the_text_and_text_as_furniture_both_cost():
    wrong = region("plain text", LINES[:1], 0), region("abandon", LINES[4:5], 3)
    assert counts(wrong[0], *RIGHT[1:3], wrong[1], RIGHT[4])["furniture"] == 0
    assert counts(*RIGHT[:3], wrong[1], RIGHT[4])["furniture"] == pytest.approx(2 / 3)


def cell(row, column, text, **spans):
    return TableCell(row=row, column=column, text=text, box=box(0), **spans)


GRID = [(0, 0, "Boat"), (0, 1, "Left"), (1, 0, "Alma"), (1, 1, "04:10")]
TRUE_CELLS = tuple(TrueCell(table=7, row=row, column=column, text=text) for row, column, text in GRID)
CELL_LINES = tuple(line(text, 220 + 12 * k, "table", 10 + k, table=7) for k, (_, _, text) in enumerate(GRID))


def table(cells, order=5):
    grid = Table(num_rows=2, num_columns=2, num_header_rows=1, cells=tuple(cells))
    return region("table", CELL_LINES, order, table=grid)


def test_tables_are_pairs_of_neighbours_and_a_lost_column_costs_its_own():
    whole = table(cell(*one) for one in GRID)
    lines = (*LINES, *CELL_LINES)
    assert counts(*RIGHT, whole, lines=lines, cells=TRUE_CELLS)["table"] == 1
    joined = table([cell(0, 0, "Boat Left"), cell(1, 0, "Alma 04:10")])
    assert counts(*RIGHT, joined, lines=lines, cells=TRUE_CELLS)["table"] == 0
    assert sum(neighbours([cell(0, 0, "Boats", num_columns=2), *(cell(*one) for one in GRID[2:])]).values()) == 3


def test_a_caption_must_be_bound_to_its_own_table():
    lines = (*LINES, *CELL_LINES)
    truth = {"lines": lines, "cells": TRUE_CELLS, "captions": (TrueCaption(block=4, table=7),)}
    whole = table(cell(*one) for one in GRID)
    assert counts(*RIGHT, whole, **truth)["describes"] == 0
    bound = RIGHT[4].model_copy(update={"describes": 5})
    assert counts(*RIGHT[:4], bound, whole, **truth)["describes"] == 1
    elsewhere = RIGHT[4].model_copy(update={"describes": 2})
    assert counts(*RIGHT[:4], elsewhere, whole, **truth)["describes"] == 0


def test_a_table_that_is_none_is_counted_where_no_form_could_be_one():
    assert counts(*RIGHT, table(cell(*one) for one in GRID))["no_table"] == 0
    form = (*LINES, line("Name:", 300, "label", 20))
    assert "no_table" not in counts(*RIGHT, table(cell(*one) for one in GRID), lines=form)


def test_a_region_without_lines_of_its_own_holds_those_whose_words_it_has():
    """Guards against readings of whole pages, whose regions are one line, counted as nothing but their first line."""
    whole = region("plain text", LINES[2:4], 2)
    span = Span(text=whole.text, box=BoundingBox(x0=0, y0=0, x1=600, y1=700), source="ocr")
    read = whole.model_copy(update={"spans": (span,)})
    assert counts(RIGHT[0], RIGHT[1], read, *RIGHT[3:])["text"] == 1
