"""Each value of an e-invoice is found on the page, or what is printed in its place; nothing else is contradicted."""

from __future__ import annotations

import io
import random
from datetime import date

import pytest
from invoice_making import PRINTED, VALUES, cii, invoice_pdf

from documents.boxes import BoundingBox
from documents.invoice_values import Invoice, InvoiceField
from documents.matching.invoice_check import (
    MAX_LINE_CHARACTERS,
    MAX_LINES,
    MAX_STEPS,
    checked_invoice,
    with_checked_invoice,
)
from documents.matching.labels import words
from documents.matching.printed_rivals import MAX_VALUES
from documents.office.pdf_with_files import PdfWithFiles
from documents.region_values import Span, region_of
from documents.render_limits import RenderLimits
from documents.values import Document, Page, Source

AMOUNTS = ("net", "tax", "total", "due")


def read(content):
    """A file's invoice, and its page with a region per printed line."""
    file = PdfWithFiles(Source(path="", media_type="application/pdf"), RenderLimits(), io.BytesIO(content))
    lines = file.inspect(1).lines
    return file.opened().invoice, page_of([(line.text, line.box) for line in lines])


def page_of(lines):
    regions = [
        region_of(
            "plain text",
            box=box,
            score=1,
            order=k,
            text=text,
            spans=(Span(text=text, box=box, source="text_layer"),),
        )
        for k, (text, box) in enumerate(lines)
    ]
    return Page(number=1, size=(600, 800), regions=tuple(regions))


def is_day(text):
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def statuses(content):
    invoice, page = read(content)
    checked = checked_invoice(invoice, [page])
    return {field.name if field.line is None else (field.name, field.line): field for field in checked.fields}


def test_every_value_is_found_where_it_is_printed():
    fields = statuses(invoice_pdf(cii()))
    assert {field.status for field in fields.values()} == {"found"}
    assert all(field.page == 1 and field.boxes for field in fields.values())
    assert fields["date"].printed == "01.03.2024"
    assert fields["due_date"].printed == "31. März 2024"
    assert fields["total"].printed == "529,87"
    assert fields[("line_price", 1)].printed == "5,50"
    assert abs(fields["total"].boxes[0].center[1] - (80 + 20 * list(PRINTED).index("total"))) < 10
    assert abs(fields[("line_net", 1)].boxes[0].center[1] - 420) < 10


@pytest.mark.parametrize("name", ["number", "date", "due_date", "net", "tax", "total", "due"])
def test_a_changed_digit_is_a_contradiction_and_nothing_else_is(name):
    """The total and what is due are one printed value, so a change of one of them is not explained by the other."""
    rng = random.Random(name)
    value = VALUES[name]
    for place in [k for k, letter in enumerate(value) if letter.isdigit()]:
        digits = [digit for digit in "123456789" if digit != value[place]]
        changed = value[:place] + rng.choice(digits) + value[place + 1 :]
        fields = statuses(invoice_pdf(cii(**{name: changed})))
        if name in ("date", "due_date") and not is_day(changed):
            continue
        contradicted = [key for key, field in fields.items() if field.status == "contradiction"]
        assert contradicted == [name], changed
        assert fields[name].page == 1
        assert fields[name].boxes


@pytest.mark.parametrize("member", [1, 2, 3])
def test_a_changed_digit_in_a_line_is_a_contradiction(member):
    line = ["Fender", "50", "5.50", "275.00"]
    line[member] = {1: "53", 2: "5.70", 3: "285.00"}[member]
    fields = statuses(invoice_pdf(cii(lines=[("Bow line, 12 m", "20", "9.90", "198.00"), tuple(line)])))
    contradicted = [key for key, field in fields.items() if field.status == "contradiction"]
    assert contradicted == [(f"line_{('name', 'quantity', 'price', 'net')[member]}", 1)]


def test_another_value_at_the_label_is_a_contradiction_however_far_it_is():
    fields = statuses(invoice_pdf(cii(total="12345.60", due="12345.60")))
    assert (fields["total"].status, fields["total"].printed) == ("contradiction", "529,87")


