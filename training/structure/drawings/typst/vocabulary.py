"""Words that a document says of itself: Figure, Chapter, Dear ..., and who signs it."""

from __future__ import annotations

from typing import Literal

Term = Literal["figure", "table", "chapter", "page", "abstract", "references", "contents"]
TERMS: tuple[Term, ...] = ("figure", "table", "chapter", "page", "abstract", "references", "contents")

_BY_LANGUAGE: dict[str, str] = {
    "en": "Figure|Table|Chapter|Page|Abstract|References|Contents",
    "de": "Abbildung|Tabelle|Kapitel|Seite|Zusammenfassung|Literatur|Inhalt",
    "fr": "Figure|Tableau|Chapitre|Page|Résumé|Références|Table des matières",
    "es": "Figura|Tabla|Capítulo|Página|Resumen|Referencias|Índice",
    "it": "Figura|Tabella|Capitolo|Pagina|Sommario|Bibliografia|Indice",
    "pt": "Figura|Tabela|Capítulo|Página|Resumo|Referências|Sumário",
    "nl": "Figuur|Tabel|Hoofdstuk|Pagina|Samenvatting|Literatuur|Inhoud",
    "pl": "Rysunek|Tabela|Rozdział|Strona|Streszczenie|Literatura|Spis treści",
    "cs": "Obrázek|Tabulka|Kapitola|Strana|Abstrakt|Literatura|Obsah",
    "sv": "Figur|Tabell|Kapitel|Sida|Sammanfattning|Referenser|Innehåll",
    "tr": "Şekil|Tablo|Bölüm|Sayfa|Özet|Kaynaklar|İçindekiler",
    "ru": "Рисунок|Таблица|Глава|Страница|Аннотация|Литература|Содержание",
    "uk": "Рисунок|Таблиця|Розділ|Сторінка|Анотація|Література|Зміст",
    "sr": "Слика|Табела|Поглавље|Страна|Резиме|Литература|Садржај",
    "bg": "Фигура|Таблица|Глава|Страница|Резюме|Литература|Съдържание",
    "el": "Σχήμα|Πίνακας|Κεφάλαιο|Σελίδα|Περίληψη|Βιβλιογραφία|Περιεχόμενα",
    "ar": "الشكل|الجدول|الفصل|صفحة|الملخص|المراجع|المحتويات",
    "fa": "شکل|جدول|فصل|صفحه|چکیده|منابع|فهرست",
    "he": "איור|טבלה|פרק|עמוד|תקציר|מקורות|תוכן העניינים",
    "hi": "चित्र|तालिका|अध्याय|पृष्ठ|सारांश|संदर्भ|विषय सूची",
    "mr": "आकृती|तक्ता|प्रकरण|पान|सारांश|संदर्भ|अनुक्रमणिका",
    "zh": "图|表|第|页|摘要|参考文献|目录",
    "ja": "図|表|第|頁|要旨|参考文献|目次",
    "ko": "그림|표|제|쪽|초록|참고문헌|목차",
}
VARIANTS: dict[str, tuple[str, ...]] = {
    "Figure": ("Figure", "Figure", "Fig.", "FIGURE", "FIG.", "Chart", "Plate", "Exhibit", "Scheme", "Graph"),
    "Table": ("Table", "Table", "TABLE", "Tab.", "Exhibit"),
    "Contents": ("Contents", "Table of Contents", "CONTENTS", "In this issue", "Index"),
    "References": ("References", "REFERENCES", "Bibliography", "Literature Cited", "Further reading"),
    "Abstract": ("Abstract", "ABSTRACT", "Summary", "Executive Summary", "Synopsis"),
    "Page": ("Page", "page", "p.", "Pg.", "PAGE"),
}


def words(joined: str) -> tuple[str, ...]:
    return tuple(joined.split("|"))


