"""A LlamaIndex reader: files through a running server, a `TextNode` for each chunk, with page and headings.

`python -m examples.llamaindex_loader paper.pdf`, beside `make serve`; needs `pip install llama-index-core`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from llama_index.core.schema import (  # pyright: ignore[reportMissingImports]
    NodeRelationship,
    RelatedNodeInfo,
    TextNode,
)

from pagemill import Client


def nodes(client: Client, files: Iterable[str | Path]) -> Iterable[TextNode]:
    """What the server's chunks say; raises for a file that cannot be read. For `VectorStoreIndex(list(nodes(...)))`."""
    for file in files:
        job = client.ingest(Path(file), wait_s=None)
        source = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id=job.document_id)}
        for chunk in client.result(job.id, "chunks").chunks():
            pages = ", ".join(map(str, sorted({span.page for span in chunk.spans})))
            metadata = {"file": str(file), "pages": pages, "headings": " > ".join(chunk.heading_path)}
            yield TextNode(id_=chunk.id, text=chunk.text, metadata=metadata, relationships=source)


if __name__ == "__main__":
    with Client() as client:
        for node in nodes(client, sys.argv[1:]):
            print(node.metadata["pages"], node.text[:100].replace("\n", " "))
