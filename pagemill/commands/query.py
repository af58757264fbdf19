"""`pagemill query`: prints passages with their page and a link, and the generated answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

import typer
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from pagemill.client import Client
from pagemill.commands.server_discovery import (
    INTERACTIVE_RETRIES,
    ApiKey,
    AsJson,
    Url,
    error_output,
    server_url,
    write_json,
)
from pagemill.commands.terminal_text import visible
from pagemill.ingesting.ingest_log import IngestLog
from pagemill.values import Answer, Mode, Passage, WrittenAnswer

MAX_SNIPPET_CHARACTERS = 300  # maximum length of a passage that is shown without a best sentence
MAX_LINK_BOXES = 8  # maximum number of lines of a sentence that a link highlights


def query(
    text: Annotated[str, typer.Argument(help="the question")],
    k: Annotated[int, typer.Option("-k", min=1, max=100, help="number of passages")] = 5,
    mode: Annotated[Mode, typer.Option(help="search mode")] = "hybrid",
    document: Annotated[list[str] | None, typer.Option(help="search only this document; may be repeated")] = None,
    answer: Annotated[bool, typer.Option("--answer", help="have a model write an answer")] = False,
    scores: Annotated[bool, typer.Option("--scores", help="show the score by which passages are ordered")] = False,
    out: Annotated[
        Path | None, typer.Option(help="output folder of `ingest`: link to its files instead of the server")
    ] = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """Search: the best passages, each with its document, page and headings."""
    address = server_url(url)
    filters = {"document_id": document} if document else {}
    with error_output(as_json=as_json), Client(address, api_key=api_key, retries=INTERACTIVE_RETRIES) as client:
        result = client.query(text, k=k, mode=mode, filters=filters, answer=answer)
    files = {} if out is None else IngestLog(out).documents()
    links = [link(passage, address, files) for passage in result.passages]
    if as_json:
        body = result.model_dump(mode="json")
        for passage, place in zip(body["passages"], links, strict=True):
            passage["link"] = place
        write_json(body)
        return
    console = Console(highlight=False)
    if result.answer is not None:
        show_answer(console, result.answer, links)
    show(console, result, links, files, scores=scores)


def link(passage: Passage, url: str, files: dict[str, str]) -> str:
    """Where a passage can be looked at: its page in a local file, else the web page with the sentence highlighted."""
    if (file := files.get(passage.document_id)) is not None:
        return f"{Path(file).as_uri()}#page={passage.page}"
    highlight = passage.highlight
    page = passage.page if highlight is None else highlight.page
    boxes = passage.boxes if highlight is None else highlight.boxes
    corners = [[box.box.x0, box.box.y0, box.box.x1, box.box.y1] for box in boxes if box.box and box.page == page]
    query = "&".join("box=" + ",".join(f"{edge:.0f}" for edge in box) for box in corners[:MAX_LINK_BOXES])
    address = f"{url}/#/documents/{quote(passage.document_id, safe='')}/pages/{page}"
    return f"{address}?{query}" if query else address


def show(console: Console, answer: Answer, links: list[str], files: dict[str, str], *, scores: bool = False) -> None:
    """The passages for a person; `link` is what a terminal opens."""
    if not answer.passages:
        console.print("nothing found")
    for place, (passage, where) in enumerate(zip(answer.passages, links, strict=True), 1):
        head = Text(f"{place}. ")
        head.append(f"{visible(_name(passage, files))}, page {_page(passage)}", style=f"bold cyan link {where}")
        if scores:
            head.append(f"  {passage.score:.3f}", style="dim")
        if passage.heading_path:
            head.append("  " + visible(" › ".join(passage.heading_path)), style="italic")
        console.print(head, soft_wrap=True)
        console.print(Padding(_snippet(passage), (0, 0, 0, 3)))
        console.print(Text(f"   {where}\n", style="dim"), soft_wrap=True)
    if answer.mode == "full_text" and answer.embedder is None:
        console.print("[dim]full-text search only: the server has no embedder[/]")


def _name(passage: Passage, files: dict[str, str]) -> str:
    """Of the local file, else under which it was uploaded, else its id."""
    if passage.document_id in files:
        return Path(files[passage.document_id]).name
    return passage.file_name or _short(passage.document_id)


def _page(passage: Passage) -> str:
    number = passage.page if passage.highlight is None else passage.highlight.page
    return visible(f"{passage.page_label} ({number})") if passage.page_label else str(number)


def _snippet(passage: Passage) -> Text:
    """The best sentence with its terms marked; the beginning of the text where no sentence has any."""
    if passage.highlight is None:
        words = " ".join(passage.text.split())
        return Text(visible(words[:MAX_SNIPPET_CHARACTERS] + (" …" if len(words) > MAX_SNIPPET_CHARACTERS else "")))
    snippet = Text(visible(" ".join(passage.highlight.text.split())))
    for term in passage.highlight.terms:
        snippet.highlight_regex(rf"(?<!\w){re.escape(term)}(?!\w)", "bold")
    return snippet


def show_answer(console: Console, answer: WrittenAnswer, links: list[str]) -> None:
    """The text with its marks as links to their passages; and what a reader should know of it."""
    if answer.outcome == "not_found":
        console.print("the passages do not contain the answer\n")
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
        yield "uncited: the answer cites no passage"
    if answer.dropped:
        yield f"removed citations of passages that do not exist: {', '.join(answer.dropped)}"
    if answer.finish_reason == "length":
        yield "cut off at the server's limit"
    if answer.error is not None:
        yield f"{answer.error.message} ({answer.error.code})"


def _short(document_id: str) -> str:
    is_hash = len(document_id) == 64 and all(letter in "0123456789abcdef" for letter in document_id)
    return f"{document_id[:12]}…" if is_hash else document_id