SECTIONS = words(
    "Introduction|Background|Related Work|Methods|Materials and Methods|Results|Discussion|Conclusion|Conclusions|"
    "Acknowledgements|Acknowledgments|Appendix|Overview|Scope|Definitions|Purpose|Data|Evaluation|"
    "Experiments|Limitations|"
    "Future Work|Summary|Recommendations|Key findings|Funding|Objectives|Next steps|"
    "Frequently asked questions|Glossary|"
    "Who can apply?|What is covered?|How do I register?|Why does it matter?|What happens next?|About us|Contact us|"
    "Terms and Conditions|Payment|Termination|Confidentiality|Governing Law|Liability|Notices|Roll Call|Old Business|"
    "New Business|Adjournment|Safety instructions|Installation|Maintenance|Troubleshooting|"
    "Technical data|Getting started"
)
RUN_IN = words(
    "Theorem|Lemma|Definition|Proof|Remark|Example|Corollary|Proposition|Note|Warning|Hypothesis|Problem|Claim|Case"
)
FORENAMES = words(
    "Anna|Ben|Carla|David|Elena|Farid|Grace|Hiro|Ingrid|João|Karin|Luis|Mei|Nadia|Olaf|Priya|Quentin|"
    "Rosa|Samuel|Tomasz|"
    "Ursula|Victor|Wen|Yusuf|Zoë|M.|J. R.|A.|K. L.|Jean-Luc|María|Peter|Susan|Robert|Linda"
)
SURNAMES = words(
    "Smith|Okafor|Nakamura|García|Müller|Rossi|Kowalski|Ivanov|Chen|Singh|Haddad|Larsen|Dubois|Silva|"
    "Novák|Papadopoulos|"
    "O’Neill|van Dijk|Kim|Nguyen|Cohen|Jensen|Brown|Lindqvist|Fernández|Weber|Tanaka|Ali|Johnson|"
    "de la Cruz|Patel|Wright"
)
MONTHS = words("January|February|March|April|May|June|July|August|September|October|November|December")
INSTITUTES = words(
    "University of {}|Department of Physics, {}|Institute for Statistics, {}|{} School of Medicine|"
    "Ministry of Health, {}|"
    "National Laboratory, {}|{} Research Centre|Technical University of {}|College of Arts, {}|{} Academy of Sciences"
)
GREETINGS = [
    "Dear {},",
    "Dear {}:",
    "Dear Sir or Madam,",
    "To whom it may concern,",
    "Hello {},",
    "Dear Members,",
    "Dear Parents,",
]
CLOSINGS = [
    "Sincerely,",
    "Best regards,",
    "Yours faithfully,",
    "Respectfully yours,",
    "With kind regards",
    "Yours sincerely,",
]
MEMO_LABELS = words("TO|FROM|DATE|SUBJECT|RE|CC|ATTENTION|PRIORITY|FILE")
LABELS = words(
    "Name|First name|Last name|Date of birth|Address|City|State|Postal code|Phone|Telephone No.|E-mail|Date|Signature|"
    "Occupation|Employer|Account No.|Reference|Department|Project|Contact person|Amount|Total|Quantity|"
    "Order No.|Country|"
    "Nationality|Passport No.|Emergency contact|Relationship|Policy number|Type|Size|Weight|Sample No.|"
    "Comments|Remarks|"
    "Purpose|Start date|End date|Approved by|Prepared by|Department head|Social Security No.|Vehicle|"
    "Registration|Status|"
    "Invoice No.|Due date|Customer|Ship to|Bill to|Terms|Tax ID|Currency|Room|Floor|Course|Grade|Student ID"
)
BULLETS = "•••••–◦▪‣*-►✓■○→"
COMPANY = words("Ltd|Inc.|GmbH|Group|Partners|& Sons|Foundation|Council|Association|Consulting|Press|Corporation")


def term(language: str, name: Term) -> str:
    """The word in the language; in English where the language has none here."""
    words = _BY_LANGUAGE.get(language, _BY_LANGUAGE["en"]).split("|")
    return words[TERMS.index(name)]
