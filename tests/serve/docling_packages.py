"""What people do with packages that speak to docling-serve: run by a Python that has them.

`python docling_packages.py URL KEY OPEN_WEBUI RAGFLOW FILE...` prints, as JSON, what each of them read. OPEN_WEBUI is a
folder with the package `open_webui`, RAGFLOW one with `docling_parser.py`; an empty one leaves that client out. What
these two import beside their loader is replaced (`benchmarks.peers.consumers.published`); the loader is unchanged.
"""

import asyncio
import base64
import json
import logging
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import requests
from docling.service_client import DoclingServiceClient
from docling_core.transforms.chunker.doc_chunk import DocChunk
from docling_core.transforms.chunker.hierarchical_chunker import HierarchicalChunker
from haystack.utils import Secret
from haystack_integrations.components.converters.docling_serve import (
    ConversionMode,
    DoclingServeConverter,
    ExportType,
)
from langchain_docling.loader import DoclingLoader as LangChainLoader
from langchain_docling.loader import ExportType as LangChainExport

from benchmarks.peers.consumers.published import open_webui_loader, ragflow_parser, replace_the_rest

PACKAGES = ("docling-serve-haystack", "langchain-docling", "docling-slim", "docling-core")


def open_webui(folder: str, url: str, key: str, file: str) -> list[dict[str, Any]]:
    """The page and the text of each document that its loader makes."""
    loader = open_webui_loader(folder, "main", "DoclingLoader")(
        url=url, api_key=key, file_path=file, mime_type="application/pdf", params={"do_ocr": "true"}
    )
    return [{"page": one.metadata.get("page"), "text": one.page_content} for one in loader.load()]


def ragflow(folder: str, url: str, file: str) -> dict[str, Any]:
    """Its sections, and what it says of the server."""
    parser = ragflow_parser(folder, "docling_parser", "DoclingParser")(docling_server_url=url)
    messages: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: messages.append(record.getMessage())  # type: ignore[method-assign]
    parser.logger.addHandler(handler)
    parser.logger.setLevel(logging.INFO)
    sections, tables = parser.parse_pdf(file, docling_server_url=url)
    return {"sections": [section[0] for section in sections], "tables": len(tables), "messages": messages}


def haystack(url: str, key: str, file: str, refused: str) -> dict[str, Any]:
    """The contents in every export and mode; what is refused gives no document."""
    contents: dict[str, Any] = {}
    for mode in ConversionMode:
        for export in ExportType:
            converter = DoclingServeConverter(
                base_url=url, export_type=export, mode=mode, api_key=Secret.from_token(key), poll_interval=0.2
            )
            (document,) = converter.run(sources=[Path(file)], meta={"owner": "me"})["documents"]
            contents[f"{mode.value} {export.value}"] = document.content
            contents["meta"] = document.meta
    converter = DoclingServeConverter(base_url=url, api_key=Secret.from_token(key))
    contents["run_async"] = asyncio.run(converter.run_async(sources=[Path(file)]))["documents"][0].content
    contents["refused"] = len(converter.run(sources=[Path(refused)])["documents"])
    return contents


def langchain(url: str, key: str, file: str) -> dict[str, Any]:
    """Through docling's client, which is one of the converters that its loader takes."""
    with DoclingServiceClient(url, api_key=key) as client:
        whole = LangChainLoader(file, converter=client, export_type=LangChainExport.MARKDOWN)
        chunks = LangChainLoader(file, converter=client, chunker=HierarchicalChunker())
        return {
            "markdown": [one.page_content for one in whole.lazy_load()],
            "chunks": [
                {
                    "text": one.page_content,
                    "pages": sorted({item["prov"][0]["page_no"] for item in one.metadata["dl_meta"]["doc_items"]}),
                    "origin": one.metadata["dl_meta"]["origin"]["filename"],
                }
                for one in chunks.lazy_load()
            ],
        }


def doc_chunks(url: str, key: str, file: str) -> list[dict[str, Any]]:
    """The chunks beside a document, read by docling-core's class."""
    source = {"kind": "file", "filename": "a.pdf", "base64_string": base64.b64encode(Path(file).read_bytes()).decode()}
    options = {"to_formats": ["md", "json"], "do_chunking": True, "force_ocr": True}
    body = {"options": options, "sources": [source]}
    answer = requests.post(f"{url}/v1/convert/source", json=body, headers={"X-Api-Key": key}, timeout=300)
    chunks = [DocChunk.model_validate(item) for item in answer.json()["results"]]
    return [
        {
            "text": HierarchicalChunker().contextualize(chunk),
            "pages": sorted({item.prov[0].page_no for item in chunk.meta.doc_items}),
            "confidences": [item.meta and item.meta.get_custom_part() for item in chunk.meta.doc_items],
            "origin": chunk.meta.origin and chunk.meta.origin.mimetype,
        }
        for chunk in chunks
    ]


def main(url: str, key: str, open_webui_folder: str, ragflow_folder: str, file: str, empty: str, refused: str) -> None:
    """All clients over the same files."""
    replace_the_rest()
    report: dict[str, Any] = {"versions": {name: version(name) for name in PACKAGES}}
    report["haystack"] = haystack(url, key, file, refused)
    report["langchain"] = langchain(url, key, file)
    report["doc_chunks"] = doc_chunks(url, key, file)
    if open_webui_folder:
        report["open_webui"] = open_webui(open_webui_folder, url, key, file)
    if ragflow_folder:
        report["ragflow"] = ragflow(ragflow_folder, url, file)
        report["ragflow without text"] = ragflow(ragflow_folder, url, empty)
    sys.stdout.write(f"\n{json.dumps(report)}\n")


main(*sys.argv[1:])
