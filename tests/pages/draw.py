"""Draws the pages that no public document shows: `python tests/pages/draw.py FOLDER`.

Two layouts, each in several scripts with the same contents: a newspaper page in two columns and a leaflet of a library.
The texts are written for this folder (CC0-1.0). Structure trees are taken out, so that a reader has the page alone.
What a person has read are the committed files, since fonts differ from machine to machine.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pymupdf
import typst

TEXTS = Path(__file__).with_name("drawn_texts.json")
NEWSPAPER = """
#set document(date: none)
#set page(width: 148mm, height: 150mm, margin: 14mm, footer: align(center)[#text(8pt)[— 3 —]])
#set text(9pt, lang: "{lang}", font: "{font}")
#set par(justify: true, leading: 0.6em, spacing: 0.9em)
#show heading.where(level: 1): set text(22pt)
#show heading.where(level: 2): set text(11.5pt)
#let t = json(bytes(sys.inputs.texts))
#align(center)[#heading(level: 1, t.title)]
#align(center, t.date)
#line(length: 100%, stroke: 0.5pt)
#columns(2, gutter: 8mm)[
  #heading(level: 2, t.headings.at(0))
  #for p in t.story [#p #parbreak()]
  #colbreak()
  #heading(level: 2, t.headings.at(1))
  #table(columns: 3, stroke: 0.4pt, ..t.table.flatten())
  #heading(level: 2, t.headings.at(2))
  #t.before
  #list(..t.list)
  #t.after
]
"""
LEAFLET = """
#set document(date: none)
#set page(width: 148mm, height: 160mm, margin: 18mm)
#set text(10.5pt, lang: "{lang}", font: "{font}")
#set par(leading: 0.7em, spacing: 1em)
#show heading.where(level: 1): set text(18pt)
#show heading.where(level: 2): set text(13pt)
#let t = json(bytes(sys.inputs.texts))
#heading(level: 1, t.title)
#t.before
#heading(level: 2, t.headings.at(0))
#enum(..t.steps)
#heading(level: 2, t.headings.at(1))
#table(columns: 3, stroke: 0.4pt, ..t.table.flatten())
#heading(level: 2, t.headings.at(2))
#list(..t.list)
#t.after
"""
LAYOUTS = {"newspaper": NEWSPAPER, "leaflet": LEAFLET}


def draw(layout: str, texts: dict[str, object]) -> bytes:
    """A page of one layout with the texts of one language."""
    source = LAYOUTS[layout].replace("{lang}", str(texts["lang"])).replace("{font}", str(texts["font"]))
    pdf = typst.compile(source.encode(), format="pdf", sys_inputs={"texts": json.dumps(texts)})
    with pymupdf.open(stream=pdf) as document:
        document.xref_set_key(document.pdf_catalog(), "StructTreeRoot", "null")
        document.xref_set_key(document.pdf_catalog(), "MarkInfo", "null")
        return document.tobytes(garbage=4, deflate=True, no_new_id=True)


def main() -> None:
    folder = Path(sys.argv[1])
    for layout, languages in json.loads(TEXTS.read_text(encoding="utf-8")).items():
        for name, texts in languages.items():
            (folder / f"{layout}_{name}.pdf").write_bytes(draw(layout, texts))


if __name__ == "__main__":
    main()
