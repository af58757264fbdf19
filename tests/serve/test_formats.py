"""Office files, web pages and mail through the running graph: text, places, pictures in them, and refusals."""

from __future__ import annotations

import base64
import io
import json
from email.message import EmailMessage

import docx
import httpx
import openpyxl
import pptx
import pytest
from pptx.util import Inches

from pagemill import Client
from tests.documents.office.drawn import saved
from tests.serve.files import pdf, png

pytestmark = pytest.mark.serve


def letter() -> bytes:
    """A DOCX with a heading, a table and the picture of a printed page."""
    document = docx.Document()
    document.add_heading("Ferry timetable", 1)
    document.add_paragraph("The ferry to Marstal leaves at nine.")
    table = document.add_table(2, 2)
    table.cell(0, 0).text, table.cell(0, 1).text = "Quay", "Ferry"
    table.cell(1, 0).text, table.cell(1, 1).text = "North", "Ærø"
    document.add_picture(io.BytesIO(png()), width=Inches(5))
    return saved(document)


def deck() -> bytes:
    slides = pptx.Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[1])
    slide.shapes.title.text = "Dredging plan"
    slide.placeholders[1].text = "The basin is dredged in spring"
    return saved(slides)


def sheet() -> bytes:
    book = openpyxl.Workbook()
    book.active.title = "Berths"
    for row in (["Berth", "Depth"], ["Tanker jetty", 11.5], ["Fish quay", 4]):
        book.active.append(row)
    return saved(book)


def mail() -> bytes:
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = "Pilot rota", "a@example.org", "b@example.org"
    message.set_content("<p>The pilots change at midnight.</p>", subtype="html")
    message.add_attachment(pdf(2, title="Attached rules"), maintype="application", subtype="pdf", filename="rules.pdf")
    return message.as_bytes()


