"""Lists every rule of page structure in the order in which they run, with their thresholds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from documents.draft.duplicate_detections import Overlaps
from documents.draft.rule import Rule
from documents.draft.text_source import SourceLimits
from documents.figures.captions import Captions, Labels
from documents.figures.drawn_figures import DrawnFigures, drawn_figures
from documents.formulas.displays import DisplayLimits
from documents.formulas.find_formulas import find_formulas
from documents.order import page_order
from documents.readings import whole_page
from documents.readings.read_tables import find_read_tables
from documents.readings.whole_page_matching import PageMatching
from documents.regions import reclassify, region_parts, region_tables, region_text, written_tables
from documents.regions.block_parts import BlockLimits, take_blocks
from documents.regions.read_blocks import take_read_blocks
from documents.regions.tagged.regions import finish_tagged, part_by_tags, take_author_tree
from documents.tables.search.find_tables import FindTables, find_tables
from documents.tables.settings import TableSettings
from documents.tags.tagged_blocks import TreeLimits
from documents.text.running_text import TextLimits

Stage = Literal["detections", "parts", "drafts", "whole_page", "readings", "read_blocks", "regions"]

DETECTION_RULES = (
    Rule(
        name="author_tree",
        purpose="The structure tree of a tagged PDF is evidence where it covers what is seen of the page.",
        step=take_author_tree,
        thresholds=TreeLimits(),
    ),
    Rule(
        name="duplicates",
        purpose="Nothing is found twice: of detections that cover one another the surer stays.",
        step=region_parts.without_duplicates,
        thresholds=Overlaps(),
    ),
    Rule(
        name="find_tables",
        purpose="Tables are where rules close a grid, and where the structure network reads cells of one table.",
        step=find_tables,
        thresholds=FindTables(),
    ),
    Rule(
        name="drawn_figures",
        purpose="A drawing is one figure with the words in it and right beside it; no part of it is a table or text.",
        step=drawn_figures,
        thresholds=DrawnFigures(),
    ),
    Rule(
        name="text_in_pictures",
        purpose="On a page without a sound text layer, a figure whose ink lies in rows is text.",
        step=region_parts.without_text_in_figures,
    ),
)
PART_RULES = (
    Rule(
        name="find_formulas",
        purpose="Signs of mathematics on rows without prose are a formula, with its fractions, limits and matrices.",
        step=find_formulas,
        thresholds=DisplayLimits(),
    ),
    Rule(
        name="blocks",
        purpose="Lines are parted into blocks as the structure network reads them; tables and figures keep theirs.",
        step=take_blocks,
        thresholds=BlockLimits(),
    ),
    Rule(
        name="loose_ink",
        purpose="Ink that no region covers is read where ink is all there is to read.",
        step=region_parts.gather_ink,
        thresholds=region_parts.InkThresholds(),
    ),
    Rule(
        name="tagged_parts",
        purpose="Text that an author tagged as one heading, paragraph, item or table is one region.",
        step=part_by_tags,
        thresholds=TreeLimits(),
    ),
    Rule(
        name="text_sources",
        purpose="Evidence decides whether a region's own text can be trusted.",
        step=region_parts.choose_sources,
        thresholds=SourceLimits(),
    ),
)
DRAFT_RULES: tuple[Rule, ...] = ()
WHOLE_PAGE_RULES = (
    Rule(
        name="page_reading",
        purpose="What was read of a whole page belongs to the regions where it stands, by places, words or turns.",
        step=whole_page.match_page_reading,
        thresholds=PageMatching(),
    ),
)
READING_RULES = (
    Rule(
        name="read_lines",
        purpose="What OCR read has lines as a text layer has.",
        step=reclassify.take_read_lines,
    ),
)
BLOCK_RULES = (
    Rule(
        name="read_tables",
        purpose="A page that OCR read has the tables that its lines show, wherever its picture seemed to show some.",
        step=find_read_tables,
        thresholds=FindTables(),
    ),
    Rule(
        name="read_blocks",
        purpose="Regions that OCR read have the roles and the order in which the structure network reads their lines.",
        step=take_read_blocks,
    ),
)
REGION_RULES = (
    Rule(
        name="written_tables",
        purpose="A table that a model wrote as markup has the cells that it wrote.",
        step=written_tables.set_written_tables,
    ),
    Rule(
        name="tables",
        purpose="The lines of a table have rows and columns: by its rules, or as a network reads them.",
        step=region_tables.set_tables,
        thresholds=TableSettings(),
    ),
    Rule(
        name="running_text",
        purpose="Lines are joined into paragraphs, list items and programs, broken words made whole.",
        step=region_text.set_running_text,
        thresholds=TextLimits(),
    ),
    Rule(
        name="formulas",
        purpose="A formula has LaTeX where TeX would set it as its glyphs stand.",
        step=region_text.set_formulas,
    ),
    Rule(
        name="captions",
        purpose="A caption describes the nearest figure, table or formula, on the side where most captions stand.",
        step=page_order.find_captions,
        thresholds=Captions(),
    ),
    Rule(
        name="figure_labels",
        purpose="A few words in a figure with a caption name a part of it.",
        step=page_order.find_figure_labels,
        thresholds=Labels(),
    ),
    Rule(
        name="notes",
        purpose="Footnotes and side notes are what the structure network takes for such.",
        step=page_order.find_notes,
    ),
    Rule(
        name="reading_order",
        purpose="Blocks are read in the order of the structure network, a figure beside its caption.",
        step=page_order.find_order,
    ),
    Rule(
        name="tagged_regions",
        purpose="Levels of headings, cells of tables, words for pictures and their order are as an author tagged them.",
        step=finish_tagged,
        thresholds=TreeLimits(),
    ),
)
RULES: Mapping[Stage, tuple[Rule, ...]] = {
    "detections": DETECTION_RULES,
    "parts": PART_RULES,
    "drafts": DRAFT_RULES,
    "whole_page": WHOLE_PAGE_RULES,
    "readings": READING_RULES,
    "read_blocks": BLOCK_RULES,
    "regions": REGION_RULES,
}
