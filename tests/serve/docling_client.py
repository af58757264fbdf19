"""What people do with docling's own client: run by its own Python, which holds nothing else of ours.

`python docling_client.py URL KEY FILE...` prints, as JSON, what it read of each file.
"""

import json
import sys
from io import BytesIO
from pathlib import Path

from docling.datamodel.service.options import ConvertDocumentsOptions
from docling.service_client import ChunkerKind, ConversionError, DoclingServiceClient, StatusWatcherKind
from docling.service_client.exceptions import DoclingServiceClientError
from docling_core.types.io import DocumentStream


def main(url: str, key: str, *files: str) -> None:
    """Convert each file, once by WebSocket and once by polling; cut the first one into chunks; fail on no document."""
    report: dict = {"converted": [], "chunks": {}}
    with DoclingServiceClient(url, api_key=key) as client:
        report["health"] = client.health().status
        report["versions"] = sorted(client.version())
        for file in files:
            result = client.convert(Path(file))
            report["converted"].append(
                {
                    "name": result.document.name,
                    "status": result.status.value,
                    "pages": len(result.document.pages),
                    "markdown": result.document.export_to_markdown(),
                    "pictures": sum(picture.image is not None for picture in result.document.pictures),
                }
            )
        for kind in ChunkerKind:
            chunks = client.chunk(Path(files[0]), kind).chunks
            report["chunks"][kind.value] = [[chunk.page_numbers, chunk.text] for chunk in chunks]
        report["failed"] = failure(client)
    with DoclingServiceClient(url, api_key=key, status_watcher=StatusWatcherKind.POLLING) as client:
        options = ConvertDocumentsOptions(do_ocr=False, table_mode="fast", page_range=(1, 1))
        report["first page"] = client.convert(Path(files[0]), options=options).document.export_to_markdown()
    with DoclingServiceClient(url, api_key=key) as client:
        report["all"] = [result.status.value for result in client.convert_all([Path(file) for file in files])]
    sys.stdout.write(json.dumps(report))


def failure(client: DoclingServiceClient) -> list[str]:
    """What the client says of bytes that are no document, and of a document that cannot be opened."""
    messages: list[str] = []
    for content in (b"no document", b"%PDF-1.4 nothing"):
        try:
            client.convert(DocumentStream(name="a.pdf", stream=BytesIO(content)))
        except (DoclingServiceClientError, ConversionError) as error:
            messages.append(f"{type(error).__name__}: {error}")
    return messages


main(*sys.argv[1:])
