"""What a PDF says beside and below its words: fields of forms, comments, characters; and the CPU time of reading it.

`python -m benchmarks.born_digital [--forms FOLDER ...] [--comments FOLDER] [--texts FOLDER] [--json OUT]`
Fields of forms are compared with what pikepdf reads in the file, comments with what pdfannots reads (both must be
installed): as many as they have in common by page and name or kind, and of these how many have the same value, state
and words. Files without a field or comment do not count. Of texts it counts U+FFFD, private characters and accents that
stand apart from their letters, in the lines that a person sees. Pages are inspected in this process, without networks.
"""

from __future__ import annotations

import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from benchmarks.harness import report
from benchmarks.harness.options import parser_of
from documents.errors import IngestError
from documents.inspection import Inspection
from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits
from documents.values import Source

MAX_PAGES = 20  # of a file
HIDDEN = 2 | 32  # flags of a widget that is not shown
PASSWORD = 1 << 13
BUTTON, CHOICE, SIGNATURE = "/Btn", "/Ch", "/Sig"
PUSH_BUTTON = 1 << 16
ACCENTS_APART = re.compile(r"[^\W\d_][´`¨ˆ˜¸ˇ˘˙˚˝][^\W\d_]|[^\W\d_] ?[´`¨ˆˇ˘˝] [^\W\d_]")
PRIVATE = re.compile("[\ue000-\uf8ff]")
MARKS = {"Highlight": "highlight", "Underline": "underline", "Squiggly": "squiggly", "StrikeOut": "strike_out"}
KINDS = MARKS | {"Text": "note", "FreeText": "free_text", "Caret": "caret"}

Comment = tuple[int, str, str, str]  # page, kind, what was written, the words that it marks
Field = tuple[str, str]  # name; value, or `on` and `off`


def main() -> int:
    parser = parser_of(__doc__)
    parser.add_argument("--forms", type=Path, nargs="*", default=[], help="folders of PDFs with fields")
    parser.add_argument("--comments", type=Path, help="folder of PDFs with comments")
    parser.add_argument("--texts", type=Path, help="folder of PDFs whose characters are counted")
    options = parser.parse_args()
    figures: dict[str, float] = {}
    rows: list[dict[str, Any]] = []
    for part, folders, compared in (
        ("forms", options.forms, form_row),
        ("comments", [options.comments] if options.comments else [], comment_row),
        ("texts", [options.texts] if options.texts else [], text_row),
    ):
        own = [{"part": part, **row} for path in _pdfs(folders) if (row := compared(path)) is not None]
        rows += own
        figures |= {f"{part}_{name}": value for name, value in _sums(own).items()}
    print(report.table(rows))
    print(report.table([{"figure": name, "value": value} for name, value in figures.items()]))
    if options.out:
        report.record(options.out, "born_digital", figures, rows)
    return 0


def form_row(path: Path) -> dict[str, Any] | None:
    """The fields of a file by pikepdf and by us; None without fields."""
    expected = _or_none(pikepdf_fields, path)
    inspected = _inspected(path) if expected else None
    if inspected is None:
        return None
    pages, seconds = inspected
    read: list[Field] = []
    for page in pages:
        read += [
            (field.name, (field.state or "") if field.kind in ("check", "radio") else field.value)
            for field in page.fields
        ]
    names = Counter(name for name, _ in expected) & Counter(name for name, _ in read)
    same = Counter(map(_plain, expected)) & Counter(map(_plain, read))
    return {
        "file": path.name,
        "expected": len(expected),
        "read": len(read),
        "matched": names.total(),
        "same": same.total(),
        **_time(pages, seconds),
    }


def comment_row(path: Path) -> dict[str, Any] | None:
    """The comments of a file by pdfannots and by us; None without comments."""
    expected = _or_none(pdfannots_comments, path)
    inspected = _inspected(path) if expected else None
    if inspected is None:
        return None
    pages, seconds = inspected
    read = [
        (page.number, one.kind, _words(one.text), _words(one.words if one.kind in MARKS.values() else ""))
        for page in pages
        for one in page.annotations
    ]
    matched = Counter(one[:2] for one in expected) & Counter(one[:2] for one in read)
    return {
        "file": path.name,
        "expected": len(expected),
        "read": len(read),
        "matched": matched.total(),
        "same": (Counter(expected) & Counter(read)).total(),
        **_time(pages, seconds),
    }


