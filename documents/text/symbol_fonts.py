"""Maps the characters of symbol fonts (Symbol, ZapfDingbats, Wingdings 1 to 3, Webdings) to Unicode, for all formats.

A table has what each code from 0x20 to 0xFF draws, 32 per row, and U+FFFD where that is nothing or not in Unicode.
Sources: Adobe's published encodings of Symbol and ZapfDingbats; for the others the mappings of Unicode 7.0, as the
package mammoth (BSD-2-Clause) lists them. Where an older character shows the same (arrows, ticks, bullets), it is used,
because more fonts and programs know it. Boxes to tick are ☐, ☑ and ☒.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

FIRST_CODE = 0x20  # the first code of a table
PRIVATE_OFFSET = 0xF000  # Office and PDF producers add this to codes
REPLACEMENT_CHARACTER = "\ufffd"


def _table(*rows: str) -> dict[int, str]:
    return {code: sign for code, sign in enumerate("".join(rows), FIRST_CODE) if sign != REPLACEMENT_CHARACTER}


SYMBOL = _table(
    " !∀#∃%&∍()∗+,−./0123456789:;<=>?",
    "≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_",
    "‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼�",
    "��������������������������������",
    "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵",
    "ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓",
    "◊⟨®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪�⟩∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭�",
) | dict(enumerate("‾⏐⎯®©™⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪⎮⎞⎟⎠⎤⎥⎦⎫⎬⎭", 0xF8E5))  # private characters of Adobe's glyph list
ADOBE_PRIVATE = {  # private characters of Adobe's glyph list: parts of brackets, old-style figures, small capitals
    **{code: sign for code, sign in SYMBOL.items() if code > PRIVATE_OFFSET},
    **dict(enumerate("0123456789", 0xF730)),
    **dict(enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZ", 0xF761)),
    0xF724: "$",
    0xF726: "&",
    0xF7A2: "¢",
}
ZAPF_DINGBATS = _table(
    " ✁✂✃✄☎✆✇✈✉☛☞✌✍✎✏✐✑✒✓✔✕✖✗✘✙✚✛✜✝✞✟",
    "✠✡✢✣✤✥✦✧★✩✪✫✬✭✮✯✰✱✲✳✴✵✶✷✸✹✺✻✼✽✾✿",
    "❀❁❂❃❄❅❆❇❈❉❊❋●❍■❏❐❑❒▲▼◆❖◗❘❙❚❛❜❝❞�",
    "❨❩❪❫❬❭❮❯❰❱❲❳❴❵������������������",
    "�❡❢❣❤❥❦❧♣♦♥♠①②③④⑤⑥⑦⑧⑨⑩❶❷❸❹❺❻❼❽❾❿",
    "➀➁➂➃➄➅➆➇➈➉➊➋➌➍➎➏➐➑➒➓➔→↔↕➘➙➚➛➜➝➞➟",
    "➠➡➢➣➤➥➦➧➨➩➪➫➬➭➮➯�➱➲➳➴➵➶➷➸➹➺➻➼➽➾�",
)
WINGDINGS = _table(
    " ✏✂✁👓🔔📖🕯☎✆✉🖃📪📫📬📭📁📂📄🗏🗐🗄⌛🖮🖰🖲🖳🖴🖫🖬✇✍",
    "🖎✌👌👍👎☜☞☝☟🖐☺😐☹💣☠🏳🏱✈☼💧❄🕆✞🕈✠✡☪☯🕉☸♈♉",
    "♊♋♌♍♎♏♐♑♒♓🙰🙵●❍■☐❐❑❒⬧⧫◆❖⬥☒⮹⌘🏵🏶🙶🙷▯",
    "⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿🙢🙠🙡🙣🙞🙜🙝🙟·•",
    "⬝○○🞈◉◎🔿▪☐🟁✦★✶✴✹✵⯐⌖⯎⯏⯑✪✰🕐🕑🕒🕓🕔🕕🕖🕗🕘",
    "🕙🕚🕛⮰⮱⮲⮳⮴⮵⮶⮷🙪🙫🙕🙔🙗🙖🙐🙑🙒🙓⌫⌦⮘➢⮙⮛⮈➲⮉⮋←",
    "→↑↓↖↗↙↘⬅➔⬆⬇⬉⬈⬋⬊⇦⇨⇧⇩⬄⇳⬁⬀⬃⬂▭▫✗✓☒☑�",
)
WINGDINGS_2 = _table(
    " 🖊🖋🖌🖍✄✀🕾🕽🗅🗆🗇🗈🗉🗊🗋🗌🗍📋🗑🗔🖵🖶🖷🖸🖭🖯🖱🖒🖓🖘🖙",
    "🖚🖛👈👉🖜🖝🖞🖟🖠🖡👆👇🖢🖣🖑✗✓☒☑☒☒⮾⮿🛇⦸🙱🙴🙲🙳‽🙹🙺",
    "🙻🙦🙤🙥🙧🙚🙘🙙🙛⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿�",
    "☉🌕☽☾⸿✝🕇🕜🕝🕞🕟🕠🕡🕢🕣🕤🕥🕦🕧🙨🙩⋅••●○🞅🞇🞉⊙⦿🞌",
    "🞍◾■☐☐🞒🞓🞔▣🞕🞖🞗🞘⬩⬥◇🞚◈🞛🞜🞝🞞⬪⬧◊🞠◖◗⯊⯋⯀⯁",
    "⬟⯂⬣⬢⯃⯄🞡🞢🞣🞤🞥🞦🞧🞨🞩🞪🞫🞬🞭🞮🞯🞰🞱🞲🞳🞴🞵🞶🞷🞸🞹🞺",
    "🞻🞼🞽🞾🞿🟀🟂🟄🟆🟉🟊✶🟌🟎🟐🟒✹🟃🟇✯🟍🟔⯌⯍※⁂������",
)
WINGDINGS_3 = _table(
    " ←→↑↓↖↗↙↘⇤⇥⤒⤓⭶⭸⭻⭽↔↕⭪⭬⭫⭭⭍⮠⮡⮢⮣⮤⮥⮦⮧",
    "⮐⮑⮒⮓⮀⮃⭾⭿⮄⮆⮅⮇⮏⮍⮎⮌↻↺⎋⌤⌃⌥␣⍽⇪⮸🢠🢡🢢🢣🢤🢥",
    "🢦🢧🢨🢩🢪🢫←→↑↓↖↗↙↘↔↕▲▼△▽◀▶◁▷◣◢◤◥◂▸▴�",
    "▾⯅⯆⯇⯈⮜⮞⮝⮟🠐🠒🠑🠓🠔🠖🠕🠗🠘🠚🠙🠛🠜🠞🠝🠟🠀🠂🠁🠃🠄🠆🠅",
    "🠇🠈🠊🠉🠋🠠🠢🠤🠦🠨🠪🠬🢜🢝🢞🢟🠮🠰🠲🠴🠶🠸🠺🠹🠻🢘🢚🢙🢛🠼🠾🠽",
    "🠿🡀🡂🡁🡃🡄🡆🡅🡇⮨⮩⮪⮫⮬⮭⮮⮯🡠🡢🡡🡣🡤🡥🡧🡦🡰🡲🡱🡳🡴🡵🡷",
    "🡶🢀🢂🢁🢃🢄🢅🢇🢆🢐🢒🢑🢓🢔🢖🢕🢗���������������",
)
WEBDINGS = _table(
    " 🕷🕸🕲🕶🏆🎖🖇🗨🗩🗰🗱🌶🎗🙾🙼🗕🗖🗗◀▶▲▼⏪⏩⏮⏭⏸⏹⏺🗚🗳",
    "🛠🏗🏘🏙🏚🏜🏭🏛🏠🏖🏝🛣🔍🏔👁👂🏞🏕🛤🏟🛳🕬🕫🕨🔈🎔🎕🗬🙽🗭🗪🗫",
    "⮔✔🚲☐🛡📦🛱■🚑🛈🛩🛰🟈🕴●🛥🚔🗘✗❓🛲🚇🚍⛳⦸⊖🚭🗮⏐🗯🗲�",
    "🚹🚺🛉🛊🚼👽🏋⛷🏂🏌🏊🏄🏍🏎🚘🗠🛢💰🏷💳👪🗡🗢🗣✯🖄🖅🖃🖆🖹🖺🖻",
    "🕵🕰🖽🖾📋🗒🗓🕮📚🗞🗟🗃🗂🖼🎭🎜🎘🎙🎧💿🎞📷🎟🎬📽📹📾📻🎚🎛📺💻",
    "🖥🖦🖧🕹🎮🕻🕼📟🖁🖀🖨🖩🖿🖪🗜🔒🔓🗝📥📤🕳🌣🌤🌥🌦☁🌨🌧🌩🌪🌬🌫",
    "🌜🌡🛋🛏🍽🍸🛎🛍Ⓟ♿🛆🖈🎓🗤🗥🗦🗧🛪🐿🐦🐟🐕🐈🙬🙮🙭🙯🗺🌍🌏🌎🕊",
)
_TABLES = (  # keys are the starts of fonts' names, in small letters and without spaces
    ("wingdings2", WINGDINGS_2),
    ("wingdings3", WINGDINGS_3),
    ("wingdings", WINGDINGS),
    ("webdings", WEBDINGS),
    ("zapfdingbats", ZAPF_DINGBATS),
    ("itczapfdingbats", ZAPF_DINGBATS),
    ("dingbats", ZAPF_DINGBATS),
    ("d050000l", ZAPF_DINGBATS),
    ("standardsymbols", SYMBOL),
)
_SYMBOL = re.compile(r"symbol(?:mt|ps|itc|neu)?(?:[,-].*)?")  # not Symbola or Segoe UI Symbol, whose codes are Unicode
_SUBSET = re.compile(r"[a-z]{6}\+")


@lru_cache(512)  # a page names the same few fonts a thousand times
def symbol_table(font: str | None) -> Mapping[int, str] | None:
    """What a font draws at its codes; None for a font of letters."""
    name = _SUBSET.sub("", re.sub(r"[\s_]", "", (font or "").lower()), count=1)
    if _SYMBOL.fullmatch(name):
        return SYMBOL
    return next((table for begin, table in _TABLES if name.replace("-", "").startswith(begin)), None)


def in_symbols(text: str, font: str | None) -> str:
    """A text that is set in a font as it looks: codes of a symbol font, private ones too, as what they draw.

    U+00A0 stays the space that it is in all programs.
    """
    table = symbol_table(font)
    if table is None:
        return text
    return "".join(one if one == "\xa0" else table.get(code_of(one), one) for one in text)


def code_of(character: str) -> int:
    """The code in a symbol font, which may be written as a private character."""
    code = ord(character)
    return code - PRIVATE_OFFSET if PRIVATE_OFFSET <= code < PRIVATE_OFFSET + 0x100 else code
