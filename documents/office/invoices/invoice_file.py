"""Reads the XML of an e-invoice, in either of the two syntaxes of EN 16931 (CII, also of ZUGFeRD 1, and UBL)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from datetime import date
from decimal import Decimal

from documents.errors import UnreadableDocument
from documents.invoice_values import Invoice, InvoiceField, InvoiceFieldName
from documents.office.packages.xml_parsing import Element, attribute, child, children, name_of, parsed_xml

MAX_BYTES = 10_000_000
MAX_LINES = 1000
MAX_VALUE_CHARACTERS = 500
HEAD_BYTES = 40_000  # the root element begins within these bytes
ROOTS = (b"CrossIndustryInvoice", b"CrossIndustryDocument", b"ubl:schema:xsd:Invoice-2", b"ubl:schema:xsd:CreditNote-2")
AMOUNTS: tuple[InvoiceFieldName, ...] = (
    "net",
    "tax",
    "total",
    "due",
    "line_quantity",
    "line_price",
    "line_net",
)
MAX_NUMBER_CHARACTERS = 40
MAX_EXPONENT = 20  # maximum power of ten
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,9})?")
_DAY = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)")


def invoice_in(content: bytes, file: str) -> Invoice | None:
    """The invoice of an XML file; None of any other file."""
    head = content[:HEAD_BYTES].replace(b"\0", b"")  # in UTF-16 every second byte of a name is zero
    if len(content) > MAX_BYTES or not any(root in head for root in ROOTS):
        return None
    try:
        root = parsed_xml(content)
    except UnreadableDocument:
        return None
    return invoice_of(root, file)


def invoice_of(root: Element, file: str) -> Invoice | None:
    """The invoice of a parsed file; None if it is none."""
    match name_of(root):
        case "CrossIndustryInvoice" | "CrossIndustryDocument":
            return _of_cii(root, file)
        case "Invoice" | "CreditNote":
            return _of_ubl(root, file)
        case _:
            return None


def _of_cii(root: Element, file: str) -> Invoice:
    head = _at(root, "ExchangedDocument|HeaderExchangedDocument")
    trade = _at(root, "SupplyChainTradeTransaction|SpecifiedSupplyChainTradeTransaction")
    agreement = _at(trade, "ApplicableHeaderTradeAgreement|ApplicableSupplyChainTradeAgreement")
    settlement = _at(trade, "ApplicableHeaderTradeSettlement|ApplicableSupplyChainTradeSettlement")
    sums = _at(settlement, "SpecifiedTradeSettlementHeaderMonetarySummation|SpecifiedTradeSettlementMonetarySummation")
    currency = _text(settlement, "InvoiceCurrencyCode")
    fields = [
        *_field("number", _text(head, "ID")),
        *_field("date", _text(head, "IssueDateTime", "DateTimeString")),
        *_field("due_date", _text(settlement, "SpecifiedTradePaymentTerms", "DueDateDateTime", "DateTimeString")),
        *_field("seller", _text(agreement, "SellerTradeParty", "Name")),
        *_field("buyer", _text(agreement, "BuyerTradeParty", "Name")),
        *_field("net", _text(sums, "TaxBasisTotalAmount")),
        *_field("tax", _in_currency(sums, "TaxTotalAmount", currency)),
        *_field("total", _text(sums, "GrandTotalAmount")),
        *_field("due", _text(sums, "DuePayableAmount")),
    ]
    lines = children(trade, "IncludedSupplyChainTradeLineItem")
    for number, line in zip(range(MAX_LINES), lines, strict=False):
        terms = _at(line, "SpecifiedLineTradeAgreement|SpecifiedSupplyChainTradeAgreement")
        delivery = _at(line, "SpecifiedLineTradeDelivery|SpecifiedSupplyChainTradeDelivery")
        line_settlement = _at(line, "SpecifiedLineTradeSettlement|SpecifiedSupplyChainTradeSettlement")
        line_sums = "SpecifiedTradeSettlementLineMonetarySummation|SpecifiedTradeSettlementMonetarySummation"
        fields += _field("line_name", _text(line, "SpecifiedTradeProduct", "Name"), number)
        fields += _field("line_quantity", _text(delivery, "BilledQuantity"), number)
        fields += _field("line_price", _text(terms, "NetPriceProductTradePrice", "ChargeAmount"), number)
        fields += _field("line_net", _text(line_settlement, line_sums, "LineTotalAmount"), number)
    context = _at(root, "ExchangedDocumentContext|SpecifiedExchangedDocumentContext")
    return Invoice(
        file=file,
        syntax="cii",
        profile=_text(context, "GuidelineSpecifiedDocumentContextParameter", "ID"),
        type_code=_text(head, "TypeCode"),
        currency=currency,
        fields=tuple(fields),
    )


def _of_ubl(root: Element, file: str) -> Invoice:
    sums = _at(root, "LegalMonetaryTotal")
    currency = _text(root, "DocumentCurrencyCode")
    tax = next((total for total in children(root, "TaxTotal") if child(total, "TaxSubtotal") is not None), None)
    fields = [
        *_field("number", _text(root, "ID")),
        *_field("date", _text(root, "IssueDate")),
        *_field("due_date", _text(root, "DueDate") or _text(root, "PaymentMeans", "PaymentDueDate")),
        *_field("seller", _party(root, "AccountingSupplierParty")),
        *_field("buyer", _party(root, "AccountingCustomerParty")),
        *_field("net", _text(sums, "TaxExclusiveAmount")),
        *_field("tax", _text(tax, "TaxAmount") or _in_currency(_at(root, "TaxTotal"), "TaxAmount", currency)),
        *_field("total", _text(sums, "TaxInclusiveAmount")),
        *_field("due", _text(sums, "PayableAmount")),
    ]
    lines = (node for node in root if name_of(node) in ("InvoiceLine", "CreditNoteLine"))
    for number, line in zip(range(MAX_LINES), lines, strict=False):
        fields += _field("line_name", _text(line, "Item", "Name"), number)
        fields += _field("line_quantity", _text(line, "InvoicedQuantity|CreditedQuantity"), number)
        fields += _field("line_price", _text(line, "Price", "PriceAmount"), number)
        fields += _field("line_net", _text(line, "LineExtensionAmount"), number)
    return Invoice(
        file=file,
        syntax="ubl",
        profile=_text(root, "CustomizationID"),
        type_code=_text(root, "InvoiceTypeCode|CreditNoteTypeCode"),
        currency=currency,
        fields=tuple(fields),
    )


def _party(root: Element, name: str) -> str:
    party = _at(root, name, "Party")
    return _text(party, "PartyLegalEntity", "RegistrationName") or _text(party, "PartyName", "Name")


def _in_currency(parent: Element | None, name: str, currency: str) -> str:
    """The amount in the invoice's currency, of those in several."""
    amounts = list(children(parent, name))
    own = [amount for amount in amounts if attribute(amount, "currencyID") in (None, currency)]
    return _clean(own[0].text) if own else ""


