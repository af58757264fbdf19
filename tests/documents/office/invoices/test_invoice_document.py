"""An e-invoice that comes without a PDF is a document: its values, and a page of them to read and search."""

from __future__ import annotations

import pytest
from invoice_making import LINES, VALUES, cii, ubl

from documents.media_types import INVOICE, sniff_content
from documents.region_values import TableRegion, TitleRegion
from tests.documents.office.drawn import parsed, zipped


@pytest.mark.parametrize("syntax", [cii, ubl])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_an_invoice_is_a_page_of_its_fields_and_lines(syntax, encoding):
    content = syntax().decode().replace('encoding="UTF-8"', f'encoding="{encoding}"').encode(encoding)
    assert sniff_content(content, "invoice.xml") == INVOICE
    document = parsed(content, "invoice.xml")
    assert {field.name: field.value for field in document.invoice.fields if field.line is None} == VALUES
    assert {field.status for field in document.invoice.fields} == {"unchecked"}
    (page,) = document.pages
    titles = [region.text for region in page.regions if isinstance(region, TitleRegion)]
    assert titles[0] == f"Invoice {VALUES['number']}"
    first, second = [region.table for region in page.regions if isinstance(region, TableRegion)][:2]
    texts = {cell.text for cell in first.cells}
    assert texts >= set(VALUES.values())
    rows = [tuple(cell.text for cell in second.cells if cell.row == row) for row in range(1, second.num_rows)]
    assert rows == LINES


def test_notes_addresses_and_accounts_are_shown():
    note = "<ram:IncludedNote><ram:Content>Goods stay ours until paid.</ram:Content></ram:IncludedNote>"
    content = cii().decode().replace("</rsm:ExchangedDocument>", f"{note}</rsm:ExchangedDocument>")
    tables = [region.table for region in parsed(content.encode()).pages[0].regions if isinstance(region, TableRegion)]
    assert "Goods stay ours until paid." in {cell.text for cell in tables[-1].cells}


def test_a_credit_note_is_called_one():
    content = cii().decode().replace("<ram:TypeCode>380<", "<ram:TypeCode>381<")
    assert parsed(content.encode()).pages[0].regions[0].text == f"Credit note {VALUES['number']}"


@pytest.mark.parametrize(
    "content",
    [
        b'<?xml version="1.0"?><Invoice xmlns="urn:example:other"><ID>1</ID></Invoice>',
        b'<?xml version="1.0"?><project><a>urn:oasis:names:specification:ubl:schema:xsd:Invoice-2</a></project>',
        b'<?xml version="1.0"?><!-- <rsm:CrossIndustryInvoice --><svg/>',
    ],
)
def test_other_xml_is_refused(content):
    assert sniff_content(content, "a.xml") is None


def test_an_invoice_in_an_archive_is_read_as_one_of_its_files():
    document = parsed(zipped({"march/invoice.xml": cii(), "read.txt": "two files"}))
    assert [page.regions[0].text for page in document.pages] == [f"Invoice {VALUES['number']}", "two files"]
