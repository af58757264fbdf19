"""`pagemill query`: passages with their page, and a link of the terminal that leads there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

import typer
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from pagemill.client import Client
from pagemill.connection import IMPATIENT, ApiKey, AsJson, Url, server_url, told, write_json
from pagemill.plain_words import visible
from pagemill.record import Record
from pagemill.values import Answer, Mode, Passage, WrittenAnswer


def query(
    text: Annotated[str, typer.Argument(help="what is asked")],
    k: Annotated[int, typer.Option("-k", min=1, max=100, help="passages")] = 5,
    mode: Annotated[Mode, typer.Option(help="how is searched")] = "hybrid",
    document: Annotated[list[str] | None, typer.Option(help="id of a document to search in; may be repeated")] = None,
    answer: Annotated[bool, typer.Option("--answer", help="let the server write an answer from the passages")] = False,
    out: Annotated[
        Path | None, typer.Option(help="out folder of an ingestion: links lead to its files instead of the server")
    ] = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """Search: the best passages, each with its document, page and headings."""
    address = server_url(url)
    filters = {"document_id": document} if document else {}
    with told(as_json=as_json), Client(address, api_key=api_key, retries=IMPATIENT) as client:
        found = client.query(text, k=k, mode=mode, filters=filters, answer=answer)
    files = {} if out is None else Record(out).documents()
    links = [link(passage, address, files) for passage in found.passages]
    if as_json:
        body = found.model_dump(mode="json")
        for passage, place in zip(body["passages"], links, strict=True):
            passage["link"] = place
        write_json(body)
        return
    console = Console(highlight=False)
    if found.answer is not None:
        show_answer(console, found.answer, links)
    show(console, found, links, files)


def link(passage: Passage, url: str, files: dict[str, str]) -> str:
    """Where a passage can be looked at: its page in the local file that is known, else the page's picture."""
    if (file := files.get(passage.document_id)) is not None:
        return f"{Path(file).as_uri()}#page={passage.page}"
    return f"{url}/v1/documents/{quote(passage.document_id)}/pages/{passage.page}/image"


def show(console: Console, answer: Answer, links: list[str], files: dict[str, str]) -> None:
    """The passages for a person; `link` is what a terminal opens."""
    if not answer.passages:
        console.print("nothing found")
    for place, (passage, where) in enumerate(zip(answer.passages, links, strict=True), 1):
        known = passage.document_id in files
        name = visible(Path(files[passage.document_id]).name if known else _short(passage.document_id))
        head = Text(f"{place}. ")
        head.append(f"{name}, page {passage.page}", style=f"bold cyan link {where}")
        head.append(f"  {passage.score:.3f}", style="dim")
        if passage.heading_path:
            head.append("  " + visible(" › ".join(passage.heading_path)), style="italic")
        console.print(head, soft_wrap=True)
        console.print(Padding(Text(visible(" ".join(passage.text.split()))), (0, 0, 1, 3)))
    if answer.mode == "full_text" and answer.embedder is None:
        console.print("[dim]by full text alone: the server has no embedder[/]")


def show_answer(console: Console, answer: WrittenAnswer, links: list[str]) -> None:
    """The text with its marks as links to their passages; and what a reader should know of it."""
    if answer.outcome == "not_found":
        console.print("the passages do not hold the answer\n")
        return
    text = Text(visible(answer.text.strip()))
    for cited in answer.citations:
        text.highlight_regex(rf"\[{cited.number}\]", f"bold cyan link {links[cited.number - 1]}")
    console.print(text)
    for caution in _cautions(answer):
        console.print(Text(caution, style="yellow"))
    console.print()


def _cautions(answer: WrittenAnswer) -> Iterator[str]:
    if answer.outcome == "uncited":
        yield "it names no passage: nothing shows that the passages say so"
    if answer.dropped:
        yield f"left out, as no passage has the number: {', '.join(answer.dropped)}"
    if answer.finish_reason == "length":
        yield "cut off at the server's limit"
    if answer.error is not None:
        yield f"{answer.error.message} ({answer.error.code})"


def _short(document_id: str) -> str:
    is_hash = len(document_id) == 64 and all(sign in "0123456789abcdef" for sign in document_id)
    return f"{document_id[:12]}…" if is_hash else document_id
