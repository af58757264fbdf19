"""The values of an e-invoice: what its data say, and where the same is printed."""

from __future__ import annotations

from typing import Literal

from documents.boxes import BoundingBox, Value

InvoiceFieldName = Literal[
    "number",
    "date",
    "due_date",
    "seller",
    "buyer",
    "net",
    "tax",
    "total",
    "due",
    "line_name",
    "line_quantity",
    "line_price",
    "line_net",
]
InvoiceStatus = Literal["found", "contradiction", "not_printed", "unchecked"]


class InvoiceField(Value):
    """One value of the data, and what the pages have in its place.

    `found`: it is printed there. `contradiction`: another value is printed in its place. `not_printed`: neither.
    """

    name: InvoiceFieldName
    value: str  # amounts with a point, dates as ISO 8601
    line: int | None = None  # of the invoice, from 0; None of the invoice itself
    status: InvoiceStatus = "unchecked"
    printed: str | None = None  # as it is printed, or what is printed instead
    page: int | None = None
    boxes: tuple[BoundingBox, ...] = ()  # one for each printed line that it takes


class Invoice(Value):
    """The data of an e-invoice: in a PDF that carries them (Factur-X, ZUGFeRD) or a file of their own (XRechnung)."""

    file: str  # name of the attachment; empty where the document itself is the data
    syntax: Literal["cii", "ubl"]
    profile: str = ""  # the guideline that it follows, as the file names it
    type_code: str = ""  # of UNTDID 1001: 380 an invoice, 381 a credit note
    currency: str = ""
    fields: tuple[InvoiceField, ...] = ()
