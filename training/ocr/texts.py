"""Texts to draw: prose, code, words, figures and loose characters, all of known characters."""

from __future__ import annotations

import functools
import random
import re
import sysconfig
from pathlib import Path

from training.ocr.characters import CHARS, LATIN
from training.ocr.paper_texts import PaperWriter

FORTUNES = Path("/usr/share/games/fortunes")  # sayings and quotations: people write so, manuals do not
PROSE = 0.96  # of the characters of sentences: letters, spaces and usual punctuation
WESTERN = ("french", "ngerman", "spanish", "italian", "portuguese", "swedish", "danish", "dutch", "norsk")


class Writer:
    """The state of `chance` decides the texts; held-out texts are every tenth of each source, and never trained on."""

    def __init__(self, chance: random.Random, held_out: bool = False) -> None:
        self._random = chance
        parts = (_part(source, held_out) for source in corpus())
        self._prose, self._code, self._words = parts
        self._sentences = [text for text in self._prose if is_prose(text)]
        self.paper = PaperWriter(chance, self._words, self._sentences)
        self._western = [part for words in western_words() if (part := _part(words, held_out))]

    def prose(self, longest: int) -> str:
        """At most `longest` characters of running text, as a typesetter would have it."""
        source, num_characters = (
            self._random.choice(self._sentences),
            max(1, round(longest * self._random.random() ** 0.4)),
        )
        start = source.rfind(" ", 0, self._random.randrange(max(1, len(source) - num_characters)) + 1) + 1
        text = "".join(c for c in self._typeset(source[start : start + num_characters + 8]) if c in CHARS)[
            :num_characters
        ]
        return " ".join(text.split()) or self._random.choice(self._words)[:longest]

    def text(self, longest: int, *, western: bool = False) -> str:
        """At most `longest` characters of `CHARS`, without blanks at the ends and without two blanks running.

        `western`: words of one other language of Western Europe, where a list of some is installed.
        """
        r = self._random
        if western and self._western:
            return self._sentence(r.choice(self._western), max(1, round(longest * r.random() ** 0.6)))
        num_characters, kind = max(1, round(longest * r.random() ** 0.6)), r.random()
        if kind < 0.60:
            source = r.choice(self._prose if kind < 0.52 else self._code)
            start = source.rfind(" ", 0, r.randrange(max(1, len(source) - num_characters)) + 1) + 1
            text = source[start : start + num_characters]
        else:
            parts: list[str] = []
            while sum(map(len, parts)) < num_characters:
                parts.append(self._word() if kind < 0.78 or r.random() < 0.35 else self._figure())
            text = " ".join(parts) if kind < 0.96 else "".join(r.choices(CHARS, k=min(num_characters, 40)))
        if r.random() < 0.07:
            text = r.choice((str.upper, str.title))(text)
        if r.random() < 0.5:  # as a typesetter would have it
            text = self._typeset(text)
        if r.random() < 0.03:
            text = r.choice("•–·-*") + " " + text
        text = "".join(c for c in text if c in CHARS)[:num_characters]
        if num_characters > 30 and text[-1:].isalpha() and r.random() < 0.1:
            text = text[:-1] + "-"
        return " ".join(text.split()) or r.choice(self._words)[:longest]

    def _typeset(self, text: str) -> str:
        text = re.sub(r'"([^"]*)"', r"“\1”", re.sub(r"(?<=\w)'", "’", re.sub(r"'(\w+)'", r"‘\1’", text)))
        return text.replace("...", "…").replace("--", "—").replace(" - ", self._random.choice((" – ", " — ", "—")))

    def _sentence(self, words: list[str], num_characters: int) -> str:
        """Words of a language's list, as a sentence or a heading of it would have them."""
        r, parts = self._random, [self._random.choice(words).capitalize()]
        while sum(map(len, parts)) + len(parts) < num_characters:
            word = r.choice(words)
            word = (
                r.choice(("«{}»", "“{}”", "({})", "{}-{}", "{}’{}", "¿{}?", "¡{}!")).format(word, word[:4])
                if (r.random() < 0.06)
                else word
            )
            parts.append(word + (r.choice(",,,.;:!?") if r.random() < 0.15 else ""))
        text = " ".join(parts).upper() if r.random() < 0.08 else " ".join(parts)
        return (
            " ".join("".join(c for c in text if c in CHARS)[:num_characters].split())
            or r.choice(self._words)[:num_characters]
        )

    def _word(self) -> str:
        r, word = self._random, self._random.choice(self._words)
        word = word.capitalize() if r.random() < 0.15 else word.upper() if r.random() < 0.05 else word
        if r.random() < 0.08:
            word = r.choice(["({})", "[{}]", "“{}”", '"{}"', "‘{}’", "{}’s", "{}'s", "«{}»", "*{}*"]).format(word)
        if r.random() < 0.05:
            at = r.randrange(len(word) + 1)
            word = word[:at] + r.choice(LATIN) + word[at:]
        return word + (r.choice(",,,..;:?!-") if r.random() < 0.2 else "")

    def _figure(self) -> str:
        r = self._random
        n, m, k = r.randrange(10 ** r.randrange(1, 7)), r.randrange(100), r.randrange(1, 13)
        word, name = r.choice(self._words), r.choice(self._words).capitalize()
        forms = (
            "{n}|{n:,}|{n}.{m:02}|${n:,}.{m:02}|{m}%|{m}.{k}%|[{m}]|[{k}, {m}]|({k})|({name} et al., 19{m:02})|{m}/{k}|"
            "20{m:02}-{k:02}-{k:02}|{k}/{k}/20{m:02}|Fig. {k}.{m}|Table {k}:|§{k}.{m}|10.{n}/{word}.{m}|{k}.|{k})|#{n}|"
            "https://www.{word}.org/{name}?id={n}|{word}.{name}@{word}.com|{n}–{n}|{m}°C|±{m}.{k}|€{n}|£{m}.{k:02}|"
            "v{k}.{m}.{m}|{k}:{m:02}|{name}, {word[0]}.|p<0.{m:02}|{word}({word[0]}, {k})|{word}_{name}|x={m}.{k}|"
            "{word[0]}_{k} = {n}|{k}×10^{m}|{n:#x}|+{k} {n} {m:03}|{m} × {k}|O({word[0]}^{k})|{name}. {k}, 19{m:02}|"
            "pp. {k}–{m}|ISBN {n}-{m}"
        )
        return r.choice(forms.split("|")).format(n=n, m=m, k=k, word=word, name=name)


