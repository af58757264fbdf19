"""Texts of forms, receipts and labels: labels and values, prices, dates, numbers, names, addresses, capitals."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from training.ocr.characters import CHARS

LABELS = (
    "Date|Name|Address|City|State|Zip Code|Phone|Telephone No.|Fax|Fax Number|To|From|Subject|Re|cc|Project|"
    "Project No.|Approved by|Requested by|Prepared by|Signature|Title|Department|Division|Company|Contact|Quantity|"
    "Amount|Total|Cost|Estimated Cost|Budget|Account No.|Account Name|Brand|Product|Product Code|Item|Description|"
    "Type|Size|Weight|Length|Sample No.|Test|Method|Results|Comments|Remarks|Purpose|Objective|Region|District|"
    "Territory|Manager|Supervisor|Number of Pages|Pages including cover|Time|Start Date|End Date|Effective Date|"
    "Expiration Date|Code|Ref. No.|Page|of|Yes|No|Other|N/A|Specify|Check one|Please print|Market|Media|Issue|Space|"
    "Circulation|Publication|Manufacturer|Supplier|Vendor|Invoice No.|P.O. Number|Terms|Ship to|Bill to|Attention|"
    "Distribution|Original|Copy|Confidential|Study|Protocol|Species|Sex|Age|Group|Dose|Chemical|Compound|Formula|"
    "Structure|Source|Date Received|Date Mailed|Routing|Priority|Status|Class|Grade|Lot No.|Order No.|Category|"
    "Volume|Price|Unit|Rate|Percent|Total Cost|Tar|Filter|Authorized by|Reviewed by|Checked by|Witness|County|"
    "Country|Street|Box|Room|Floor|Ext.|Office|Home|Social Security No."
)
RECEIPT_LABELS = (
    "TOTAL|SUBTOTAL|Sub Total|Sub-Total|GRAND TOTAL|Total Amount|Amount Due|CASH|CHANGE|Change Due|Rounding|"
    "Rounding Adj|Round Amt|TAX INVOICE|INVOICE|RECEIPT|Receipt No|Receipt #|Rcpt#|Invoice No|Inv No.|Bill No|"
    "Doc No.|Cashier|Counter|Terminal|Salesperson|Served by|Table|Pax|Guest|Member|Date|Time|Qty|QTY|Item|"
    "Description|Price|U.Price|Unit Price|Amount|Amt(RM)|Amount(RM)|Disc|Discount|Tax|TAX AMT|GST|GST ID No|"
    "GST Reg No|GST Summary|SST|VAT|Service Charge|Total Excl. GST|Total Incl. of GST|Total Sales (Inclusive GST)|"
    "Total Qty|Total Items|Item Count|VISA|MASTER CARD|CREDIT CARD|DEBIT|Approval Code|Card No|Payment|Paid by|"
    "Tendered|Balance|Tel|TEL|Fax|H/P|Email|Company Reg. No.|Co. No.|Reg No|ROC NO|THANK YOU|"
    "Thank You, Please Come Again|PLEASE COME AGAIN|HAVE A NICE DAY|Goods sold are not returnable|"
    "Exchange within 7 days with receipt|Customer Copy|DUPLICATE|Dine In|Take Away|Order No|Station|Pump|Litres|"
    "Points|Savings|Voucher|Deposit|Delivered by|Loc|SR @ 6%|ZR|SR|*S|EA|PCS|UNIT|PKT|KG"
)
STREETS = (
    "Street|St.|Avenue|Ave.|Road|Rd.|Lane|Drive|Park|Square|Blvd|Plaza|Tower|Jalan|JLN|Lorong|Taman|Kampung|Lot|No.|"
    "Level|Suite|Ground Floor|Block|P.O. Box|Highway|Bandar|Persiaran|Wisma"
)
COMPANIES = (
    "Inc.|Ltd|LTD.|Co.|Corp.|CORPORATION|& Sons|Company|SDN BHD|SDN. BHD.|(M) SDN BHD|Enterprise|TRADING|Restaurant|"
    "Hardware|Stationery|Mart|Supermarket|Pharmacy|Bakery|Books|Store|Services|Group|Institute|Associates|GmbH|LLC|"
    "Research"
)
MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
ROMAN = "I|II|III|IV|V|VI|VII|VIII|IX|X|XI|XII"  # months of labels
PATTERNS = (  # of numbers: A is a letter, # a digit
    "AA#####|##-##-####|A-####|AA-AA-#######|###-##-####|#A##|A########|####/##/A|AA ####|(####)|#.#|##/###|AAA-###|"
    "######AA#|XXXX####|#####A"
)


class PaperWriter:
    """Lines as forms and receipts have them; the state of `chance` decides, `words` and `prose` are all it may use."""

    def __init__(self, chance: random.Random, words: Sequence[str], prose: Sequence[str]) -> None:
        self._random, self._words, self._prose = chance, words, prose

    def form(self, longest: int) -> str:
        """A label, a value, or both; or some words of an instruction."""
        r = self._random
        label = self._cased(r.choice(LABELS.split("|"))) + r.choice((":", ":", ":", "", "", " :", ".", "#", "?"))
        return self._fitting(
            longest,
            (3, lambda: label),
            (3, lambda: f"{label} {self._value()}"),
            (4, self._value),
            (1, lambda: f"{label} {self._value()} {self._cased(r.choice(LABELS.split('|')))}: {self._value()}"),
            (2, self._phrase),
            (1, lambda: " ".join(self._value() for _ in range(r.randrange(2, 5)))),
            (1, lambda: f"{r.choice(('( )', '[ ]', 'X', '(x)', 'o', '•'))} {self._phrase()}"),
        )

    def receipt(self, longest: int) -> str:
        """An article with its price, a sum, a number, an address, a greeting."""
        r = self._random
        label = r.choice(RECEIPT_LABELS.split("|"))
        label = label.upper() if r.random() < 0.4 else label
        named, k = label + r.choice((":", " :", ":", "", "", ".", "#")), r.randrange(3, 12)
        return self._fitting(
            longest,
            (4, self._price),
            (3, lambda: f"{named} {r.choice((self._price, self._number, self._date, self._number))()}"),
            (3, lambda: label),
            (3, self._article),
            (2, self._number),
            (2, lambda: f"{self._date()} {self._clock()}" if r.random() < 0.6 else self._date()),
            (2, self._address),
            (1, self._company),
            (1, lambda: f"TEL: {self._phone()}" if r.random() < 0.5 else self._phone()),
            (2, lambda: " ".join(self._price() for _ in range(r.randrange(2, 5)))),
            (2, self._phrase),
            (
                1,
                lambda: (
                    r.choice(("*" * k, "* " * k, "-" * k, "=" * k)) + label + r.choice((" " + "*" * k, " *" * k, ""))
                ),
            ),
            (1, lambda: f"{label}{'.' * k} {self._price()}"),
            (1, lambda: f"{r.choice(('SR', 'GST', 'S', 'TAX', 'Disc', 'VAT'))} {r.choice('@=:@')} {r.randrange(30)}%"),
        )

    def _fitting(self, longest: int, *choices: tuple[int, Callable[[], str]]) -> str:
        """One of the choices by its weight, of known characters alone, cut to `longest`."""
        make = self._random.choices([choice for _, choice in choices], [weight for weight, _ in choices])[0]
        text = "".join(c for c in make() if c in CHARS)
        return " ".join(text[:longest].split()) or self._words[0][:longest]

    def _value(self) -> str:
        r = self._random
        makers = (self._number, self._number, self._date, self._person, self._person, self._phone, self._price)
        return r.choice((*makers, self._company, self._address, self._phrase, self._word, self._word, self._locality))()

    def _word(self) -> str:
        r = self._random
        words = r.choice(self._prose)[:400].split() if r.random() < 0.6 else self._words
        return self._cased(r.choice(words))

    def _cased(self, text: str) -> str:
        k = self._random.random()
        return text.upper() if k < 0.4 else text if k < 0.7 else text.title() if k < 0.95 else text.lower()

    def _phrase(self) -> str:
        """Words that follow each other in prose, mostly: what is likely to be read shall help to read it."""
        r, count = self._random, self._random.randrange(1, 9)
        if r.random() < 0.7:
            source = r.choice(self._prose)[:2000].split()
            start = r.randrange(max(1, len(source) - count))
            words = " ".join(source[start : start + count])
        else:
            words = " ".join(r.choice(self._words) for _ in range(count))
        return r.choice((words.upper(), words.upper(), words.capitalize(), words.title(), words, f"({words})"))

    def _person(self) -> str:
        r = self._random
        name, first = r.choice(self._words).capitalize(), r.choice(self._words).capitalize()
        initials = " ".join(f"{r.choice('ABCDEFGHJKLMNPRSTW')}." for _ in range(r.randrange(1, 3)))
        person = r.choice((f"{initials} {name}", f"{first} {initials} {name}", f"{first} {name}", f"{name}, {first}"))
        person = r.choice(("Mr. ", "Ms. ", "Dr. ", "", "", "")) + person
        return person.upper() if r.random() < 0.3 else person

    def _company(self) -> str:
        r = self._random
        name = " ".join(r.choice(self._words).capitalize() for _ in range(r.randrange(1, 3)))
        name += " " + r.choice(COMPANIES.split("|"))
        return name.upper() if r.random() < 0.6 else name

    def _address(self) -> str:
        r = self._random
        place, number = r.choice(self._words).capitalize(), r.randrange(1, 400)
        form = r.choice(
            (
                f"{number} {place} {r.choice(STREETS.split('|'))}",
                f"NO. {number}, {r.choice(STREETS.split('|'))} {place} {r.randrange(1, 30)}/{r.randrange(1, 30)},",
                f"{place}, {r.choice('ACFGIKLMNOPTUVW')}{r.choice('ACDEHIKLNORSTVXYZ')} {r.randrange(10000, 99999)}",
                f"{r.randrange(10000, 99999)} {place} {r.choice(self._words).capitalize()}",
                f"{number}-{r.randrange(1, 9)} & {number + 2}, {r.choice(STREETS.split('|'))} {place},",
                f"{r.choice(STREETS.split('|'))} {number}{r.choice('ABG')}, {place}.",
            )
        )
        return form.upper() if r.random() < 0.6 else form

    def _locality(self) -> str:
        """Where and when something was collected, as labels of specimens say it."""
        r = self._random
        place, other = (r.choice(self._words).capitalize() for _ in range(2))
        month, year = MONTHS.split("|")[r.randrange(12)], r.randrange(1880, 2010)
        way, degrees = r.choice(("N", "S", "E", "W", "NE", "SW", "NNW")), r.randrange(10, 80)
        return r.choice(
            (
                f"{r.randrange(1, 40)} mi. {way}. {place}", f"{r.randrange(1, 40)} km {way} of {place}, {other} Co.",
                f"{place} County", f"T{r.randrange(1, 60)}N, R{r.randrange(1, 40)}{r.choice('EW')}.",
                f"elev. {r.randrange(100, 9000)} {r.choice(('ft.', 'm'))}", f"Alt. {r.randrange(100, 3000)} m.",
                f"{degrees}°{r.randrange(60)}'{r.choice('NS')}, {degrees + 30}°{r.randrange(60)}'{r.choice('EW')}",
                f"{r.randrange(1, 29)}-{r.choice(ROMAN.split('|'))}-{year}",
                f"{r.randrange(1, 29)} {month[:3]} {year}", f"Det. {place[0]}. {other}, {year}",
                f"{place} {other.lower()} ({other[0]}.) {place}", f"Coll. {place[0]}. {other[0]}. {place} No. {year}",
            )
        )  # fmt: skip

    def _number(self) -> str:
        """A number of pieces, an account, an identity: any mixture of digits, capitals, hyphens and strokes."""
        r, kind = self._random, self._random.random()
        if kind < 0.25:
            return str(r.randrange(10 ** r.randrange(1, 4)))
        if kind < 0.5:
            return "".join(r.choices("0123456789", k=r.randrange(5, 15)))
        if kind < 0.6:
            return f"{r.randrange(1, 100)}{r.choice(('%', ' %', ' mm', ' mg', ' g', '+', ' pcs', 'x', ' oz.', ' lbs'))}"
        if kind < 0.7:
            return f"{r.randrange(10**6):06}-{r.choice('ADHKMPTUVWX')}"
        pattern = r.choice(PATTERNS.split("|"))
        letters = {"A": "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "#": "0123456789"}
        return "".join(r.choice(letters.get(c, c)) for c in pattern)

    def _price(self) -> str:
        r = self._random
        amount = r.randrange(10 ** r.randrange(3, 7)) / 100 if r.random() < 0.8 else r.randrange(0, 100) / 10
        figure = r.choice((f"{amount:.2f}", f"{amount:.2f}", f"{amount:,.2f}", f"{amount:.0f}", f"{amount:.3f}"))
        form = r.choice(("{}", "{}", "{}", "{}", "${}", "RM{}", "RM {}", "-{}", "{} S", "{} SR", "*{}", "({})", "$ {}"))
        return form.format(figure)

    def _article(self) -> str:
        r = self._random
        name = " ".join(self._word() for _ in range(r.randrange(1, 4)))
        name = name.upper() if r.random() < 0.7 else name
        number, figure = r.randrange(1, 20), f"{r.randrange(10, 9999) / 100:.2f}"
        return r.choice(
            (
                f"{number} {name} {figure}",
                f"{name} {r.randrange(1, 999)}{r.choice(('G', 'ML', 'KG', 'L', 'CM', 'MM', 'S'))}",
                f"{number} x {figure} {float(figure) * number:.2f}",
                f"{number}.00 PCS x {figure}",
                f"{name} {number} {figure} {float(figure) * number:.2f} SR",
                f"{r.randrange(10**12):013} {name}",
                f"{number} X {figure}",
                f"{number}{r.choice(('PC', 'PCS', ' EA', 'KG', ''))} @ {figure}",
                f"[{r.randrange(1, 10)}] {name}",
                name,
            )
        )

    def _date(self) -> str:
        r = self._random
        day, month, year = r.randrange(1, 29), r.randrange(1, 13), r.choice((r.randrange(1950, 2000), 2018, 2017, 2021))
        name = MONTHS.split("|")[month - 1]
        return r.choice(
            (
                f"{month}/{day}/{year % 100:02}", f"{day:02}/{month:02}/{year}", f"{name} {day}, {year}",
                f"{day:02}-{month:02}-{year}", f"{day}-{name[:3]}-{year % 100:02}", f"{name} {year}",
                f"{day:02} {name[:3].upper()} {year}", f"{name[:3]}. {day}, {year}",
                f"{month:02}/{day:02}/{year % 100:02}",
                f"{day:02}.{month:02}.{year}", f"{year}-{month:02}-{day:02}", f"{month}/{year % 100:02}", str(year),
                f"{day:02}{month:02}{year}",
            )
        )  # fmt: skip

    def _clock(self) -> str:
        r = self._random
        hour, minute = r.randrange(24), r.randrange(60)
        return r.choice(
            (
                f"{hour:02}:{minute:02}", f"{hour:02}:{minute:02}:{r.randrange(60):02}",
                f"{hour % 12 or 12}:{minute:02} {r.choice(('AM', 'PM', 'am', 'pm'))}", f"{hour % 12:02}:{minute:02}PM",
            )
        )  # fmt: skip

    def _phone(self) -> str:
        r = self._random
        area, one, two = r.randrange(200, 990), r.randrange(200, 999), r.randrange(10000)
        return r.choice(
            (
                f"({area}) {one}-{two:04}", f"{area}-{one}-{two:04}", f"{area}/{one}-{two:04}", f"{one}-{two:04}",
                f"03-{one}{two % 10} {two:04}", f"+603-{one}{two % 10} {two:04}", f"0{area % 100}-{one}{two:04}",
                f"{area} {one} {two:04}",
            )
        )  # fmt: skip
