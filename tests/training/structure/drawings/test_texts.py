"""Words to draw with are of the language and script that they are kept for."""

from __future__ import annotations

import unicodedata

import pytest

from training.structure.drawings import texts as module
from training.structure.drawings.texts import SCRIPTS, Texts, installed_texts, is_of, script_of


@pytest.fixture(scope="module")
def texts() -> Texts:
    return installed_texts()


def test_english_is_there_on_any_machine(texts):
    english = texts.english
    assert min(len(english.paragraphs), len(english.sentences), len(english.phrases)) > 100
    assert english.names
    assert any("def " in code for code in texts.code)


def test_letters_have_their_script():
    letters = {"a": "latin", "Ж": "cyrillic", "ω": "greek", "ع": "arabic", "ש": "hebrew", "क": "devanagari"}
    letters |= {"中": "chinese", "の": "japanese", "カ": "japanese", "한": "korean"}
    assert {letter: script_of(letter) for letter in letters} == letters
    assert script_of("7") is None


def test_a_text_that_is_not_translated_is_not_of_the_language():
    """Help pages are translated in part: English paragraphs stood in Hindi documents."""
    assert not is_of("Open the Activities overview.", "devanagari")
    assert is_of("GNOME में गतिविधियाँ सारांश खोलें", "devanagari")


def test_japanese_has_kana_in_it():
    assert is_of("依存関係と競合の大量の出力", "japanese")
    assert not is_of("依存関係", "japanese")


def test_languages_are_written_in_their_script(texts):
    """The oracle is the name of each letter in Unicode."""
    prefixes = {"latin": "LATIN", "cyrillic": "CYRILLIC", "greek": "GREEK", "arabic": "ARABIC", "hebrew": "HEBREW"}
    for script, prefix in prefixes.items():
        for language in texts.others.get(script, ()):
            letters = [letter for text in language.sentences[:50] for letter in text if letter.isalpha()]
            own = sum(unicodedata.name(letter).startswith(prefix) for letter in letters)
            assert own > 0.6 * len(letters), language.code


def test_without_help_pages_and_catalogues_there_is_english_alone(tmp_path, monkeypatch):
    for name in ("HELP", "LOCALES", "DOCUMENTATION", "FORTUNES"):
        monkeypatch.setattr(module, name, tmp_path)
    module._help_texts.cache_clear()
    bare = installed_texts.__wrapped__()
    module._help_texts.cache_clear()
    assert bare.others == {}
    assert len(bare.english.sentences) > 100
    assert bare.english.names


def test_every_script_that_is_named_has_languages():
    assert set(module.LANGUAGES) == set(SCRIPTS)
