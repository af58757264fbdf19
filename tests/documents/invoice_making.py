"""E-invoices for tests: their data in both syntaxes, and their pages, drawn from the same values."""

from __future__ import annotations

import pymupdf
from carrying_pdfs import add_file

VALUES = {
    "number": "RE-2024/0815",
    "date": "2024-03-01",
    "due_date": "2024-03-31",
    "seller": "Werft Bodø GmbH",
    "buyer": "Ada Osei",
    "net": "473.00",
    "tax": "56.87",
    "total": "529.87",
    "due": "529.87",
}
LINES = [("Bow line, 12 m", "20", "9.90", "198.00"), ("Fender", "50", "5.50", "275.00")]
PRINTED = {
    "number": "Rechnungsnummer: RE-2024/0815",
    "date": "Rechnungsdatum: 01.03.2024",
    "due_date": "Zahlbar bis 31. März 2024",
    "seller": "Werft Bodø GmbH",
    "buyer": "Ada Osei",
    "net": "Nettobetrag: 473,00 EUR",
    "tax": "zzgl. USt.: 56,87 EUR",
    "total": "Gesamtbetrag: 529,87 EUR",
}


def cii(**changes):
    """Factur-X of a currency, euros."""
    values = VALUES | changes

    def day(text):
        return f'<udt:DateTimeString format="102">{text.replace("-", "")}</udt:DateTimeString>'

    lines = "".join(
        f"<ram:IncludedSupplyChainTradeLineItem><ram:SpecifiedTradeProduct><ram:Name>{name}</ram:Name>"
        "</ram:SpecifiedTradeProduct><ram:SpecifiedLineTradeAgreement><ram:NetPriceProductTradePrice>"
        f"<ram:ChargeAmount>{price}</ram:ChargeAmount></ram:NetPriceProductTradePrice>"
        "</ram:SpecifiedLineTradeAgreement><ram:SpecifiedLineTradeDelivery>"
        f'<ram:BilledQuantity unitCode="H87">{quantity}</ram:BilledQuantity></ram:SpecifiedLineTradeDelivery>'
        "<ram:SpecifiedLineTradeSettlement><ram:SpecifiedTradeSettlementLineMonetarySummation>"
        f"<ram:LineTotalAmount>{net}</ram:LineTotalAmount></ram:SpecifiedTradeSettlementLineMonetarySummation>"
        "</ram:SpecifiedLineTradeSettlement></ram:IncludedSupplyChainTradeLineItem>"
        for name, quantity, price, net in changes.get("lines", LINES)
    )
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"
 xmlns:ram="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100"
 xmlns:udt="urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100">
<rsm:ExchangedDocumentContext><ram:GuidelineSpecifiedDocumentContextParameter><ram:ID>urn:cen.eu:en16931:2017</ram:ID>
</ram:GuidelineSpecifiedDocumentContextParameter></rsm:ExchangedDocumentContext>
<rsm:ExchangedDocument><ram:ID>{values["number"]}</ram:ID><ram:TypeCode>380</ram:TypeCode>
<ram:IssueDateTime>{day(values["date"])}</ram:IssueDateTime></rsm:ExchangedDocument>
<rsm:SupplyChainTradeTransaction>{lines}
<ram:ApplicableHeaderTradeAgreement><ram:SellerTradeParty><ram:Name>{values["seller"]}</ram:Name></ram:SellerTradeParty>
<ram:BuyerTradeParty><ram:Name>{values["buyer"]}</ram:Name></ram:BuyerTradeParty></ram:ApplicableHeaderTradeAgreement>
<ram:ApplicableHeaderTradeSettlement><ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode>
<ram:SpecifiedTradePaymentTerms><ram:DueDateDateTime>{day(values["due_date"])}</ram:DueDateDateTime>
</ram:SpecifiedTradePaymentTerms><ram:SpecifiedTradeSettlementHeaderMonetarySummation>
<ram:TaxBasisTotalAmount>{values["net"]}</ram:TaxBasisTotalAmount>
<ram:TaxTotalAmount currencyID="NOK">640.11</ram:TaxTotalAmount>
<ram:TaxTotalAmount currencyID="EUR">{values["tax"]}</ram:TaxTotalAmount>
<ram:GrandTotalAmount>{values["total"]}</ram:GrandTotalAmount>
<ram:DuePayableAmount>{values["due"]}</ram:DuePayableAmount>
</ram:SpecifiedTradeSettlementHeaderMonetarySummation></ram:ApplicableHeaderTradeSettlement>
</rsm:SupplyChainTradeTransaction></rsm:CrossIndustryInvoice>""".encode()


def ubl():
    """The same invoice as UBL."""
    lines = "".join(
        f'<cac:InvoiceLine><cbc:InvoicedQuantity unitCode="H87">{quantity}</cbc:InvoicedQuantity>'
        f"<cbc:LineExtensionAmount>{net}</cbc:LineExtensionAmount><cac:Item><cbc:Name>{name}</cbc:Name></cac:Item>"
        f"<cac:Price><cbc:PriceAmount>{price}</cbc:PriceAmount></cac:Price></cac:InvoiceLine>"
        for name, quantity, price, net in LINES
    )
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
 xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
 xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">
<cbc:CustomizationID>urn:cen.eu:en16931:2017</cbc:CustomizationID><cbc:ID>{VALUES["number"]}</cbc:ID>
<cbc:IssueDate>{VALUES["date"]}</cbc:IssueDate><cbc:DueDate>{VALUES["due_date"]}</cbc:DueDate>
<cbc:InvoiceTypeCode>380</cbc:InvoiceTypeCode><cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>
<cac:AccountingSupplierParty><cac:Party><cac:PartyName><cbc:Name>Brand</cbc:Name></cac:PartyName><cac:PartyLegalEntity>
<cbc:RegistrationName>{VALUES["seller"]}</cbc:RegistrationName></cac:PartyLegalEntity></cac:Party>
</cac:AccountingSupplierParty>
<cac:AccountingCustomerParty><cac:Party><cac:PartyName><cbc:Name>{VALUES["buyer"]}</cbc:Name></cac:PartyName></cac:Party>
</cac:AccountingCustomerParty>
<cac:TaxTotal><cbc:TaxAmount currencyID="EUR">{VALUES["tax"]}</cbc:TaxAmount></cac:TaxTotal>
<cac:LegalMonetaryTotal><cbc:LineExtensionAmount>473.00</cbc:LineExtensionAmount>
<cbc:TaxExclusiveAmount>{VALUES["net"]}</cbc:TaxExclusiveAmount>
<cbc:TaxInclusiveAmount>{VALUES["total"]}</cbc:TaxInclusiveAmount>
<cbc:PayableAmount>{VALUES["due"]}</cbc:PayableAmount></cac:LegalMonetaryTotal>{lines}</Invoice>""".encode()


def invoice_pdf(content, name="factur-x.xml", printed=PRINTED):
    """A page of the printed values, which carries the data."""
    document = pymupdf.open()
    page = document.new_page()
    for k, text in enumerate(printed.values()):
        page.insert_text((72, 80 + 20 * k), text, fontname="helv")
    for k, line in enumerate(LINES):
        for x, text in zip((72, 250, 320, 400), line, strict=True):
            page.insert_text((x, 400 + 20 * k), text.replace(".", ","), fontname="helv")
    add_file(document, name, content, "Alternative", is_associated=True)
    return document.tobytes()
