"""What one published client makes of files: `python -m benchmarks.peers.consumers.units CLIENT URL FOLDER FILE...`.

Prints, as JSON, per file its units (documents, sections, chunks or items, whatever the client stores), each with its
text, its pages counted from 1, and its boxes `[page, x0, y0, x1, y1]` in points from the top left of the page as it is
seen. A client without pages or boxes has none of them. FOLDER holds the client's sources, where they are no package.
"""

import hashlib
import html
import json
import re
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.peers.consumers.published import open_webui_loader, ragflow_parser, replace_the_rest

KEY = "any"  # the server has no keys; some clients send nothing without one
Unit = dict[str, Any]


def open_webui_external(url: str, folder: str, file: str) -> Iterator[Unit]:
    loader = open_webui_loader(folder, "external_document", "ExternalDocumentLoader")
    for document in loader(file, url, KEY).load():
        yield unit(document.page_content, [document.metadata["page"] + 1], link=document.metadata["link"])


def open_webui_docling(url: str, folder: str, file: str) -> Iterator[Unit]:
    loader = open_webui_loader(folder, "main", "DoclingLoader")
    for document in loader(url=url, api_key=KEY, file_path=file, mime_type="application/pdf").load():
        yield unit(document.page_content, [document.metadata["page"] + 1])


def open_webui_mineru(url: str, folder: str, file: str) -> Iterator[Unit]:
    loader = open_webui_loader(folder, "mineru", "MinerULoader")
    for document in loader(file, api_url=url).load():
        yield unit(document.page_content)


def ragflow_mineru(url: str, folder: str, file: str) -> Iterator[Unit]:
    parser = ragflow_parser(folder, "mineru_parser", "MinerUParser")(mineru_api=url)
    sections, _ = parser.parse_pdf(file, Path(file).read_bytes())
    for text, tag in sections:
        boxes = [
            [page + 1, left, top, right, bottom]
            for pages, left, right, top, bottom in parser.extract_positions(tag)
            for page in pages
        ]
        yield unit(text, [int(box[0]) for box in boxes], boxes)


def ragflow_docling(url: str, folder: str, file: str) -> Iterator[Unit]:
    parser = ragflow_parser(folder, "docling_parser", "DoclingParser")(docling_server_url=url)
    sections, _ = parser.parse_pdf(file, docling_server_url=url)
    for section in sections:
        yield unit(section[0])


def haystack(url: str, _: str, file: str) -> Iterator[Unit]:
    from haystack.utils import Secret  # pyright: ignore[reportMissingImports]
    from haystack_integrations.components.converters.docling_serve import DoclingServeConverter, ExportType  # pyright: ignore[reportMissingImports]

    converter = DoclingServeConverter(base_url=url, export_type=ExportType.JSON, api_key=Secret.from_token(KEY))
    (document,) = converter.run(sources=[Path(file)])["documents"]
    content = json.loads(document.content)
    heights = {int(number): page["size"]["height"] for number, page in content["pages"].items()}
    for item in (*content["texts"], *content["tables"]):
        cells = " ".join(cell["text"] for cell in item.get("data", {}).get("table_cells", ()))
        boxes = [box_of(prov, heights) for prov in item["prov"]]
        yield unit(item.get("text") or cells, [prov["page_no"] for prov in item["prov"]], boxes)


def langchain(url: str, _: str, file: str) -> Iterator[Unit]:
    from docling.service_client import DoclingServiceClient  # pyright: ignore[reportMissingImports]
    from docling_core.transforms.chunker.hierarchical_chunker import HierarchicalChunker
    from langchain_docling.loader import DoclingLoader  # pyright: ignore[reportMissingImports]

    with DoclingServiceClient(url, api_key=KEY) as client:
        heights = {number: page.size.height for number, page in client.convert(file).document.pages.items()}
        for chunk in DoclingLoader(file, converter=client, chunker=HierarchicalChunker()).lazy_load():
            provs = [prov for item in chunk.metadata["dl_meta"]["doc_items"] for prov in item["prov"]]
            boxes = [box_of(prov, heights) for prov in provs]
            yield unit(chunk.page_content, [prov["page_no"] for prov in provs], boxes)


def box_of(prov: dict[str, Any], heights: dict[int, float]) -> list[float]:
    """A place in docling's JSON, from the top left."""
    box, number = prov["bbox"], prov["page_no"]
    if box.get("coord_origin") == "BOTTOMLEFT":
        return [number, box["l"], heights[number] - box["t"], box["r"], heights[number] - box["b"]]
    return [number, box["l"], box["t"], box["r"], box["b"]]


def unit(text: str, pages: list[int] | None = None, boxes: list[list[float]] | None = None, link: str = "") -> Unit:
    """Without the tags of HTML tables."""
    plain = html.unescape(re.sub(r"<[^>]+>", " ", text))
    return {"text": plain, "pages": sorted(set(pages or ())), "boxes": boxes or [], "link": link}


CLIENTS: dict[str, Callable[[str, str, str], Iterator[Unit]]] = {
    "open_webui_external": open_webui_external,
    "open_webui_docling": open_webui_docling,
    "open_webui_mineru": open_webui_mineru,
    "ragflow_mineru": ragflow_mineru,
    "ragflow_docling": ragflow_docling,
    "haystack": haystack,
    "langchain": langchain,
}
PACKAGES = {"haystack": "docling-serve-haystack", "langchain": "langchain-docling"}
SOURCES = {
    "open_webui_external": "open_webui/retrieval/loaders/external_document.py",
    "open_webui_docling": "open_webui/retrieval/loaders/main.py",
    "open_webui_mineru": "open_webui/retrieval/loaders/mineru.py",
    "ragflow_mineru": "mineru_parser.py",
    "ragflow_docling": "docling_parser.py",
}


def main(client: str, url: str, folder: str, *files: str) -> None:
    """All files, one after the other."""
    replace_the_rest()
    units = {Path(file).name: list(CLIENTS[client](url, folder, file)) for file in files}
    release = version(PACKAGES[client]) if client in PACKAGES else blob(Path(folder) / SOURCES[client])
    sys.stdout.write(f"\n{json.dumps({'version': release, 'units': units})}\n")


def blob(source: Path) -> str:
    """Git's name of a file's content, under which its project's repository has it."""
    content = source.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


if __name__ == "__main__":
    main(*sys.argv[1:])