def test_a_date_that_is_printed_as_another_one_is_a_contradiction():
    """The day on which it is due is on the page, too."""
    fields = statuses(invoice_pdf(cii(date="2024-03-31")))
    assert (fields["date"].status, fields["date"].printed) == ("contradiction", "01.03.2024")
    assert fields["due_date"].status == "found"


def test_one_day_may_be_both_dates():
    printed = PRINTED | {"due_date": "Zahlbar bis 01.03.2024"}
    fields = statuses(invoice_pdf(cii(due_date="2024-03-01"), printed=printed))
    assert {fields[name].status for name in ("date", "due_date")} == {"found"}


@pytest.mark.parametrize("name", ["due_date", "net", "tax", "buyer"])
def test_a_value_that_nothing_contradicts_is_not_printed(name):
    printed = {key: text for key, text in PRINTED.items() if key != name}
    fields = statuses(invoice_pdf(cii(), printed=printed))
    assert fields[name].status == "not_printed"
    assert (fields[name].page, fields[name].boxes) == (None, ())
    assert [key for key, field in fields.items() if field.status == "contradiction"] == []


def test_a_name_that_is_printed_otherwise_is_a_contradiction():
    fields = statuses(invoice_pdf(cii(seller="Werft Bodo GmbH")))
    assert (fields["seller"].status, fields["seller"].printed) == ("contradiction", "Werft Bodø GmbH")


@pytest.mark.parametrize(
    ("name", "data", "printed"),
    [
        ("buyer", "Frau Ada Osei", "Ada Osei"),
        ("buyer", "Ada Osei", "Frau Ada Osei"),
        ("seller", "Werft Bodø GmbH, Abteilung Leinen", "Werft Bodø GmbH"),
        ("seller", "Werft Bodo\u0308 GmbH", "Werft Bodö GmbH"),
    ],
)
def test_a_name_with_more_or_less_of_it_is_no_contradiction(name, data, printed):
    """Samples of the corpus address their buyer with a title in the data alone."""
    fields = statuses(invoice_pdf(cii(**{name: data}), printed=PRINTED | {name: printed}))
    assert fields[name].status != "contradiction"


def test_another_date_of_the_invoice_does_not_contradict_when_it_is_due():
    """The day of delivery is a digit away from a day a month later."""
    printed = PRINTED | {"due_date": "Lieferdatum: 28.02.2024"}
    fields = statuses(invoice_pdf(cii(due_date="2024-03-28"), printed=printed))
    assert fields["due_date"].status == "not_printed"


def test_a_number_that_is_no_amount_is_not_taken_for_one():
    """A tax of 7.00 is not the 07 of a date."""
    fields = statuses(invoice_pdf(cii(tax="1.00"), printed=PRINTED | {"tax": "zzgl. USt. (Seite 1)"}))
    assert fields["tax"].status != "found"


def test_the_document_has_a_warning_for_each_contradiction():
    invoice, page = read(invoice_pdf(cii(total="529.97")))
    document = with_checked_invoice(Document(id="d", revision=1, pages=(page,), invoice=invoice))
    (warning,) = document.warnings
    assert (warning.code, warning.page) == ("invoice_contradiction", 1)
    assert "529.97" in warning.message
    assert "529,87" in warning.message
    assert warning.box is not None
    assert document.invoice is not None
    assert with_checked_invoice(Document(id="d", revision=1, pages=(page,))).warnings == ()


def test_without_printed_lines_nothing_is_said():
    invoice, _ = read(invoice_pdf(cii()))
    assert checked_invoice(invoice, []) == invoice


def page_of_texts(*texts):
    return page_of([(text, BoundingBox(x0=60, y0=10 * k, x1=200, y1=10 * k + 8)) for k, text in enumerate(texts)])


