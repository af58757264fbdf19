"""An MCP server for assistants: search what Pagemill has read, and have it read a file.

`python -m examples.mcp_tool`, beside `make serve` (PAGEMILL_URL names another server); needs `pip install 'mcp>=2'`.
"""

from __future__ import annotations

import os
from pathlib import Path

from mcp.server.mcpserver import MCPServer  # pyright: ignore[reportMissingImports]

from pagemill import AsyncClient

tools = MCPServer("pagemill")
client = AsyncClient(
    os.environ.get("PAGEMILL_URL", "http://127.0.0.1:8000"), api_key=os.environ.get("PAGEMILL_API_KEY")
)


@tools.tool()
async def search_documents(query: str, k: int = 5) -> list[dict[str, object]]:
    """Passages that answer a query, each with document and page to cite."""
    found = await client.query(query, k=k)
    return [each.model_dump(include={"document_id", "page", "heading_path", "text"}) for each in found.passages]


@tools.tool()
async def read_document(path: str) -> str:
    """The text of a PDF or of a page's picture on this machine, as Markdown; search finds it from then on."""
    job = await client.ingest(Path(path), wait_s=None)
    return (await client.result(job.id)).text


if __name__ == "__main__":
    tools.run()
