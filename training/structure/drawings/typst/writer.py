"""The words of one document: one language, and what is said in it, as long or short as a place wants."""

from __future__ import annotations

import random
import re
from typing import TypeVar

from training.structure.drawings.texts import SPACELESS, Language, Script, Texts
from training.structure.drawings.typst.style import installed_faces
from training.structure.drawings.typst.vocabulary import (
    COMPANY,
    FORENAMES,
    INSTITUTES,
    MONTHS,
    RUN_IN,
    SECTIONS,
    SURNAMES,
    VARIANTS,
    Term,
    term,
)

ENGLISH_SHARE = 0.6
WEIGHTS: dict[Script, float] = {"latin": 9, "cyrillic": 3, "chinese": 3, "japanese": 3, "arabic": 2.5}
DEFAULT_WEIGHT = 2.0
SHUFFLED_SHARE = 0.08  # of documents in English: their words are in no order, so that the words decide nothing
MIN_PARAGRAPHS = 200  # a language with fewer is set in sentences
PUNCTUATION = ",;:()\"'.[]!?«»„“”"

T = TypeVar("T")


class Writer:
    """The state of `chance` decides every word."""

    def __init__(self, chance: random.Random, texts: Texts) -> None:
        self.chance = chance
        self.language = self._choose_language(texts)
        self._texts = texts
        self._spaceless = self.language.script in SPACELESS
        self._is_english = self.language.code == "en"
        self._is_shuffled = self._is_english and chance.random() < SHUFFLED_SHARE
        words = re.findall(r"[^\W\d_]{2,}", " ".join(self._some(self.language.sentences) for _ in range(25)))
        self._words = [word[:3] for word in words] if self._spaceless else words

    @property
    def is_english(self) -> bool:
        return self._is_english

    @property
    def is_latin(self) -> bool:
        return self.language.script == "latin"

    @property
    def is_tall(self) -> bool:
        return self.language.script in ("arabic", "devanagari")

    @property
    def is_spaceless(self) -> bool:
        return self._spaceless

    @property
    def is_right_to_left(self) -> bool:
        return self.language.script in ("arabic", "hebrew")

    def sentence(self) -> str:
        if self._is_shuffled:
            words = self.chance.choices(self._words, k=self.chance.randint(4, 22))
            return " ".join(words).lower().capitalize() + "."
        return self._some(self.language.sentences)

    def text(self, min_length: int, max_length: int) -> str:
        """Running text of about so many Latin characters."""
        scale = 0.4 if self._spaceless else 1.0
        length = self.chance.randint(min_length, max(min_length, max_length)) * scale
        text = ""
        while len(text) < length:
            text += ("" if self._spaceless or not text else " ") + self._with_reference(self._passage(length))
        longest = int(length * 1.3) + 20
        if len(text) <= longest:
            return text
        cut = text[:longest] if self._spaceless else text[:longest].rsplit(" ", 1)[0]
        return cut.rstrip(",;: ([{") + ("。" if self._spaceless else ".")

    def phrase(self, min_words: int = 1, max_words: int = 6) -> str:
        """Some words without a full stop."""
        if max_words > 2 and not self._is_shuffled and self.chance.random() < 0.5:
            phrase = self._some(self.language.phrases)
            if len(phrase) <= (4 if self._spaceless else 9) * max_words:
                return phrase
        if self._spaceless:
            text = re.sub(r"[\W\d]+", "", self.sentence())
            return text[: self.chance.randint(2 * min_words, 4 * max_words)] or self.name()
        words = [word.strip(PUNCTUATION) for word in self.sentence().split()]
        count = self.chance.randint(min_words, max_words)
        start = self.chance.randint(0, max(0, len(words) - count))
        phrase = " ".join(word for word in words[start : start + count] if word)
        return phrase[:1].upper() + phrase[1:] or self.name()

    def heading(self, max_words: int = 7) -> str:
        """A phrase, or in English often what sections are really called."""
        if self._is_english and not self._is_shuffled and self.chance.random() < 0.35:
            return self.chance.choice(SECTIONS)
        phrase = self.phrase(1, max_words)
        if self.is_latin and self.chance.random() < 0.2:
            phrase = phrase.title()
        if self.chance.random() < 0.08:
            phrase += {"arabic": "؟", "greek": ";"}.get(self.language.script, "?")
        return phrase

    def run_in(self) -> str:
        return self.chance.choice(RUN_IN) if self._is_english else self.phrase(1, 2)

    def item(self) -> str:
        """What a list item says."""
        longest = self.chance.choice((25, 50, 90, 220))
        text = self.phrase(1, 5) if longest < 30 else self.text(12, longest)
        return text if self.chance.random() < 0.6 else text.rstrip(".") + self.chance.choice(("", ";", ","))

    def name(self) -> str:
        """A country, or in place of it a word."""
        if self.chance.random() < 0.5:
            return self.chance.choice(self._words).capitalize() if self._words else self._some(self.language.names)
        return self._some(self.language.names)

    def person(self) -> str:
        if not self.is_latin and self.chance.random() < 0.7:
            return f"{self.name()} {self.name()}"
        return f"{self.chance.choice(FORENAMES)} {self.chance.choice(SURNAMES)}"

    def institute(self) -> str:
        return self.chance.choice(INSTITUTES).format(self.name()) if self.is_latin else self.phrase(2, 4)

    def company(self) -> str:
        return f"{self.chance.choice(SURNAMES)} {self.chance.choice(COMPANY)}" if self.is_latin else self.phrase(1, 3)

    def web_site(self) -> str:
        name = self.chance.choice(SURNAMES).split()[0].lower().replace("’", "")
        return f"www.{name}.{self.chance.choice(('org', 'com', 'eu'))}"

    def address(self) -> list[str]:
        r = self.chance
        street = f"{r.randint(1, 300)} {r.choice(SURNAMES)} {r.choice(('Street', 'Road', 'Ave.', 'Lane', 'Platz'))}"
        return [self.person(), street, f"{r.randint(1000, 99999)} {self.name()}"]

    def phone(self) -> str:
        r = self.chance
        return (
            r.choice(("+", "(0", "Tel. ", "T: ")) + f"{r.randint(10, 99)} {r.randint(100, 999)}-{r.randint(1000, 9999)}"
        )

    def date(self) -> str:
        r = self.chance
        day, month, year = r.randint(1, 28), r.randint(1, 12), r.randint(1985, 2026)
        if self.language.script in ("chinese", "japanese"):
            return f"{year}年{month}月{day}日"
        named = MONTHS[month - 1] if self._is_english else self.name()
        forms = [f"{day:02d}.{month:02d}.{year}", f"{year}-{month:02d}-{day:02d}", f"{day}/{month}/{year}"]
        if self._is_english:
            forms = [f"{named} {day}, {year}", f"{day} {named} {year}", f"{named} {year}", forms[r.randint(0, 2)]]
        return r.choice(forms)

    def number(self) -> str:
        r = self.chance
        forms = (
            f"{r.randint(0, 99)}",
            f"{r.uniform(0, 100):.1f}",
            f"{r.uniform(0, 1):.3f}",
            f"{r.randint(1, 99)}%",
            f"{r.randint(1000, 99999):,}",
            f"({r.randint(1, 99)})",
            f"−{r.uniform(0, 10):.2f}",
            f"{r.randint(1990, 2026)}",
            "–",
        )
        return r.choice(forms)

    def amount(self) -> str:
        return f"{self.chance.choice(('$', '€ ', '£', ''))}{self.chance.uniform(1, 9000):,.2f}"

    def code(self) -> list[str]:
        """Lines of a program."""
        lines = self._some(self._texts.code).splitlines() if self._texts.code else ["pass"]
        return lines[: self.chance.randint(2, 16)]

    def term(self, name: Term) -> str:
        word = term(self.language.code, name)
        return self.chance.choice(VARIANTS.get(word, (word,)))

    def _choose_language(self, texts: Texts) -> Language:
        r = self.chance
        if r.random() < ENGLISH_SHARE:
            return texts.english
        scripts: list[Script] = [script for script in texts.others if installed_faces(script)]
        if not scripts:
            return texts.english
        script = r.choices(scripts, [WEIGHTS.get(script, DEFAULT_WEIGHT) for script in scripts])[0]
        return r.choice(texts.others[script])

    def _passage(self, length: float) -> str:
        if self._is_shuffled or len(self.language.paragraphs) < MIN_PARAGRAPHS or length < 80:
            return self.sentence()
        return self._some(self.language.paragraphs)

    def _with_reference(self, text: str) -> str:
        """Now and then the text cites something at its end."""
        r = self.chance
        if r.random() > 0.1 or not self.is_latin:
            return text
        citation = r.choice(
            (
                f" [{r.randint(1, 60)}].",
                f" ({r.choice(SURNAMES)}, {r.randint(1950, 2026)}).",
                f" ({self.term('figure')} {r.randint(1, 9)}).",
                f" {r.randint(1, 99)}%.",
                f" § {r.randint(1, 30)}.",
            )
        )
        return text.rstrip(".") + citation

    def _some(self, texts: tuple[T, ...]) -> T:
        return self.chance.choice(texts)
