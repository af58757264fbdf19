"""A LangChain loader: files through a running server, a `Document` for each chunk, with page and headings.

`python -m examples.langchain_loader paper.pdf`, beside `make serve`; needs `pip install langchain-core`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from langchain_core.document_loaders import BaseLoader  # pyright: ignore[reportMissingImports]
from langchain_core.documents import Document  # pyright: ignore[reportMissingImports]

from pagemill import Client


class PagemillLoader(BaseLoader):
    """Gives what the server's chunks say; raises for a file that cannot be read."""

    def __init__(self, *files: str | Path, client: Client) -> None:
        self._files, self._client = files, client

    def lazy_load(self) -> Iterator[Document]:
        for file in self._files:
            job = self._client.ingest(Path(file), wait_s=None)
            for chunk in self._client.result(job.id, "chunks").chunks():
                pages = sorted({span.page for span in chunk.spans})
                metadata = {"source": str(file), "document_id": job.document_id, "pages": pages, "kind": chunk.kind}
                yield Document(
                    id=chunk.id, page_content=chunk.text, metadata=metadata | {"headings": chunk.heading_path}
                )


if __name__ == "__main__":
    with Client() as client:
        for document in PagemillLoader(*sys.argv[1:], client=client).lazy_load():
            print(document.metadata["pages"], document.page_content[:100].replace("\n", " "))