@functools.cache
def corpus() -> tuple[list[str], list[str], list[str]]:
    """Prose, code and words: texts of Debian's packages and of Python's standard library, and Debian's word list."""
    prose, code = set(), set()
    for path in sorted(FORTUNES.glob("*.u8")):
        prose.update(" ".join(p.split()) for p in path.read_text("utf-8", "ignore").split("\n%\n") if len(p) > 80)
    for path in sorted(Path("/usr/share/doc").rglob("*")):
        if path.is_file() and path.suffix in {"", ".txt", ".html", ".md", ".rst"} and path.stat().st_size < 400_000:
            text = re.sub(r"<[^>]*>|&\w+;|[=*~#-]{4,}", " ", path.read_text("utf-8", "ignore"))
            prose.update(" ".join(p.split())[:4000] for p in re.split(r"\n\s*\n", text) if len(p) > 80)
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        text = path.read_text("utf-8", "ignore")
        docs = (p for doc in re.findall(r'"""(.*?)"""', text, re.S) for p in doc.split("\n\n"))
        prose.update(" ".join(p.split()) for p in docs if len(p) > 80)
        code.update(s for line in text.splitlines() if 8 < len(s := line.strip()) < 90)
    return sorted(prose), sorted(code), _words(prose)


@functools.cache
def western_words() -> tuple[list[str], ...]:
    """Word lists of other languages that are installed (packages such as wfrench), each in the order of its file."""
    files = (Path("/usr/share/dict", name) for name in WESTERN)
    return tuple(path.read_text("utf-8", "ignore").split() for path in files if path.is_file())


def is_prose(text: str) -> bool:
    """Whether it reads as sentences do, not as a program or a list of options."""
    num_usual = sum(c.isalpha() or c in " .,;:'\"?!-" for c in text)
    return num_usual >= PROSE * len(text) and "_" not in text


def _part(source: list[str], held_out: bool) -> list[str]:
    return [text for k, text in enumerate(source) if (k % 10 == 0) == held_out]


def _words(prose: set[str]) -> list[str]:
    """Debian's word list (package wamerican), else the words of the prose."""
    listed = Path("/usr/share/dict/words")
    if listed.is_file():
        return [word for word in listed.read_text("utf-8").split() if not word.endswith("'s")]
    return sorted({word for text in prose for word in re.findall(r"\b[A-Za-z]{2,14}\b", text)})
