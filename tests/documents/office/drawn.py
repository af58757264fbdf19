"""Files drawn for the tests, by libraries that are not ours, and hostile ones by hand."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from documents.media_types import sniff_content
from documents.office.mail.inner_files import InnerFiles
from documents.office.packages.text_budget import TextBudget
from documents.office.parsed_file import Authored
from documents.office.parsers import parse_content
from documents.values import Page

TYPES = '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def parsed(content: bytes, name: str = "") -> Authored:
    """What the parser of a file makes of it; in this process, without pages that are drawn."""
    kind = sniff_content(content, name)
    assert kind is not None
    return parse_content(
        content,
        kind,
        InnerFiles(parse_content, lambda _content, _kind, _inner: (1, []), 2000, TextBudget(len(content))),
    )


def pages_of(content: bytes, name: str = "") -> list[Page]:
    return [page for page in parsed(content, name).pages if isinstance(page, Page)]


def regions_of(content: bytes, name: str = "") -> list:
    return [region for page in pages_of(content, name) for region in page.regions]


def zipped(parts: dict[str, str | bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file.getvalue()


def related(kind: str, target: str, mode: str = "") -> str:
    """A part of relations with one that leads to a target."""
    external = f' TargetMode="{mode}"' if mode else ""
    one = f'<Relationship Id="rId1" Type="{OFFICE}/{kind}" Target="{target}"{external}/>'
    return f'<?xml version="1.0"?><Relationships xmlns="{RELATIONS}">{one}</Relationships>'


def docx(body: str, further: dict[str, str | bytes] | None = None, prolog: str = "") -> bytes:
    """A DOCX of this body."""
    document = f'<?xml version="1.0"?>{prolog}<w:document xmlns:w="{WORD}" xmlns:r="{OFFICE}" '
    document += 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    document += f'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"><w:body>{body}</w:body></w:document>'
    return zipped(
        {
            "[Content_Types].xml": TYPES,
            "_rels/.rels": related("officeDocument", "word/document.xml"),
            "word/document.xml": document,
            **(further or {}),
        }
    )


def odt(body: str, styles: str = "") -> bytes:
    """An ODT of this body; `styles` stand before it."""
    spaces = "".join(
        f' xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{kind}:1.0"'
        for prefix, kind in (
            ("office", "office"),
            ("text", "text"),
            ("style", "style"),
            ("table", "table"),
            ("svg", "svg-compatible"),
        )
    )
    content = f"<office:document-content{spaces}>{styles}<office:body><office:text>{body}</office:text></office:body>"
    return zipped({"META-INF/manifest.xml": "<m/>", "content.xml": f"{content}</office:document-content>"})


def xlsx(sheets: dict[str, str], further: dict[str, str | bytes] | None = None) -> bytes:
    """An XLSX whose sheets have these rows."""
    names = "".join(f'<sheet name="{name}" sheetId="{k}" r:id="s{k}"/>' for k, name in enumerate(sheets, 1))
    kind = f"{OFFICE}/worksheet"
    relations = "".join(
        f'<Relationship Id="s{k}" Type="{kind}" Target="worksheets/sheet{k}.xml"/>' for k in range(1, len(sheets) + 1)
    )
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": TYPES,
        "_rels/.rels": related("officeDocument", "xl/workbook.xml"),
        "xl/workbook.xml": f'<workbook xmlns="{SHEET}" xmlns:r="{OFFICE}"><sheets>{names}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{RELATIONS}">{relations}</Relationships>',
    }
    for k, rows in enumerate(sheets.values(), 1):
        parts[f"xl/worksheets/sheet{k}.xml"] = f'<worksheet xmlns="{SHEET}"><sheetData>{rows}</sheetData></worksheet>'
    return zipped(parts | (further or {}))


def paragraph(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def saved(document) -> bytes:
    """What a library's document saves."""
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def written(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path
