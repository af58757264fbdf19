"""Reads an e-invoice that is a file of its own: its values, and a text of them that a person can read and search."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from documents.errors import UnreadableDocument
from documents.invoice_values import Invoice, InvoiceField, InvoiceFieldName
from documents.office.invoices.invoice_file import MAX_LINES, invoice_of
from documents.office.packages.text_budget import TextBudget
from documents.office.packages.xml_parsing import Element, name_of, parsed_xml
from documents.office.page_writer import PageWriter
from documents.office.paragraph_text import Words, clean
from documents.office.parsed_file import Authored, warned
from documents.office.table_grid import GridCell, table_of
from documents.places import ElementPlace
from documents.region_values import Table

CREDIT_NOTE_CODES = frozenset({"81", "83", "261", "381", "396", "532"})  # codes of UNTDID 1001
LABELS: dict[InvoiceFieldName, str] = {
    "number": "Number",
    "date": "Date",
    "due_date": "Due date",
    "seller": "Seller",
    "buyer": "Buyer",
    "net": "Net amount",
    "tax": "Tax",
    "total": "Total",
    "due": "Amount due",
}
LINE_LABELS: dict[InvoiceFieldName, str] = {
    "line_name": "Item",
    "line_quantity": "Quantity",
    "line_price": "Price",
    "line_net": "Net amount",
}
MAX_TEXTS = 2000  # further texts that are shown
_TEXT_ELEMENT = re.compile(  # elements whose text adds to the fields: notes, addresses, accounts, references
    r"Note|Content|.*Description|Name|RegistrationName|PersonName|.*StreetName|CityName|PostalZone|PostcodeCode"
    r"|Line(?:One|Two|Three)?|CountrySubentity|Telephone|CompleteNumber|ElectronicMail|URIID|IBANID|BuyerReference|PaymentReference|PaymentID"
    r"|CompanyID|IssuerAssignedID|SellerAssignedID|AttributeValue|Value"
)
_ACCOUNTS = frozenset(
    {"PayeeFinancialAccount", "OrderReference", "SellersItemIdentification", "ContractDocumentReference"}
)
_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def parse_invoice(content: bytes, budget: TextBudget) -> Authored:
    """A page of the invoice's fields, its lines and its other texts. Raises UnreadableDocument."""
    root = parsed_xml(content)
    invoice = invoice_of(root, "")
    if invoice is None:
        raise UnreadableDocument("this XML is no e-invoice")
    writer, place = PageWriter(budget), ElementPlace(path=f"/{name_of(root)}")
    kind = "Credit note" if invoice.type_code in CREDIT_NOTE_CODES or name_of(root) == "CreditNote" else "Invoice"
    own = {field.name: field.value for field in invoice.fields if field.line is None}
    title = f"{kind} {own.get('number', '')}".strip()
    writer.heading(Words(title), 1, place)
    pairs = [(LABELS[name], own[name]) for name in LABELS if name in own]
    pairs += [("Currency", invoice.currency)] if invoice.currency else []
    writer.table(_table([("Field", "Value"), *pairs]), place)
    rows = _rows(invoice)
    if rows:
        writer.heading(Words("Lines"), 2, place)
        writer.table(_table([tuple(LINE_LABELS.values()), *rows]), place)
    texts = list(_texts(root, {field.value for field in invoice.fields}))
    if texts:
        writer.heading(Words("Further data"), 2, place)
        writer.table(_table([("Field", "Value"), *texts[:MAX_TEXTS]]), place)
    warnings = list(writer.warnings())
    if len(texts) > MAX_TEXTS or len(rows) == MAX_LINES:
        warnings.append(warned(code="cut_short", message="of a long invoice not all lines and texts were read"))
    return Authored(
        pages=writer.pages(),
        metadata={"title": title},
        outline=writer.outline,
        warnings=warnings,
        invoice=invoice,
    )


def _rows(invoice: Invoice) -> list[tuple[str, ...]]:
    """The lines of the invoice: name, quantity, price and net amount."""
    lines: dict[int, dict[InvoiceFieldName, InvoiceField]] = {}
    for field in invoice.fields:
        if field.line is not None:
            lines.setdefault(field.line, {})[field.name] = field
    return [
        tuple(fields[name].value if name in fields else "" for name in LINE_LABELS)
        for _, fields in sorted(lines.items())
    ]


def _texts(root: Element, known: set[str]) -> Iterator[tuple[str, str]]:
    """The names and texts of other elements that people read, each pair once."""
    pairs: set[tuple[str, str]] = set()
    for node in root.iter("{*}*"):
        name = name_of(node)
        above = node.getparent()
        is_account = name == "ID" and above is not None and name_of(above) in _ACCOUNTS
        if len(node) or not (is_account or _TEXT_ELEMENT.fullmatch(name)):
            continue
        text = clean(node.text or "")
        label = _WORD.sub(" ", f"{name_of(above)} {name}" if above is not None else name)
        if text and text not in known and (label, text) not in pairs:
            pairs.add((label, text))
            yield label, text


def _table(rows: Sequence[Sequence[str]]) -> Table | None:
    cells = [[GridCell(text, is_header=number == 0) for text in row] for number, row in enumerate(rows)]
    return table_of(cells)
