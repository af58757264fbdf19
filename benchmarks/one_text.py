"""Do chunks say what Markdown says, and does each line of a citation stand where it is printed? PDFs of any folder.

`python -m benchmarks.one_text FOLDER... [--pages N] [--json FILE]`
Read in this process by the text layer. Markdown is rendered by markdown-it, and its words (formulas aside, which are
LaTeX there) are compared with those of the chunks; a line's letters with those of the text that cites it.
"""

from __future__ import annotations

import asyncio
import re
import sys
import unicodedata
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

from markdown_it import MarkdownIt

from benchmarks.harness import report
from benchmarks.harness.library import read, source_of
from benchmarks.harness.options import parser_of
from benchmarks.harness.page_networks import PageNetworks
from configs.settings import Settings
from documents.exports.markdown import markdown
from documents.exports.text_blocks import figures
from documents.region_values import Region, as_kind, table_in
from documents.sandbox.renderer_pool import RendererPool
from documents.text.placed_text import aligned
from documents.values import Document, Page
from retrieval.chunking.chunk import Chunk
from retrieval.chunking.chunk_size import ByteCounter
from retrieval.chunking.chunker import chunk

WORD = re.compile(r"[^\W\d_]{2,}")
FIGURES = (
    *("documents", "not_read", "differing", "pages", "words", "words_in_figures"),
    *("lines", "lines_misplaced", "lines_not_counted_off", "lines_counted_off_differently"),
)
PARTS = ("td", "th", "p", "li", "br", "pre", "h1", "h2", "h3", "h4", "h5", "h6")  # tags before which a word ends


class _Words(HTMLParser):
    """The text of a page, and that in place of its pictures."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in PARTS:
            self.text += " "
        if tag == "img":
            self.text += " " + (dict(attrs)["alt"] or "").removeprefix("Image").removeprefix(":") + " "


def main() -> int:
    parser = parser_of(__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--pages", type=int, default=12, help="longer documents are left out")
    args = parser.parse_args()
    paths = sorted(path for folder in args.folders for path in folder.rglob("*.pdf"))
    totals, differing = asyncio.run(_compared(paths, args.pages))
    print(" ".join(f"{name}={value}" for name, value in totals.items()))
    for name, words in differing:
        print(f"{name}: {' '.join(words)}")
    if args.out:
        rows = [{"document": name, "words": words} for name, words in differing]
        report.record(args.out, "one_text", {name: float(value) for name, value in totals.items()}, rows)
    return 0


async def _compared(paths: list[Path], most_pages: int) -> tuple[dict[str, int], list[tuple[str, list[str]]]]:
    networks = PageNetworks.of(Settings())
    pool = RendererPool(1)
    counts = Counter[str]()
    differing: list[tuple[str, list[str]]] = []
    try:
        for path in paths:
            try:
                opened = await pool.open(source_of(path))
                if opened.num_pages > most_pages:
                    continue
                document, _ = await read(source_of(path), path.name, pool, networks)
            except Exception as error:  # of a stranger's file; that it is read at all is another benchmark's question
                print(f"{path.name} was not read: {error}")
                counts["not_read"] += 1
                continue
            counts += counted(document)
            if words := different_words(document):
                counts["differing"] += 1
                differing.append((path.name, words[:10]))
    finally:
        await pool.close()
    return {name: counts[name] for name in FIGURES}, differing


def different_words(document: Document) -> list[str]:
    """Words that are in one alone: in chunks or Markdown, without figures or with them."""
    document = _without_latex(document)
    chunks = chunk(document, ByteCounter(), ByteCounter.max_tokens)
    pictures = {name: "data:image/png;base64,AA==" for name, _, _ in figures(document)}
    plain = words_of(markdown(document)) ^ _words([chunk for chunk in chunks if chunk.kind != "figure"])
    return sorted(plain | (words_of(markdown(document, pictures)) ^ _words(chunks)))


def words_of(text: str) -> set[str]:
    """The words of Markdown as a reader sees it."""
    parser = _Words()
    parser.feed(MarkdownIt("commonmark", {"html": True}).enable("table").render(text))
    return set(WORD.findall(unicodedata.normalize("NFKC", parser.text)))


def counted(document: Document) -> Counter[str]:
    """What there was to compare, and lines whose letters are not those of the text that cites them."""
    counts = Counter[str](documents=1, pages=len(document.pages))
    for region in (region for page in document.pages for region in page.regions):
        num_words = len(region.text.split())
        counts["words"] += num_words
        counts["words_in_figures"] += num_words if region.kind == "figure" else 0
        if table_in(region) is None:
            counts += _lines(region)
    return counts


def _lines(region: Region) -> Counter[str]:
    recorded = [(span.text_start, span.text_end) for span in region.spans]
    guessed = [(place.start, place.end) for place in aligned([span.text for span in region.spans], region.text)]
    return Counter(
        lines=len(recorded),
        lines_misplaced=sum(
            _letters(span.text) != _letters(region.text[span.text_start : span.text_end]) for span in region.spans
        ),
        lines_counted_off_differently=sum(a != b for a, b in zip(recorded, guessed, strict=True)) if guessed else 0,
        lines_not_counted_off=0 if guessed else len(recorded),
    )


def _words(chunks: list[Chunk]) -> set[str]:
    return {word for chunk in chunks for word in WORD.findall(unicodedata.normalize("NFKC", chunk.text))}


def _letters(text: str) -> list[str]:
    return [character for character in unicodedata.normalize("NFKD", text) if character.isalnum()]


def _without_latex(document: Document) -> Document:
    pages: list[Page] = []
    for page in document.pages:
        regions = (as_kind(one, one.kind, latex=None) for one in page.regions)
        pages.append(page.model_copy(update={"regions": tuple(regions)}))
    return document.model_copy(update={"pages": tuple(pages)})


if __name__ == "__main__":
    sys.exit(main())
