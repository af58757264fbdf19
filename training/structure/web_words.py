"""What drawn web documents say, in eight scripts, ready to stand in HTML; all of it comes from `sentences`."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pydoc_data.topics import topics

RIGHT_TO_LEFT = ("ar", "he")
WITHOUT_SPACES = ("ja", "zh")
LANGUAGES = {"en": 50, "de": 10, "fr": 8, "ru": 6, "ar": 6, "he": 5, "zh": 5, "ja": 6, "ko": 4, "hi": 2, "el": 2}
ENGLISH = [
    w.strip(".,;:()") for w in "\n".join(topics.values()).split() if w.strip(".,;:()").isalpha() and len(w) < 16
]
OTHERS = {
    "de": "der die das und oder Verwaltung wird nach dem Antrag innerhalb einer Frist von vier Wochen beschieden sofern alle Unterlagen"
    " vorliegen Gemeinde Förderung Straßenbau Haushaltsplan für Jugendliche Prüfung durch Behörde im Auftrag Ergebnisse zeigen eine"
    " deutliche Verbesserung gegenüber Vorjahr Wirtschaftlichkeit Kosten sind gestiegen über Maßnahmen Übersicht kann bei Bedarf",
    "fr": "le la les des et une demande est adressée à direction régionale dans un délai de trente jours après notification selon article"
    " présent règlement général intérêt économique société été créée par arrêté communes où habitants peuvent découvrir musée château"
    " hiver événement gratuit réservation nécessaire équipe très élevée recherche française énergie prévisions",
    "ru": "в на и не что работа города области развитие новый проект который был создан для жителей района по решению совета программа"
    " поддержки предприятий включает расходы бюджета также результаты исследования показывают рост производства образование наука"
    " здоровье граждан порядок договор между сторонами срок оплаты услуги",
    "el": "και το της στο για από είναι που με έργο πόλης ανάπτυξη νέο πρόγραμμα των κατοίκων απόφαση συμβουλίου υπηρεσίες υγείας παιδεία"
    " οικονομία αποτελέσματα έρευνας δείχνουν αύξηση παραγωγής μεταξύ μερών διάρκεια πληρωμής",
    "ar": "في من على إلى التي هذا المشروع الجديد مدينة تنمية البرنامج الوطني وزارة التعليم الصحة نتائج البحث العلمي خلال العام الماضي"
    " أعلنت الشركة عن زيادة الإنتاج بنسبة كبيرة مع السوق المحلية شروط العقد بين الطرفين مدة الدفع خدمات المواطنين تقرير",
    "he": "של על את עם הוא היא פרויקט חדש בעיר פיתוח תוכנית לאומית משרד החינוך הבריאות תוצאות המחקר מראות עלייה בשנה האחרונה החברה"
    " הודיעה תנאי החוזה בין הצדדים מועד התשלום שירותים לתושבים דוח כלכלה מדע ספר",
    "hi": "और के में से पर यह नया परियोजना शहर विकास राष्ट्रीय कार्यक्रम शिक्षा स्वास्थ्य मंत्रालय परिणाम अनुसंधान पिछले वर्ष कंपनी ने घोषणा"
    " उत्पादन वृद्धि बाजार सेवाएं नागरिक रिपोर्ट भुगतान अवधि",
    "ko": "그리고 이번 사업은 도시 개발 계획에 따라 새로운 프로그램을 통해 주민들에게 서비스를 제공한다 연구 결과는 지난해 대비 생산이 증가했음을"
    " 보여준다 교육부와 보건 당국은 계약 조건을 발표했다 경제 과학 보고서 지원 대상",
    "zh": "项目 城市 发展 计划 新的 国家 教育 健康 研究 结果 表明 去年 生产 增长 公司 宣布 市场 服务 居民 报告 合同 条件 双方 支付 期限 的 和"
    " 在 是 进行 管理 部门 提供 技术 环境 保护",
    "ja": "計画 都市 開発 新しい 教育 健康 研究 結果 は 昨年 より 生産 が 増加 した 会社 の 発表 市場 サービス を 提供 する 住民 報告 契約 条件"
    " 支払い 期限 について 管理 技術 環境 保護 および による",
}
MONTHS = "January February March April May June July August September October November December".split()
CODE = ("for item in items:", "    total += item.price", "return total", "import json", "def read(path):", "x = y[0] + 1", "}")


def sentences(rng: random.Random, language: str = "en") -> Iterator[str]:
    """Sentences of a language, plain text and without end."""
    words = OTHERS[language].split() if language in OTHERS else ENGLISH
    joint = "" if language in WITHOUT_SPACES else " "
    stop = {"zh": "。", "ja": "。", "hi": "।"}.get(language, ".")
    while True:
        text = joint.join(rng.choices(words, k=rng.randint(4, 22)))
        yield text[0].upper() + text[1:] + stop


@dataclass(frozen=True, slots=True)
class Words:
    """Pieces of text of one language, escaped for HTML."""

    rng: random.Random
    language: str = "en"

    @property
    def rtl(self) -> bool:
        return self.language in RIGHT_TO_LEFT

    def text(self, low: int, high: int) -> str:
        """Whole sentences, `low` characters or more and hardly over `high`."""
        rng = self.rng
        dense = 0.45 if self.language in (*WITHOUT_SPACES, "ko") else 1.0  # characters that say as much
        want, limit = rng.randint(low, max(low, high)) * dense, high * dense
        out = ""
        for sentence in sentences(rng, self.language):
            if out and (len(out) >= want or len(out) + len(sentence) > limit + 40):
                break
            out += ("" if not out or self.language in WITHOUT_SPACES else " ") + sentence
        return escape(out, quote=False)

    def phrase(self, low: int = 1, high: int = 6) -> str:
        """Some words without a full stop, as in a heading or a label."""
        rng = self.rng
        sentence = next(sentences(rng, self.language)).rstrip(".。।:;,")
        if self.language in WITHOUT_SPACES:
            return escape(sentence[: rng.randint(low * 2, high * 2 + 1)], quote=False)
        words = sentence.split()[: rng.randint(low, high)]
        if self.language == "en" and rng.random() < 0.3:
            words = [w.capitalize() if len(w) > 3 else w for w in words]
        return escape(" ".join(words), quote=False)

    def name(self) -> str:
        """A word that stands for a person, a place or a product."""
        word = self.phrase(1, 1)
        return word[:1].upper() + word[1:]

    def person(self) -> str:
        return f"{self.name()} {self.name()}"

    def date(self) -> str:
        rng = self.rng
        day, month, year = rng.randint(1, 28), rng.randint(1, 12), rng.randint(1995, 2026)
        name = MONTHS[month - 1]
        forms = [f"{day}.{month}.{year}", f"{year}-{month:02d}-{day:02d}", f"{day}/{month}/{year}"]
        if self.language == "en":
            forms += [f"{name} {day}, {year}", f"{day} {name} {year}", f"{name} {year}", f"{name[:3]} {day}"]
        elif self.language in WITHOUT_SPACES:
            forms += [f"{year}年{month}月{day}日"] * 3
        elif self.language == "ko":
            forms += [f"{year}년 {month}월 {day}일"] * 3
        return rng.choice(forms)

    def years(self) -> str:
        start = self.rng.randint(1990, 2020)
        end = self.rng.choice([start + 1, start + 3, start + 4])
        return f"{start}{self.rng.choice(['–', ' – ', '-', ' to '])}{end}"

    def amount(self) -> str:
        rng = self.rng
        value = rng.choice([rng.uniform(1, 99), rng.uniform(100, 9999)])
        sign = rng.choice(["$", "€", "£", ""])
        return rng.choice([f"{sign}{value:,.2f}", f"{value:,.2f} {sign}".strip()])

    def number(self) -> str:
        rng = self.rng
        return rng.choice(
            [
                str(rng.randint(1, 99)),
                f"{rng.uniform(0, 100):.1f}",
                f"{rng.randint(1, 99)}%",
                f"{rng.randint(1000, 99999):,}",
                f"{rng.uniform(0, 1):.3f}",
                f"({rng.randint(1, 99)})",
                "–",
                str(rng.randint(1990, 2026)),
            ]
        )

    def code(self) -> str:
        rng = self.rng
        return escape("\n".join(rng.choice(CODE) for _ in range(rng.randint(2, 9))), quote=False)

    def host(self) -> str:
        return "www." + self.rng.choice(ENGLISH).lower() + self.rng.choice([".com", ".org", ".net", ".gov", ".de"])

    def mail(self) -> str:
        return self.rng.choice(ENGLISH).lower() + "@" + self.host()[4:]

    def phone(self) -> str:
        rng = self.rng
        return f"{rng.choice(['+49', '(0)', '+1'])} {rng.randint(100, 999)} {rng.randint(1000000, 9999999)}"

    def address(self) -> list[str]:
        """The lines of an address, a name first."""
        rng = self.rng
        return [self.person(), f"{rng.randint(1, 200)} {self.name()} St.", f"{rng.randint(10000, 99999)} {self.name()}"]


def some_words(rng: random.Random) -> Words:
    """Words in a language drawn by its weight."""
    return Words(rng, rng.choices(list(LANGUAGES), list(LANGUAGES.values()))[0])