def text_row(path: Path) -> dict[str, Any] | None:
    """What stands in the text of a file that is no character of it."""
    inspected = _inspected(path)
    if inspected is None:
        return None
    pages, seconds = inspected
    text = "\n".join(line.text for page in pages for line in page.lines if line.hidden is None)
    return {
        "file": path.name,
        "characters": len(text),
        "unknown": text.count("\ufffd"),
        "private": len(PRIVATE.findall(text)),
        "accents_apart": len(ACCENTS_APART.findall(text)),
        **_time(pages, seconds),
    }


def pikepdf_fields(path: Path) -> list[Field]:
    """The fields that a reader sees, in the order of the pages."""
    import pikepdf  # pyright: ignore[reportMissingImports]

    with pikepdf.open(path) as pdf:
        return [field for page in list(pdf.pages)[:MAX_PAGES] for field in _page_fields(page)]


def _page_fields(page: Any) -> Iterator[Field]:
    for widget in page.get("/Annots", ()):
        if widget.get("/Subtype") != "/Widget" or int(widget.get("/F", 0)) & HIDDEN:
            continue
        kind, flags, value = (_inherited(widget, key) for key in ("/FT", "/Ff", "/V"))
        flags = int(flags or 0)
        if kind is None or (kind == BUTTON and flags & PUSH_BUTTON) or (kind == "/Tx" and flags & PASSWORD):
            continue
        name = ".".join(reversed([str(one["/T"]) for one in _chain(widget) if "/T" in one]))
        if kind == BUTTON:
            yield name, "off" if str(widget.get("/AS", "/Off")) in ("", "/Off") else "on"
        elif kind == SIGNATURE:
            yield name, str(value.get("/Name", "")) if value is not None else ""
        else:
            yield name, "" if value is None else _text(value)


def _text(value: Any) -> str:
    import pikepdf  # pyright: ignore[reportMissingImports]

    if isinstance(value, pikepdf.Array):
        return "\n".join(map(str, value))
    return value.read_bytes().decode("latin-1") if isinstance(value, pikepdf.Stream) else str(value)


def _chain(widget: Any) -> Iterator[Any]:
    """A field and the groups above it."""
    for _ in range(20):
        yield widget
        widget = widget.get("/Parent")
        if widget is None:
            return


def _inherited(widget: Any, key: str) -> Any:
    return next((one[key] for one in _chain(widget) if key in one), None)


def pdfannots_comments(path: Path) -> list[Comment]:
    """The comments that pdfannots finds, of the kinds that it and we know."""
    import pdfannots  # pyright: ignore[reportMissingImports]

    with path.open("rb") as file:
        document = pdfannots.process_file(file)
    return [
        (
            one.pos.page.pageno + 1,
            KINDS[one.subtype.name],
            _words(one.contents or ""),
            _words(one.gettext() or "") if one.subtype.name in MARKS else "",
        )
        for one in document.iter_annots()
        if one.pos is not None and one.subtype.name in KINDS
    ]


def _plain(field: Field) -> Field:
    return field[0], _words(field[1])


def _words(text: str) -> str:
    """With single spaces, and without hyphens, which end lines."""
    return " ".join(text.replace("-", "").replace("\ufffe", "").split())


def _or_none(read: Callable[[Path], Sequence[Any]], path: Path) -> Sequence[Any]:
    """Nothing of a file that the other reader cannot open."""
    with suppress(Exception):
        return read(path)
    return ()


def _inspected(path: Path) -> tuple[list[Inspection], float] | None:
    """The first pages of a file, and the CPU seconds that they took; None of one that cannot be read."""
    begun = time.process_time()
    pages: list[Inspection] = []
    try:
        file = PdfFile(Source(path=str(path), media_type="application/pdf"), RenderLimits())
        for number in range(1, min(MAX_PAGES, file.opened().num_pages) + 1):
            with suppress(IngestError):
                pages.append(file.inspect(number))
        file.close()
    except IngestError:
        return None
    return pages, time.process_time() - begun


def _time(pages: Sequence[Inspection], seconds: float) -> dict[str, float]:
    return {"pages": len(pages), "cpu_s": round(seconds, 3)}


def _sums(rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    """The sums of all figures, and the CPU time per page."""
    if not rows:
        return {}
    names = [name for name, value in rows[0].items() if isinstance(value, int | float)]
    sums = {name: round(sum(row[name] for row in rows), 3) for name in names}
    per_page = round(1000 * sums.pop("cpu_s") / max(1, sums["pages"]), 1)
    return {"files": len(rows), **sums, "cpu_ms_per_page": per_page}


def _pdfs(folders: Sequence[Path]) -> list[Path]:
    """The PDFs in folders and below, each name once."""
    paths = {path.name: path for folder in folders for path in sorted(folder.rglob("*.pdf"))}
    return [paths[name] for name in sorted(paths)]


if __name__ == "__main__":
    sys.exit(main())
