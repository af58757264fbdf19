"""What the fields of an invoice are called on paper, in German, English, French, Italian, Spanish and Dutch."""

from __future__ import annotations

from collections.abc import Mapping

from documents.invoice_values import InvoiceFieldName

LABELS: Mapping[InvoiceFieldName, tuple[str, ...]] = {
    "number": (
        "Rechnungsnummer", "Rechnungs Nr", "Rechnung Nr", "Rechnung", "Belegnummer", "Beleg Nr", "Gutschrift Nr",
        "Invoice number", "Invoice no", "Invoice", "Credit note", "Numéro de facture", "Facture n", "Facture", "Avoir",
        "Fattura n", "Numero fattura", "Factura n", "Número de factura", "Factuurnummer",
    ),
    "date": (
        "Rechnungsdatum", "Belegdatum", "Beleg Datum", "Ausstellungsdatum", "Rechnung vom", "Invoice date",
        "Date of issue", "Date de facture", "Date de la facture", "Date facture", "Data fattura", "Fecha de factura",
        "Factuurdatum",
    ),
    "due_date": (
        "Fälligkeitsdatum", "Fällig am", "Fälligkeit", "Zahlbar bis", "Überweisen Sie bis zum",
        "Zahlung bis", "Due date", "Payment due", "Date d'échéance",
        "Echéance", "Échéance", "Scadenza", "Vencimiento", "Vervaldatum",
    ),
    "net": (
        "Nettobetrag", "Nettosumme", "Summe netto", "Gesamtbetrag netto", "Rechnungssumme netto", "Total net",
        "Net amount", "Subtotal", "Total HT", "Montant HT", "Imponibile", "Base imponible", "Totaal exclusief",
    ),
    "tax": (
        "USt Gesamt", "Umsatzsteuer gesamt", "Summe Umsatzsteuer", "Steuerbetrag gesamt", "Summe MwSt", "Total tax",
        "Total VAT", "VAT total", "Total TVA", "Montant TVA", "Totale IVA", "Total IVA", "Totaal BTW",
    ),
    "total": (
        "Gesamtbetrag", "Bruttobetrag", "Rechnungsbetrag", "Bruttosumme", "Gesamtsumme", "Endbetrag", "Summe brutto",
        "Grand total", "Invoice total", "Total amount", "Total TTC", "Montant TTC", "Totale fattura", "Total factura",
        "Totaal inclusief",
    ),
    "due": (
        "Zahlbetrag", "Fälliger Betrag", "Zu zahlen", "Amount due", "Balance due", "Total due", "Net à payer",
        "Reste à payer", "Totale da pagare", "Importe a pagar", "Te betalen",
    ),
}  # fmt: skip
