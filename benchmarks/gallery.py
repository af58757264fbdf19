"""Pages beside what they were read as: a folder of HTML that a person looks through, nothing in it runs or is fetched.

`python -m benchmarks.gallery --out FOLDER [--corpus FOLDER] [--kinds real order ...] [FILES...]`
Read by the text layer alone, without a server: regions that OCR would read show their boxes and no text.
"""

from __future__ import annotations

import argparse
import asyncio
import html
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from markdown_it import MarkdownIt

from benchmarks.harness.library import read, source_of
from benchmarks.harness.page_networks import PageNetworks
from benchmarks.harness.server import ROOT
from benchmarks.quality import listed
from configs.settings import Settings
from documents.document.assemble_document import assemble
from documents.exports.markdown import markdown
from documents.exports.overlay import overlay
from documents.sandbox.renderer_pool import RendererPool
from documents.values import Document, Opened, Page

DPI = 80.0
MAX_PAGES = 3  # of one document
TABLE = re.compile(r"^(<table>$.*?^</table>$)", re.MULTILINE | re.DOTALL)  # ours: what a page prints is escaped
HEAD = """<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src 'self'; style-src 'unsafe-inline'">
<style>body{{font:15px/1.45 sans-serif;margin:1em}}
section{{display:flex;gap:1.5em;border-top:1px solid #999;padding:1em 0}}
img{{width:48vw;align-self:start;border:1px solid #ccc}}article{{width:48vw;overflow-wrap:anywhere}}
table{{border-collapse:collapse}}td,th{{border:1px solid #aaa;padding:2px 6px}}pre{{white-space:pre-wrap}}</style>
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, help="instead of the corpus")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--corpus", type=Path, default=ROOT.parent / "shared" / "corpus")
    parser.add_argument("--kinds", nargs="*", help="only these kinds of documents")
    args = parser.parse_args()
    paths = args.files or listed(args.corpus, args.kinds)
    args.out.mkdir(parents=True, exist_ok=True)
    asyncio.run(draw(paths, args.out, Settings()))
    print(args.out / "index.html")
    return 0


async def draw(paths: Sequence[Path], out: Path, settings: Settings) -> None:
    """Write `index.html`, and one HTML file and its pictures for each document, into the folder `out`."""
    networks, pool = PageNetworks.of(settings), RendererPool(1)
    names: list[str] = []
    try:
        for path in paths:
            source = source_of(path)
            document, status = await read(source, path.name, pool, networks)
            for page in document.pages[:MAX_PAGES]:
                picture = await pool.picture(source, page.number, dpi=DPI)
                (out / picture_name(path.name, page)).write_bytes(overlay(picture, page.size, page.regions))
            (out / f"{path.name}.html").write_text(shown(document, path.name, status), encoding="utf-8")
            names.append(path.name)
    finally:
        await pool.close()
    (out / "index.html").write_text(_index(names), encoding="utf-8")


def picture_name(name: str, page: Page) -> str:
    return f"{name}-{page.number}.png"


def shown(document: Document, name: str, status: str) -> str:
    """The HTML of one document: each page's picture, and its own text as Markdown shows it."""
    parts = [HEAD.format(title=html.escape(name)), f"<h1>{html.escape(name)}: {html.escape(status)}</h1>"]
    parts += [f"<p>{html.escape(f'{one.code}: {one.message}')}</p>" for one in document.warnings]
    for page in document.pages[:MAX_PAGES]:
        alone = assemble(document.id, document.revision, Opened(num_pages=1, outline=document.outline), [page])
        warnings = "".join(f"<p><i>{html.escape(f'{one.code}: {one.message}')}</i></p>" for one in page.warnings)
        picture = html.escape(picture_name(name, page))
        parts.append(
            f'<section><img src="{picture}" alt=""><article>{warnings}{rendered(markdown(alone))}</article></section>'
        )
    return "\n".join(parts)


def rendered(text: str) -> str:
    """Our Markdown as HTML; tags are shown as text, but for our own tables."""
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    pieces = TABLE.split(text)
    return "".join(piece if k % 2 else str(reader.render(piece)) for k, piece in enumerate(pieces))


def _index(names: Sequence[str]) -> str:
    links = "".join(f'<li><a href="{html.escape(name)}.html">{html.escape(name)}</a>' for name in names)
    return HEAD.format(title="Pages and what they were read as") + f"<ul>{links}</ul>"


if __name__ == "__main__":
    sys.exit(main())