def _field(name: InvoiceFieldName, text: str, line: int | None = None) -> Iterator[InvoiceField]:
    """The field, if the file has it in a form that can be read."""
    value = _number(text) if name in AMOUNTS else _date(text) if name in ("date", "due_date") else text
    if value:
        yield InvoiceField(name=name, value=value, line=line)


def _number(text: str) -> str:
    if len(text) > MAX_NUMBER_CHARACTERS or not _NUMBER.fullmatch(text):
        return ""
    number = Decimal(text)
    return f"{number:f}" if abs(number.adjusted()) <= MAX_EXPONENT else ""


def _date(text: str) -> str:
    match = _DAY.match(text)
    try:
        return date(int(match[1]), int(match[2]), int(match[3])).isoformat() if match else ""
    except ValueError:
        return ""


def _at(element: Element | None, *names: str) -> Element | None:
    """The first child of a name, then of that its first of the next, and so on; `|` stands between alternatives."""
    for name in names:
        alternatives = name.split("|")
        element = next((below for one in alternatives if (below := child(element, one)) is not None), None)
    return element


def _text(element: Element | None, *names: str) -> str:
    below = _at(element, *names)
    return _clean(below.text) if below is not None else ""


def _clean(text: str | None) -> str:
    return " ".join(unicodedata.normalize("NFC", (text or "")[:MAX_VALUE_CHARACTERS]).split())
