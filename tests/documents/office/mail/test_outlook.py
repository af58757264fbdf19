"""An Outlook file is read as the mail that it holds, its attachments too; a damaged one ends in a named error."""

from __future__ import annotations

import contextlib
import io
import random
import struct

import olefile
import pytest

from documents.errors import IngestError, PageFailed, TooLargeUnpacked
from documents.media_types import DOCX, LOCKED_OFFICE, OUTLOOK, sniff_content, sniff_file
from documents.office.mail import outlook_properties
from documents.office.parsed_file import PrintedPage
from documents.sandbox import RendererPool
from documents.values import Source
from tests.documents.office.compound import compound, message
from tests.documents.office.drawn import docx, paragraph, parsed, written
from tests.documents.office.test_others import png

TIDES = {0x37: "The tides", 0x42: "Ann", 0x65: "ann@example.org", 0x1000: "plain words"}


def attachment(name: str, content: bytes) -> dict:
    return message({0x3707: name, 0x3701: content}, header=8)


def tides(**parts: dict) -> bytes:
    recipient = message({0x3001: "Bob", 0x39FE: "bob@example.org"}, header=8, number_0C15=1)
    texts = TIDES | {0x1013: "<p>marked <b>wörds</b></p>".encode("cp1252")}
    return compound(message(texts, {"__recip_version1.0_#00000000": recipient} | parts, number_3FDE=1252))


def test_a_message_has_its_headers_its_text_and_its_attachments() -> None:
    content = tides(
        **{
            "__attach_version1.0_#00000000": attachment("a.docx", docx(paragraph("attached"))),
            "__attach_version1.0_#00000001": attachment("scan.png", png()),
            "__attach_version1.0_#00000002": attachment("b.bin", b"\x00\x01\x02"),
        }
    )
    assert not olefile.OleFileIO(io.BytesIO(content)).parsing_issues  # what is drawn here is sound
    document = parsed(content)
    first, attached, scanned = document.pages
    assert [region.text for region in first.regions] == [
        "The tides",
        "From: Ann <ann@example.org>\nTo: Bob <bob@example.org>",
        "marked wörds",
    ]
    assert first.regions[2].place.part == "1.2"
    assert (attached.regions[0].text, attached.regions[0].place.inside) == ("attached", ("a.docx",))
    assert scanned == PrintedPage("scan.png", 1)
    assert document.read_part("scan.png") == png()
    assert [warning.code for warning in document.warnings] == ["attachment_unread"]
    assert document.metadata["title"] == "The tides"


def test_a_message_within_a_message_is_read() -> None:
    """Guards against a forwarded mail that is lost: it has no bytes of its own, but a storage."""
    inner = message(
        {0x37: "Forwarded", 0x1000: "inner words"},
        {"__attach_version1.0_#00000000": attachment("deep.txt", b"deep words")},
        header=24,
    )
    outer = message({0x3001: "letter"}, {"__substg1.0_3701000D": inner}, header=8)
    document = parsed(tides(**{"__attach_version1.0_#00000000": outer}))
    texts = [(region.place.inside, region.text) for page in document.pages for region in page.regions]
    assert (("letter",), "inner words") in texts
    assert (("letter", "deep.txt"), "deep words") in texts


def test_text_in_a_code_page_is_decoded_by_what_the_message_says() -> None:
    """Guards against `?` in place of Cyrillic: strings of eight bits are in the message's code page."""
    storage = message({0x37: "x"}, number_3FFD=1251)
    storage["__substg1.0_1000001E"] = "Привет".encode("cp1251")
    assert [region.text for region in parsed(compound(storage)).pages[0].regions] == ["x", "Привет"]


def test_text_that_is_rtf_alone_is_reported() -> None:
    document = parsed(compound(message({0x37: "x", 0x1009: b"packed"})))
    assert [warning.code for warning in document.warnings] == ["cut_short"]


