"""Which kind of region each class of a published checkpoint is, by the name that the checkpoint gives it.

Names are those of the data sets' files in github.com/opendatalab/DocLayout-YOLO, `doclayout_yolo/cfg/datasets`.
DocStructBench's ten are our kinds themselves. Classes without a kind of their own are running text: nothing is lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from documents.values import RegionKind

DOCLAYNET: Mapping[str, RegionKind] = {
    "Caption": "figure_caption",  # of tables, too: the words of a caption decide (`documents.structure.classify`)
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
D4LA: Mapping[str, RegionKind] = {
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


def kind_of(name: str) -> RegionKind | None:
    """The kind of region that a published class is; None: it is none."""
    own: dict[str, RegionKind] = {kind: kind for kind in get_args(RegionKind)}
    return own.get(name) or DOCLAYNET.get(name) or D4LA.get(name)
