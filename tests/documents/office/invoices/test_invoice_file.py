"""The data of e-invoices as typed fields, in both syntaxes; anything else is none."""

from __future__ import annotations

import pytest
from invoice_making import LINES, VALUES, cii, ubl

from documents.office.invoices.invoice_file import MAX_LINES, invoice_in

EXPECTED = [(name, value, None) for name, value in VALUES.items()] + [
    (f"line_{name}", value, number)
    for number, line in enumerate(LINES)
    for name, value in zip(("name", "quantity", "price", "net"), line, strict=True)
]


def facts(invoice):
    return [(field.name, field.value, field.line) for field in invoice.fields]


@pytest.mark.parametrize(("syntax", "content"), [("cii", cii()), ("ubl", ubl())])
def test_every_field_is_read(syntax, content):
    invoice = invoice_in(content, "invoice.xml")
    assert (invoice.file, invoice.syntax, invoice.type_code, invoice.currency) == ("invoice.xml", syntax, "380", "EUR")
    assert invoice.profile == "urn:cen.eu:en16931:2017"
    assert facts(invoice) == EXPECTED
    assert {field.status for field in invoice.fields} == {"unchecked"}


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_an_invoice_in_two_bytes_a_character_is_read(encoding):
    """The name of its root was searched in its bytes."""
    text = cii().decode().replace('encoding="UTF-8"', 'encoding="UTF-16"')
    mark = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}.get(encoding, b"")
    assert facts(invoice_in(mark + text.encode(encoding), "invoice.xml")) == EXPECTED


@pytest.mark.parametrize(("text", "value"), [("+12.50", "12.50"), (".5", "0.5"), ("-3", "-3"), ("1.5e2", "150")])
def test_numbers_of_xml_are_read(text, value):
    (field,) = [field for field in invoice_in(cii(total=text), "a.xml").fields if field.name == "total"]
    assert field.value == value


def test_names_of_the_first_version_are_known():
    """ZUGFeRD 1 calls the same elements otherwise."""
    names = {
        b"CrossIndustryInvoice": b"CrossIndustryDocument",
        b"rsm:ExchangedDocument>": b"rsm:HeaderExchangedDocument>",
        b"rsm:SupplyChainTradeTransaction": b"rsm:SpecifiedSupplyChainTradeTransaction",
        b"ApplicableHeaderTradeAgreement": b"ApplicableSupplyChainTradeAgreement",
        b"ApplicableHeaderTradeSettlement": b"ApplicableSupplyChainTradeSettlement",
        b"SettlementHeaderMonetarySummation": b"SettlementMonetarySummation",
        b"SpecifiedLineTrade": b"SpecifiedSupplyChainTrade",
        b"SettlementLineMonetarySummation": b"SettlementMonetarySummation",
    }
    content = cii()
    for new, old in names.items():
        assert new in content
        content = content.replace(new, old)
    assert facts(invoice_in(content, "ZUGFeRD-invoice.xml")) == EXPECTED


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("date", "2024-13-45"),
        ("total", "a lot"),
        ("total", "NaN"),
        ("total", "1e999999"),
        ("total", "1_000"),
        ("total", "١٠٠"),
        ("total", "9" * 60),
        ("seller", " "),
    ],
)
def test_a_value_in_no_form_of_its_kind_is_left_out(name, value):
    assert name not in [field.name for field in invoice_in(cii(**{name: value}), "a.xml").fields]


def test_long_values_and_many_lines_are_cut():
    invoice = invoice_in(cii(seller="x" * 10_000, lines=[("line", "1", "2", "2.00")] * (MAX_LINES + 5)), "a.xml")
    assert max(field.line for field in invoice.fields if field.line is not None) == MAX_LINES - 1
    assert max(len(field.value) for field in invoice.fields) == 500


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x89PNG\r\n",
        b"<?xml version='1.0'?><order/>",
        b"CrossIndustryInvoice",
        b"<!DOCTYPE x [<!ENTITY a 'b'>]>" + cii(),
        ("<!DOCTYPE x [<!ENTITY a 'b'>]>" + cii().decode().partition("?>")[2]).encode("utf-16"),
        b"<a xmlns='CrossIndustryInvoice'/>",
        b"<rsm:CrossIndustryInvoice xmlns:rsm='x'>" + b"<a>" * 300,
    ],
)
def test_what_is_no_invoice_is_none(content):
    invoice = invoice_in(content, "a.xml")
    assert invoice is None or invoice.fields == ()


def test_an_empty_invoice_has_no_fields():
    invoice = invoice_in(b"<rsm:CrossIndustryInvoice xmlns:rsm='x'/>", "a.xml")
    assert (invoice.syntax, invoice.fields) == ("cii", ())
