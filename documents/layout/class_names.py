"""Maps the class names of published layout checkpoints to our kinds of region (title, table, figure ...).

Names of DocLayNet and D4LA are those of the data sets' files in github.com/opendatalab/DocLayout-YOLO,
`doclayout_yolo/cfg/datasets`; heron's and PP-DocLayout's those of their configurations. DocStructBench's ten are our
kinds themselves. Classes without a kind of their own are running text: nothing is lost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args

from documents.region_values import RegionKind

DOCLAYNET_CLASSES: Mapping[str, RegionKind] = {
    "Caption": "figure_caption",  # of tables, too: the words of a caption decide (`documents.regions.block_parts`)
    "Footnote": "plain text",
    "Formula": "isolate_formula",
    "List-item": "plain text",
    "Page-footer": "abandon",
    "Page-header": "abandon",
    "Picture": "figure",
    "Section-header": "title",
    "Table": "table",
    "Text": "plain text",
    "Title": "title",
}
HERON_CLASSES: Mapping[str, RegionKind | None] = {  # docling's layout models: DocLayNet's classes and six more
    **DOCLAYNET_CLASSES,
    "Document Index": "plain text",
    "Code": "plain text",
    "Checkbox-Selected": "plain text",
    "Checkbox-Unselected": "plain text",
    "Form": None,  # a frame around regions: as one of its own it would take them in
    "Key-Value Region": None,
}
PUBLAYNET_CLASSES: Mapping[str, RegionKind] = {
    "Text": "plain text",
    "Title": "title",
    "List": "plain text",
    "Table": "table",
    "Figure": "figure",
}
PP_DOCLAYOUT_CLASSES: Mapping[str, RegionKind] = {  # all versions
    "abstract": "plain text",
    "algorithm": "plain text",
    "aside_text": "plain text",
    "chart": "figure",
    "chart_title": "figure_caption",
    "content": "plain text",  # a table of contents
    "display_formula": "isolate_formula",
    "doc_title": "title",
    "figure_title": "figure_caption",  # of tables, too
    "footer": "abandon",
    "footer_image": "abandon",
    "footnote": "plain text",
    "formula": "isolate_formula",
    "formula_number": "formula_caption",
    "header": "abandon",
    "header_image": "abandon",
    "image": "figure",
    "inline_formula": "plain text",  # a part of its line
    "number": "abandon",  # of the page
    "paragraph_title": "title",
    "reference": "plain text",
    "reference_content": "plain text",
    "seal": "figure",
    "table": "table",
    "table_title": "table_caption",
    "text": "plain text",
    "vertical_text": "plain text",
    "vision_footnote": "table_footnote",
}
D4LA_CLASSES: Mapping[str, RegionKind] = {
    "DocTitle": "title",
    "ParaTitle": "title",
    "ParaText": "plain text",
    "ListText": "plain text",
    "RegionTitle": "title",
    "Date": "plain text",
    "LetterHead": "plain text",
    "LetterDear": "plain text",
    "LetterSign": "plain text",
    "Question": "plain text",
    "OtherText": "plain text",
    "RegionKV": "plain text",
    "RegionList": "plain text",
    "Abstract": "plain text",
    "Author": "plain text",
    "TableName": "table_caption",
    "Table": "table",
    "Figure": "figure",
    "FigureName": "figure_caption",
    "Equation": "isolate_formula",
    "Reference": "plain text",
    "Footer": "plain text",
    "PageHeader": "abandon",
    "PageFooter": "abandon",
    "Number": "plain text",
    "Catalog": "plain text",
    "PageNumber": "abandon",
}

NO_REGION = "none"  # stands for a kind: detections of this class are ignored


def kinds_of(labels: Sequence[str], own: Mapping[str, str]) -> tuple[RegionKind | None, ...]:
    """The kind of each class of a detector; None: it makes no region. `own` goes before what is known.

    One word means different things in different sets: the one that knows most of the names comes first. Case, hyphens
    and spaces do not count.

    Raises:
        ValueError: names that are no kinds, or that no class has.
    """
    kind_by_name = {_plain(name): kind for name, kind in own.items()}
    if strange := sorted(name for name in own if _plain(name) not in set(map(_plain, labels))):
        raise ValueError(f"layout.classes names {strange}; the classes are {list(labels)}")
    ours: Mapping[str, RegionKind] = {kind: kind for kind in get_args(RegionKind)}
    sets: Sequence[Mapping[str, RegionKind | None]] = (
        ours,
        HERON_CLASSES,
        PP_DOCLAYOUT_CLASSES,
        D4LA_CLASSES,
        PUBLAYNET_CLASSES,
    )
    tables: list[dict[str, RegionKind | None]] = [
        {_plain(name): kind for name, kind in names.items()} for names in sets
    ]
    tables.sort(key=lambda table: -sum(_plain(label) in table for label in labels))  # stable
    kind_by_class: dict[str, RegionKind | None] = {}
    for table in reversed(tables):
        kind_by_class |= table
    if unknown := [
        label for label in labels if _plain(label) not in kind_by_class and _plain(label) not in kind_by_name
    ]:
        raise ValueError(
            f"{unknown} are classes of which it is not known what kind of region they are: say it in layout.classes, "
            f"as `{unknown[0]}=plain text` or `{unknown[0]}={NO_REGION}`; kinds are {list(ours)}"
        )
    return tuple(
        _kind(kind_by_name[_plain(label)], ours) if _plain(label) in kind_by_name else kind_by_class[_plain(label)]
        for label in labels
    )


def _kind(name: str, ours: Mapping[str, RegionKind]) -> RegionKind | None:
    if name != NO_REGION and name not in ours:
        raise ValueError(f"layout.classes: {name} is no kind of region; kinds are {list(ours)}, or {NO_REGION}")
    return ours.get(name)


def _plain(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def kind_of(name: str) -> RegionKind | None:
    """The kind of region that a published class is; None: it is none."""
    own: dict[str, RegionKind] = {kind: kind for kind in get_args(RegionKind)}
    return own.get(name) or DOCLAYNET_CLASSES.get(name) or D4LA_CLASSES.get(name)
