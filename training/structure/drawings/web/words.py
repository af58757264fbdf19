"""What drawn web documents say: pieces of installed texts of one language, ready to stand in HTML."""

from __future__ import annotations

import random
from dataclasses import dataclass
from html import escape
from unicodedata import normalize

from training.structure.drawings.texts import SPACELESS, Language, Script, installed_texts

SHARE_OF_ENGLISH = 0.5
SCRIPT_WEIGHTS: dict[Script, int] = {
    "latin": 30,
    "cyrillic": 8,
    "greek": 4,
    "arabic": 10,
    "hebrew": 8,
    "devanagari": 4,
    "chinese": 8,
    "japanese": 9,
    "korean": 6,
}
RIGHT_TO_LEFT = ("arabic", "hebrew")
DENSITY = 0.45  # characters of Chinese, Japanese or Korean that take the place of one Latin letter
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
HOSTS = ("acme", "north", "harbour", "gazette", "civic", "library", "office", "metro", "museum", "garden", "energy")
DOMAINS = (".com", ".org", ".net", ".gov", ".de")


@dataclass(frozen=True, slots=True)
class Words:
    """Pieces of text of one language, escaped for HTML."""

    rng: random.Random
    language: Language
    dates: int = 0  # the form of dates: one for a document
    currency: str = "$"
    currency_first: bool = True

    @property
    def rtl(self) -> bool:
        return self.language.script in RIGHT_TO_LEFT

    @property
    def spaceless(self) -> bool:
        return self.language.script in SPACELESS

    @property
    def english(self) -> bool:
        return self.language.code == "en"

    def text(self, low: int, high: int) -> str:
        """Whole sentences, about `low` characters or more and hardly over `high`."""
        rng, language = self.rng, self.language
        dense = DENSITY if self.spaceless or language.script == "korean" else 1.0
        want, limit = rng.randint(low, max(low, high)) * dense, high * dense + 30
        pool = language.paragraphs if high > 250 else language.sentences
        out = ""
        for _ in range(60):
            part = rng.choice(pool)
            if len(out) + len(part) > limit:
                part = rng.choice(language.sentences)
                if out and len(out) + len(part) > limit:
                    part = ""
            if out and len(out) >= want:
                break
            out += (" " if out and part and not self.spaceless else "") + part
        return in_html(self._shortened(out, limit))

    def _shortened(self, text: str, limit: float) -> str:
        if len(text) <= limit + 60:
            return text
        cut = text[: int(limit)]
        return cut + "。" if self.spaceless else cut.rsplit(" ", 1)[0].rstrip(",;:") + "."

    def phrase(self, low: int = 1, high: int = 6) -> str:
        """Some words without a full stop, as in a heading or a label."""
        rng = self.rng
        text = rng.choice(self.language.phrases)
        if self.spaceless:
            while len(text) < low * 2:
                text += rng.choice(self.language.phrases)
            return in_html(text[: rng.randint(low * 2, high * 2 + 1)])
        words = text.split()
        while len(words) < low:
            words += rng.choice(self.language.sentences).split()
        words = words[: max(low, rng.randint(low, high)) if len(words) > high else high]
        out = " ".join(words).rstrip(".:;,–-(").strip()
        return in_html(out[:1].upper() + out[1:])

    def name(self) -> str:
        """A word that stands for a person, a place or a product."""
        rng = self.rng
        text = rng.choice(self.language.names if rng.random() < 0.7 else self.language.phrases)
        word = text[: rng.randint(2, 4)] if self.spaceless else max(text.split(), key=len)[:16]
        return in_html(word[:1].upper() + word[1:])

    def person(self) -> str:
        return f"{self.name()}{'' if self.spaceless else ' '}{self.name()}"

    def date(self) -> str:
        rng = self.rng
        day, month, year = rng.randint(1, 28), rng.randint(1, 12), rng.randint(1995, 2026)
        name = MONTHS[month - 1]
        forms = [f"{day}.{month}.{year}", f"{year}-{month:02d}-{day:02d}", f"{day}/{month}/{year}"]
        if self.english:
            forms += [f"{name} {day}, {year}", f"{day} {name} {year}", f"{name} {year}", f"{name[:3]} {day}"]
        elif self.spaceless:
            forms += [f"{year}年{month}月{day}日"] * 3
        elif self.language.script == "korean":
            forms += [f"{year}년 {month}월 {day}일"] * 3
        return forms[self.dates % len(forms)]

    def years(self) -> str:
        start = self.rng.randint(1990, 2020)
        end = self.rng.choice([start + 1, start + 3, start + 4])
        return f"{start}{self.rng.choice(['–', ' – ', '-', ' to '])}{end}"

    def amount(self) -> str:
        rng = self.rng
        value = rng.choice([rng.uniform(1, 99), rng.uniform(100, 9999)])
        if self.currency_first:
            return f"{self.currency}{value:,.2f}"
        return f"{value:,.2f} {self.currency}".strip()

    def number(self, form: int | None = None) -> str:
        """A number; all of one form (0 to 6) look alike."""
        rng = self.rng
        forms = (
            str(rng.randint(1, 99)),
            f"{rng.uniform(0, 100):.1f}",
            f"{rng.randint(1, 99)}%",
            f"{rng.randint(1000, 99999):,}",
            f"{rng.uniform(0, 1):.3f}",
            f"{rng.uniform(-9, 9):+.1f}",
            str(rng.randint(1990, 2026)),
        )
        return forms[rng.randrange(len(forms)) if form is None else form % len(forms)]

    def code(self) -> str:
        """A listing, its lines parted by newlines."""
        pool = installed_texts().code
        text = self.rng.choice(pool) if pool else "for item in items:\n    total += item.price"
        return in_html("\n".join(text.splitlines()[:18]))

    def host(self) -> str:
        return f"www.{self.rng.choice(HOSTS)}-{self.rng.choice(HOSTS)}{self.rng.choice(DOMAINS)}"

    def mail(self) -> str:
        return f"{self.rng.choice(HOSTS)}@{self.host()[4:]}"

    def phone(self) -> str:
        rng = self.rng
        return f"{rng.choice(['+49', '(0)', '+1'])} {rng.randint(100, 999)} {rng.randint(1000000, 9999999)}"

    def address(self) -> list[str]:
        """The lines of an address, a name first."""
        rng = self.rng
        return [self.person(), f"{rng.randint(1, 200)} {self.name()} St.", f"{rng.randint(10000, 99999)} {self.name()}"]


def in_html(text: str) -> str:
    """Text as it stands in HTML, its accents joined to their letters."""
    return escape(normalize("NFC", text), quote=False)


def random_words(rng: random.Random, script: Script | None = None) -> Words:
    """Words in a language drawn by its weight, or of a script."""
    texts = installed_texts()
    scripts: list[Script] = [name for name in SCRIPT_WEIGHTS if name in texts.others]
    language = texts.english
    if script is not None or (scripts and rng.random() > SHARE_OF_ENGLISH):
        chosen = script or rng.choices(scripts, [SCRIPT_WEIGHTS[name] for name in scripts])[0]
        language = rng.choice(texts.others.get(chosen, (language,)))
    return Words(rng, language, rng.randrange(60), rng.choice(["$", "€", "£", ""]), rng.random() < 0.5)