def test_what_a_compound_file_is_its_directory_says() -> None:
    """Guards against other files of Office's old form: only messages and encrypted files are opened."""
    for content, kind in (
        (tides(), OUTLOOK),
        (compound({"EncryptedPackage": b"x", "EncryptionInfo": b"x"}), LOCKED_OFFICE),
        (compound({"WordDocument": b"x"}), None),
        (compound({"Workbook": b"x" * 5000}), None),
    ):
        assert sniff_content(content, "a.msg") == kind
        assert sniff_file(io.BytesIO(content), "a") == kind


@pytest.mark.parametrize("seed", range(40))
def test_a_damaged_message_is_read_or_refused_by_name(seed: int) -> None:
    """Guards against parsers that raise what nobody names, or never end, over wrong sectors and sizes."""
    chance = random.Random(seed)
    content = bytearray(tides(**{"__attach_version1.0_#00000000": attachment("a.txt", b"some words " * 800)}))
    for _ in range(1 + seed % 8):
        at = chance.randrange(8, len(content) - 4)
        content[at : at + 4] = chance.choice((b"\xff\xff\xff\xff", b"\0\0\0\0", chance.randbytes(4), b"\x01\0\0\0"))
    content = bytes(content[: chance.randrange(600, len(content))] if seed % 4 == 0 else content)
    if sniff_content(content) == OUTLOOK:
        with contextlib.suppress(IngestError):
            parsed(content, "a.msg")


def test_a_chain_of_sectors_that_bites_its_tail_ends() -> None:
    """Guards against a table of sectors that leads round for ever."""
    content = bytearray(tides(**{"__attach_version1.0_#00000000": attachment("a.txt", b"some words " * 800)}))
    (table,) = struct.unpack_from("<I", content, 76)
    at = (table + 1) * 512
    for k in range(100):
        struct.pack_into("<I", content, at + 4 * k, k)
    with contextlib.suppress(IngestError):
        parsed(bytes(content), "a.msg")


def test_streams_that_are_read_over_and_over_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against a small file whose thousand streams are all its one large one."""
    monkeypatch.setattr(outlook_properties, "MAX_UNPACKED_BYTES", 20_000)
    parts = {f"__attach_version1.0_#{k:08X}": attachment(f"{k}.txt", b"word " * 1000) for k in range(5)}
    with pytest.raises(TooLargeUnpacked):
        parsed(tides(**parts))


@pytest.mark.anyio
async def test_a_message_is_read_behind_the_walls(tmp_path) -> None:
    """Guards against a module that is loaded when it is first needed: behind the walls nothing can be."""
    parts = {"__attach_version1.0_#00000000": attachment("a.docx", docx(paragraph("attached")))}
    source = Source(path=str(written(tmp_path, "a.msg", tides(**parts))), media_type=OUTLOOK)
    pool = RendererPool(1)
    try:
        opened = await pool.open(source)
        pages = [await pool.authored(source, number) for number in range(1, opened.num_pages + 1)]
    finally:
        await pool.close()
    assert [region.text for page in pages if page is not None for region in page.regions][-1] == "attached"


@pytest.mark.anyio
async def test_attachments_are_listed_and_are_documents_where_that_is_wanted(tmp_path) -> None:
    """Guards against attachments that are pages of the mail and documents of their own at once."""
    letter = docx(paragraph("attached"))
    parts = {
        "__attach_version1.0_#00000000": attachment("a.docx", letter),
        "__attach_version1.0_#00000001": attachment("b.bin", b"\x00\x01\x02"),
    }
    source = Source(path=str(written(tmp_path, "a.msg", tides(**parts))), media_type=OUTLOOK)
    pool = RendererPool(1)
    try:
        as_pages = await pool.open(source)
        source = source.model_copy(update={"attachments": "documents"})
        as_documents = await pool.open(source)
        content = await pool.attachment(source, "a.docx")
        with pytest.raises(PageFailed):
            await pool.attachment(source, "../a.docx")
    finally:
        await pool.close()
    assert (as_pages.num_pages, as_documents.num_pages) == (2, 1)
    assert [(one.name, one.media_type) for one in as_documents.attachments] == [
        ("a.docx", DOCX),
        ("b.bin", "application/octet-stream"),
    ]
    assert as_documents.attachments == as_pages.attachments
    assert content == letter
    assert [warning.code for warning in as_documents.warnings] == ["attachment_unread"]
