"""Bytes become the characters that their author wrote, whatever the file declares."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from documents.media_types import PLAIN_TEXT
from documents.office.packages.text_decoding import decoded
from documents.sandbox import RendererPool, RenderLimits
from documents.values import Source
from tests.documents.office.drawn import parsed, regions_of, written

CONTRACTS = {
    "gb18030": "本协议自双方签字之日起生效。\n任何一方可提前三十天书面通知终止。",
    "big5": "本協議自雙方簽字之日起生效。\n任何一方可提前三十天書面通知終止。",
    "cp932": "本契約は署名の日から有効です。\nお支払いは十五日以内にお願いします。",
    "euc_jp": "本契約は署名の日から有効です。\nお支払いは十五日以内にお願いします。",
    "cp949": "이 계약은 서명일로부터 효력이 있습니다.\n대금은 십오일 이내에 지급합니다.",
    "cp1251": "Договор вступает в силу со дня подписания.\nОплата производится в течение пятнадцати дней.",
    "koi8_r": "Договор вступает в силу со дня подписания.\nОплата производится в течение пятнадцати дней.",
    "iso8859_5": "Договор вступает в силу со дня подписания.\nОплата производится в течение пятнадцати дней.",
    "mac_cyrillic": "Договор вступает в силу со дня подписания.\nОплата производится в течение пятнадцати дней.",
    "mac_roman": "Der Vertrag gilt für beide Seiten.\nDie Zahlung ist nach Prüfung der Unterlagen fällig und geprüft.",
    "cp866": "Договор вступает в силу со дня подписания.\nОплата производится в течение пятнадцати дней.",
    "cp1253": "Η σύμβαση ισχύει από την υπογραφή της.\nΗ πληρωμή γίνεται εντός δεκαπέντε ημερών.",
    "cp1255": "החוזה נכנס לתוקף ביום החתימה.\nהתשלום יתבצע תוך חמישה עשר ימים.",
    "cp1256": "يسري العقد من تاريخ التوقيع.\nيتم الدفع خلال خمسة عشر يوما.",
    "cp874": "สัญญานี้มีผลตั้งแต่วันที่ลงนาม\nผู้ซื้อต้องชำระเงินภายในสิบห้าวัน",
    "cp1250": "Smlouva nabývá účinnosti dnem podpisu.\nPlatba bude provedena do patnácti dnů, děkujeme.",
    "iso8859_2": "Umowa wchodzi w życie z dniem podpisania.\nPłatność nastąpi w ciągu piętnastu dni, dziękujemy.",
    "cp1252": "Der Vertrag gilt für beide Seiten.\nDie Zahlung ist nach Prüfung der Unterlagen fällig und geprüft.",
    "cp1254": "Sözleşme imza tarihinden itibaren geçerlidir.\nÖdeme on beş gün içinde yapılır, teşekkürler.",
}


@pytest.mark.parametrize("name", ["utf-16", "utf-16le", "UTF-16BE", "utf-32"])
def test_utf_16_that_is_declared_over_utf_8_is_not_believed(name: str) -> None:
    """Guards against Chinese characters in place of English ones: an even number of bytes is sound UTF-16."""
    page = f'<html><meta charset="{name}"><p>Zürich is open</p></html>'
    page += " " * (len(page.encode()) % 4 and 4 - len(page.encode()) % 4)
    assert "Zürich is open" in decoded(page.encode(), in_markup=True).text
    assert decoded(b"plain words!", name).text == "plain words!"


def test_utf_16_that_is_declared_and_true_is_believed() -> None:
    assert decoded("日本語の文章".encode("utf-16-le"), "utf-16-le").text == "日本語の文章"
    assert decoded("plain words".encode("utf-16-le"), "utf-16-le").text == "plain words"
    assert decoded("plain words".encode("utf-16-be")).text == "plain words"


@pytest.mark.parametrize("distance", [100, 20_000])
def test_a_charset_that_a_page_names_late_is_believed(distance: int) -> None:
    """Guards against Western letters in place of Cyrillic ones: browsers read again after a late meta element."""
    head = f"<html><head><script>{'a = 1;' * (distance // 6)}</script><meta charset=windows-1251></head>"
    assert "Аренда офисов" in decoded((head + "<p>Аренда офисов").encode("cp1251"), in_markup=True).text


@pytest.mark.parametrize(("charset", "text"), CONTRACTS.items())
def test_a_text_that_declares_no_charset_is_read_in_its_own(charset: str, text: str) -> None:
    """Guards against Western letters for all that is no UTF-8: confident nonsense in the index, without a warning."""
    assert decoded(text.encode(charset)).text == text
    long_head = "a plain line of ASCII\n" * 5000
    assert decoded((long_head + text).encode(charset)).text == long_head + text


def test_a_faint_guess_that_all_bytes_fit_comes_before_western_letters_that_they_do_not_fit() -> None:
    """Guards against `žlu�ouèký`: Czech has a letter at a byte that Windows-1252 leaves empty."""
    text = "id;name\n1;Příliš\n2;žluťoučký kůň\n"
    result = decoded(text.encode("cp1250"))
    assert result.text == text
    assert "windows-1250" in result.doubt


@pytest.mark.parametrize("text", ["Zürich", "naïve café", "señor Núñez", "5 µg bei 20 °C, ½", "Größe;Preis €\n"])
def test_a_few_western_letters_stay_western_and_the_guess_is_said(text: str) -> None:
    """Guards against detectors that read a short Western text as Polish, Cyrillic or Chinese."""
    result = decoded(text.encode("cp1252"))
    assert result.text == text
    assert "windows-1252" in result.doubt


@pytest.mark.parametrize(
    ("label", "charset", "text"),
    [
        ("gb2312", "gb18030", "镕铭公司的陶喆先生"),
        ("GBK", "gb18030", "㐀镕铭公司"),
        ("x-gbk", "gbk", "合同编号"),
        ("Shift_JIS", "cp932", "①㈱髙橋商店"),
        ("x-sjis", "cp932", "①㈱髙橋商店"),
        ("EUC-JP", "euc_jis_2004", "①お支払い"),
        ("ks_c_5601-1987", "cp949", "똠방각하 펲시콜라"),
        ("euc-kr", "cp949", "똠방각하 펲시콜라"),
        ("big5", "big5hkscs", "香港嘅咗"),
        ("iso-8859-1", "cp1252", "“12 €” – fällig"),
        ("us-ascii", "cp1252", "“12 €” – fällig"),
        ("latin_1", "cp1252", "“12 €” – fällig"),
        ("iso-8859-9", "cp1254", "“Işık” – 12 €"),
        ("tis-620", "cp874", "“สัญญา” 12 €"),
        ("windows-874", "cp874", "สัญญา"),
        ("iso-8859-8-i", "iso8859-8", "החוזה"),
        ("x-mac-cyrillic", "mac-cyrillic", "Договор"),
        ("cp437", "cp437", "Größe ½"),
        ("hz-gb-2312", "hz", "合同编号"),
        ("iso-2022-kr", "iso2022_kr", "계약 번호"),
    ],
)
def test_a_label_means_what_browsers_take_it_for(label: str, charset: str, text: str) -> None:
    """Guards against the letter of a label: programs write the name of a small charset over text of a larger one."""
    assert decoded(text.encode(charset), label) == (text, "")
    page = f'<!doctype html><meta charset="{label}"><p>'.encode() + text.encode(charset)
    assert text in decoded(page, in_markup=True).text


@pytest.mark.parametrize(
    "label", ["iso-8859-1", "us-ascii", "windows-1251", "gb2312", "shift_jis", "utf-16", "odd", None]
)
def test_sound_utf_8_is_read_as_such_whatever_it_is_declared(label: str | None) -> None:
    text = "Zürich: Größe, naïve café – 12 €"
    assert decoded(text.encode(), label) == (text, "")


@pytest.mark.parametrize(
    ("label", "charset"),
    [
        ("utf-8", "cp1251"),
        ("utf-8", "cp1252"),
        ("iso-8859-1", "cp1251"),
        ("windows-1252", "gb18030"),
        ("utf-8", "cp932"),
    ],
)
def test_a_label_that_contradicts_the_bytes_is_not_believed_and_that_is_said(label: str, charset: str) -> None:
    result = decoded(CONTRACTS[charset].encode(charset), label)
    assert result.text == CONTRACTS[charset]
    assert label in result.doubt


@pytest.mark.parametrize("charset", ["utf-8", "gb18030", "cp932", "euc-kr"])
def test_one_bad_byte_takes_only_its_own_character(charset: str) -> None:
    """Guards against a whole text in a wrong charset, and against lost characters behind a bad one."""
    text = {"utf-8": CONTRACTS["cp1252"] * 3, "euc-kr": CONTRACTS["cp949"]}.get(charset) or CONTRACTS[charset]
    before, after = text.split("\n")[0], text[len(text.split("\n")[0]) :]
    result = decoded(
        before.encode(charset) + (b"\x81" if charset == "cp932" else b"\xff") + after.encode(charset), charset
    )
    assert result.text.replace("\ufffd", "") == text
    assert "damaged" in result.doubt
    if charset == "utf-8":
        assert decoded(before.encode() + b"\xff" + after.encode()).text.replace("\ufffd", "") == text


@pytest.mark.anyio
async def test_text_in_utf_16_without_a_mark_is_text_and_the_detector_works_behind_the_walls(tmp_path) -> None:
    """Guards against `unsupported`, and against a detector that loads its tables where nothing can be loaded."""
    texts = {"utf-16-le": "Договор № 7\n合同", "gb18030": "甲方应在收到发票后十五日内付款。"}
    pool = RendererPool(1, RenderLimits())
    try:
        for charset, text in texts.items():
            path = written(tmp_path, charset, text.encode(charset))
            source = Source(path=str(path), media_type=PLAIN_TEXT)
            assert (await pool.open(source)).num_pages == 1
            page = await pool.authored(source, 1)
            assert page is not None
            assert page.regions[0].text == text
    finally:
        await pool.close()
    assert regions_of("Договор № 7\n".encode("utf-16-be"))[0].text == "Договор № 7"


def test_headers_and_parts_of_a_mail_are_read_in_what_their_labels_mean() -> None:
    """Guards against raw encoded words, and against lost names in a subject of GB2312 that is none."""
    subject = "镕铭公司"
    raw = b"Subject: =?gb2312?B?" + base64.b64encode(subject.encode("gb18030")) + b"?= und =?nonsense?Q?abc?=\r\n"
    raw += "From: Größe <a@example.org>\r\nTo: b\r\nMIME-Version: 1.0\r\n".encode("cp1252")
    raw += b"Content-Type: text/plain\r\nContent-Transfer-Encoding: 8bit\r\n\r\n" + CONTRACTS["cp1251"].encode("cp1251")
    title, headers, body = regions_of(raw, "a.eml")
    assert title.text == f"{subject} und abc"
    assert headers.text.startswith("From: Größe <a@example.org>")
    assert body.text == CONTRACTS["cp1251"]


def test_a_doubt_is_a_warning_of_the_document() -> None:
    for content, name in ((b"Z\xfcrich", "a.txt"), (b"Gr\xf6\xdfe;1\n", "a.csv"), (b"<html><p>Z\xfcrich", "a.html")):
        assert [warning.code for warning in parsed(content, name).warnings] == ["charset_doubtful"]
    assert not parsed("Zürich".encode(), "a.txt").warnings


@settings(deadline=None)
@given(
    st.binary(max_size=400),
    st.sampled_from([None, "utf-8", "gb2312", "big5", "iso-2022-jp", "utf-16", "odd"]),
)
def test_no_bytes_raise_under_any_label(content: bytes, label: str | None) -> None:
    decoded(content, label, in_markup=True)