def checked_statuses(page, fields):
    invoice = Invoice(file="a.xml", syntax="cii", fields=tuple(fields))
    return {field.status for field in checked_invoice(invoice, [page]).fields}


def test_the_work_of_a_comparison_is_bounded():
    """A thousand lines of an invoice against pages of numbers; beyond a limit of lines nothing is compared."""
    numbers = [("1,00 2,00 3,00", BoundingBox(x0=60, y0=10 * k, x1=200, y1=10 * k + 8)) for k in range(MAX_LINES)]
    fields = tuple(
        InvoiceField(name=name, value="7.50", line=line) for line in range(1000) for name in ("line_price", "line_net")
    )
    invoice = Invoice(file="a.xml", syntax="cii", fields=fields)
    assert {field.status for field in checked_invoice(invoice, [page_of(numbers)]).fields} == {"not_printed"}
    too_many = [*numbers, ("1,00", BoundingBox(x0=60, y0=0, x1=200, y1=8))]
    assert checked_invoice(invoice, [page_of(too_many)]) == invoice


def test_long_texts_are_not_compared():
    field = InvoiceField(name="total", value="7.15")
    letters = "a" * (MAX_LINE_CHARACTERS - 20)
    assert checked_statuses(page_of_texts(letters, "Gesamtbetrag 7,15"), [field]) == {"found"}
    assert checked_statuses(page_of_texts(letters, "Gesamtbetrag 7,15", letters), [field]) == {"unchecked"}


def test_a_page_of_too_many_values_is_not_compared():
    field = InvoiceField(name="total", value="7.15")
    assert checked_statuses(page_of_texts("9,99 " * 2000), [field]) == {"not_printed"}
    assert checked_statuses(page_of_texts("9,99 " * MAX_VALUES), [field]) == {"unchecked"}


@pytest.mark.parametrize(
    ("texts", "name"),
    [
        pytest.param(
            ["1,15", *(f"Werft{k:04d} Bodo GmbH" for k in range(2000))], "Werft Bodo GmbH {}", id="like names"
        ),
        pytest.param(["ab " * 30] * 2000, "a", id="pieces of words"),
        pytest.param(["a " * 30] * MAX_LINES, "a a a a a", id="a name everywhere"),
        pytest.param(["1,15"] * MAX_LINES, "a", id="labels of equal values"),
    ],
)
def test_no_lines_take_more_than_the_budget_of_steps(texts, name):
    """Each took many seconds, in a thread of the process that answers all callers."""
    fields = [InvoiceField(name="line_name", value=name.format("b" * k), line=k) for k in range(1000)]
    fields += [InvoiceField(name="line_net", value="1.15", line=k) for k in range(1000)]
    fields.append(InvoiceField(name="total", value="7.15"))
    assert checked_statuses(page_of_texts(*texts), fields) == {"unchecked"}


def test_labels_are_tokenised_once_for_all_names(monkeypatch):
    """The text before each of a line's values was tokenised once per name of the field."""
    num_characters = 0

    def counted(text):
        nonlocal num_characters
        num_characters += len(text)
        return words(text)

    monkeypatch.setattr("documents.matching.labels.words", counted)
    line = "1,15 " * 1000
    checked_statuses(page_of_texts(line), [InvoiceField(name="total", value="7.15")])
    assert num_characters < 100 * len(line)


def test_an_invoice_of_a_hundred_lines_takes_a_quarter_of_the_steps_at_most(monkeypatch):
    monkeypatch.setattr("documents.matching.invoice_check.MAX_STEPS", MAX_STEPS // 4)
    members = ("name", "quantity", "price", "net")
    rows = [(f"Article {k}", str(k % 9 + 1), f"{k}.50", f"{2 * k}.75") for k in range(100)]
    fields = [
        InvoiceField(name=f"line_{member}", value=value, line=k)
        for k, row in enumerate(rows)
        for member, value in zip(members, row, strict=True)
    ]
    assert checked_statuses(page_of_texts(*(value for row in rows for value in row)), fields) == {"found"}