FILES = {
    "letter.docx": (letter, "ferry to Marstal", "document"),
    "deck.pptx": (deck, "basin dredged spring", "slide"),
    "sheet.xlsx": (sheet, "tanker jetty depth", "sheet"),
    "page.html": (
        lambda: b"<!doctype html><h1>Lock keeper</h1><p>The lock keeper closes the gate.</p>",
        "lock keeper gate",
        "element",
    ),
    "notes.md": (lambda: b"# Buoys\n\nThe green buoy was moved east.\n", "green buoy moved", "lines"),
    "list.csv": (lambda: b"harbour,flag\nKappeln,blue pennant\n", "Kappeln pennant", "sheet"),
    "plain.txt": (lambda: b"The slipway is closed on Sundays.\n", "slipway closed", "lines"),
    "rota.eml": (mail, "pilots change midnight", "mail"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_each_format_is_found_with_its_place(client: httpx.Client, name: str) -> None:
    """Guards against citations that point at nothing."""
    make, query, kind = FILES[name]
    answer = client.post("/v1/documents", params={"wait": 120}, files={"file": (name, make())})
    job = answer.json()
    assert (answer.status_code, job["status"]) == (200, "succeeded"), answer.text
    passages = client.post("/v1/query", json={"query": query, "k": 10}).json()["passages"]
    hit = next(passage for passage in passages if passage["document_id"] == job["document_id"])
    assert {box["place"]["kind"] for box in hit["boxes"]} == {kind}
    assert all((box["box"] is None) == (kind != "slide") for box in hit["boxes"])
    document = client.get(job["links"]["result"], params={"format": "json"}).json()
    assert document["pages"][0]["form"] == {"slide": "slide", "sheet": "sheet"}.get(kind, "flow")
    docling = client.get(job["links"]["result"], params={"format": "docling"}).json()
    places = docling["furniture"].get("meta", {}).get("pagemill__items", {})
    items = [item for item in docling["texts"] + docling["tables"] if "prov" not in item]
    assert all("place" in places[item["self_ref"]] for item in items)
    page = client.get(f"/v1/jobs/{job['id']}/pages/1").json()
    assert len(page["markdown"]) == len(page["page"]["regions"])
    assert client.get(f"/v1/jobs/{job['id']}/pages/1/image").status_code == 422


def test_a_picture_in_an_office_file_is_read_as_a_page_is(client: httpx.Client) -> None:
    """Guards against scans that are pasted into a document and lost."""
    job = client.post("/v1/documents", params={"wait": 120}, files={"file": ("scan.docx", letter())}).json()
    document = client.get(job["links"]["result"], params={"format": "json"}).json()
    (figure,) = [region for page in document["pages"] for region in page["regions"] if region["kind"] == "figure"]
    assert "harbour master" in figure["text"]
    assert (figure["text_source"], figure["reader"]) == ("ocr", "ocr-compact")
    archive = client.get(job["links"]["result"], params={"format": "zip"})
    assert archive.status_code == 200
    assert b"figures/page-0001-01.png" in archive.content


def test_a_pdf_attached_to_a_mail_is_read_as_printed_pages(client: httpx.Client) -> None:
    """Guards against attachments that are only named."""
    job = client.post("/v1/documents", params={"wait": 120}, files={"file": ("with.eml", mail())}).json()
    assert job["num_pages"] == 3
    document = client.get(job["links"]["result"], params={"format": "json"}).json()
    assert [page["form"] for page in document["pages"]] == ["flow", "print", "print"]
    assert "Attached rules" in json.dumps(document["pages"][1])
    assert client.get(f"/v1/jobs/{job['id']}/pages/2/image").headers["content-type"] == "image/png"


@pytest.mark.parametrize("name", FILES)
def test_open_webui_sends_what_it_has(client: httpx.Client, name: str) -> None:
    """Guards against 415 for files that docling-serve takes."""
    answer = client.post(
        "/v1/convert/file",
        files={"files": (f"/app/backend/data/uploads/{name}", FILES[name][0]())},
        data={"image_export_mode": "placeholder"},
    )
    assert answer.status_code == 200, answer.text
    assert FILES[name][1].split()[0].lower() in answer.json()["document"]["md_content"].lower()
    chunked = client.post("/v1/chunk/hybrid/file", files={"files": (name, FILES[name][0]())})
    assert chunked.status_code == 200, chunked.text
    assert chunked.json()["chunks"][0]["metadata"]["places"]


@pytest.mark.parametrize("name", FILES)
def test_docling_takes_each_format_from_a_source_too(client: httpx.Client, name: str) -> None:
    """Guards against a format that is read from an upload alone."""
    content = base64.b64encode(FILES[name][0]()).decode()
    source = {"kind": "file", "base64_string": content, "filename": name}
    answer = client.post("/v1/convert/source", json={"sources": [source], "options": {"to_formats": ["md"]}})
    assert answer.status_code == 200, answer.text
    assert FILES[name][1].split()[0].lower() in answer.json()["document"]["md_content"].lower()


def test_attachments_of_a_mail_become_documents_that_are_linked_to_it(client: httpx.Client) -> None:
    """Guards against an attachment that nobody finds from its mail, or whose passages name no mail."""
    options = {"options": json.dumps({"attachments": "documents", "document_id": "linked-mail"})}
    files = {"file": ("linked.eml", mail())}
    job = client.post("/v1/documents", params={"wait": 120}, files=files, data=options).json()
    assert (job["status"], job["num_pages"]) == ("succeeded", 1)
    (attachment,) = client.get(job["links"]["result"], params={"format": "json"}).json()["attachments"]
    assert (attachment["name"], attachment["document_id"]) == ("rules.pdf", "linked-mail/attachments/1")
    child = client.get(f"/v1/jobs/{attachment['job_id']}", params={"wait": 120}).json()
    assert (child["status"], child["num_pages"]) == ("succeeded", 2)
    query = {"query": "Attached rules", "k": 10, "filters": {"document_id": attachment["document_id"]}}
    passages = client.post("/v1/query", json=query).json()["passages"]
    assert passages[0]["metadata"]["attached_to"] == "linked-mail"


def test_the_client_says_where_a_passage_stands(client: httpx.Client) -> None:
    with Client(str(client.base_url)) as ours:
        ours.wait(ours.ingest(sheet(), name="where.xlsx").id)
        passage = ours.query("Fish quay depth", k=1).passages[0]
    assert any(str(box.place) == "Berths!A3" for box in passage.boxes)


def test_pictures_alone_are_read_by_the_calls_for_pictures(client: httpx.Client) -> None:
    """Guards against an Office file in a call that draws pages."""
    for path, field in (("/v1/layout", "file"), ("/v1/ocr", "image"), ("/doc_layout", "file")):
        answer = client.post(path, files={field: ("letter.docx", letter())})
        assert (answer.status_code, answer.json().get("code", "unsupported_media_type")) == (
            415,
            "unsupported_media_type",
        )
