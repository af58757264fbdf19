"""Office formulas are LaTeX where they are shown, and plain characters of the same value where only text is."""

from __future__ import annotations

import time

import pytest
from lxml import etree
from pptx import Presentation
from pptx.oxml import parse_xml
from pptx.util import Inches

from documents.exports.markdown import markdown
from documents.office.math.office_math import latex_of, text_of
from documents.office.packages.unpack_limits import MIN_CHARACTERS
from documents.values import Document, Page
from tests.documents.office.drawn import WORD, docx, pages_of, parsed, related, saved

MATH = "http://schemas.openxmlformats.org/officeDocument/2006/math"


def r(text: str) -> str:
    return f"<m:r><m:t>{text}</m:t></m:r>"


def part(name: str, /, settings: str = "", **inner: str) -> str:
    parts = "".join(f"<m:{key}>{value}</m:{key}>" for key, value in inner.items())
    return f"<m:{name}><m:{name}Pr>{settings}</m:{name}Pr>{parts}</m:{name}>"


def chosen(**values: str) -> str:
    return "".join(f'<m:{name} m:val="{value}"/>' for name, value in values.items())


SUM = part("f", num=r("a+b"), den=r("c+d"))
POWER = part("sSup", e=r("x"), sup=r("2"))


@pytest.mark.parametrize(
    ("math", "latex", "text"),
    [
        (SUM, r"\frac{a+b}{c+d}", "(a+b)/(c+d)"),
        (part("f", num=r("1"), den=r("2a")), r"\frac{1}{2a}", "1/(2a)"),
        (part("f", num=POWER, den=r("2,5")), r"\frac{x^{2}}{2,5}", "x²/2,5"),
        (part("f", chosen(type="lin"), num=r("U"), den=r("R")), "U/R", "U/R"),
        (part("f", chosen(type="noBar"), num=r("n"), den=r("k")), r"\binom{n}{k}", "(n choose k)"),
        (r("2·") + part("sSup", e=r("10"), sup=r("−3")), r"2\cdot{10}^{-3}", "2·10⁻³"),
        (part("sSup", e=r("x"), sup=r("k+1")), "x^{k+1}", "x^(k+1)"),
        (part("sSup", e=r("a+b"), sup=r("2")), "{a+b}^{2}", "(a+b)²"),
        (part("sSub", e=r("v"), sub=r("10")), "v_{10}", "v₁₀"),
        (part("sSub", e=r("x"), sub=r("i")), "x_{i}", "x_i"),
        (part("sSubSup", e=r("x"), sub=r("1"), sup=r("2")), "x_{1}^{2}", "x₁²"),
        (part("sPre", sub=r("6"), sup=r("14"), e=r("C")), "{}_{6}^{14}C", "¹⁴₆C"),
        (part("sSup", e=r("90"), sup=r("∘")), r"{90}^{\circ}", "90°"),
        (part("rad", deg="", e=r("x+1")), r"\sqrt{x+1}", "√(x+1)"),
        (part("rad", deg=r("3"), e=r("8")), r"\sqrt[3]{8}", "∛8"),
        (part("rad", deg=r("n"), e=r("x")), r"\sqrt[n]{x}", "ⁿ√x"),
        (part("nary", chosen(chr="∑"), sub=r("i=1"), sup=r("n"), e=r("i")), r"\sum_{i=1}^{n} i", "∑_(i=1)ⁿ i"),
        (part("nary", sub=r("0"), sup=r("1"), e=r("xdx")), r"\int_{0}^{1} xdx", "∫₀¹ xdx"),
        (part("d", e=r("a")), r"\left( a \right)", "(a)"),
        (part("d", chosen(begChr="|", endChr="|"), e=r("x")), r"\left| x \right|", "|x|"),
        (part("d", chosen(begChr="{", endChr=""), e=r("x")), r"\left\{ x \right.", "{x"),
        (part("func", fName=r("sin"), e=r("x")), r"\sin {x}", "sin x"),
        (
            part("func", fName=part("limLow", e=r("lim"), lim=r("x→0")), e=r("f")),
            r"\lim_{x\to 0} {f}",
            "lim_(x→0) f",
        ),
        (
            "<m:d><m:e><m:m><m:mr><m:e><m:r><m:t>a</m:t></m:r></m:e><m:e><m:r><m:t>b</m:t></m:r></m:e></m:mr>"
            "<m:mr><m:e><m:r><m:t>c</m:t></m:r></m:e><m:e><m:r><m:t>d</m:t></m:r></m:e></m:mr></m:m></m:e></m:d>",
            r"\left( \begin{matrix} a & b \\ c & d \end{matrix} \right)",
            "[a, b; c, d]",
        ),
        (part("acc", chosen(chr="\u0302"), e=r("x")), r"\hat{x}", "x\u0302"),
        (part("acc", chosen(chr="\u20d7"), e=r("v")), r"\vec{v}", "v\u20d7"),
        (part("bar", chosen(pos="top"), e=r("y")), r"\overline{y}", "y\u0305"),
    ],
)
def test_a_formula_keeps_its_value_in_both_notations(math: str, latex: str, text: str) -> None:
    """Guards against `a+bc+d` for a fraction and 2103 for 2·10³."""
    element = etree.fromstring(f'<m:oMath xmlns:m="{MATH}">{math}</m:oMath>')
    assert latex_of(element) == latex
    assert text_of(element) == text


def shown(content: bytes) -> tuple[str, list[str]]:
    """The Markdown, and the plain texts of all regions."""
    pages = pages_of(content)
    text = [region.text for page in pages for region in page.regions]
    return markdown(Document(id="id", revision=1, pages=tuple(pages))), text


def test_formulas_within_lines_cells_headings_lists_and_notes_are_latex() -> None:
    """Guards against formulas that lose their structure wherever words stand beside them."""
    words = f"<w:r><w:t xml:space='preserve'>so </w:t></w:r><m:oMath>{SUM}</m:oMath><w:r><w:t> it is</w:t></w:r>"
    heading = '<w:pPr><w:outlineLvl w:val="0"/></w:pPr>'
    cells = f"<w:tc><w:p>{words}</w:p></w:tc><w:tc><w:p><m:oMath>{POWER}</m:oMath></w:p></w:tc>"
    note = f'<w:footnotes xmlns:w="{WORD}" xmlns:m="{MATH}"><w:footnote w:id="7"><w:p>{words}</w:p></w:footnote>'
    body = f"<w:p>{heading}{words}</w:p><w:p>{words}<w:r><w:footnoteReference w:id='7'/></w:r></w:p>"
    body += f"<w:tbl><w:tr>{cells}</w:tr></w:tbl><w:p><m:oMath>{POWER}</m:oMath></w:p>"
    further = {
        "word/_rels/document.xml.rels": related("footnotes", "footnotes.xml"),
        "word/footnotes.xml": f"{note}</w:footnotes>",
    }
    written, texts = shown(docx(body, further))
    line = r"so $\frac{a+b}{c+d}$ it is"
    assert written.split("\n\n") == [
        f"# {line}",
        rf"{line}\[1\]",
        f"| {line} | $x^{{2}}$ |\n| --- | --- |",
        "$$x^{2}$$",
        rf"\[1\] {line}" + "\n",
    ]
    plain = "so (a+b)/(c+d) it is"
    assert texts == [plain, f"{plain}[1]", f"{plain}\tx²", "x²", f"[1] {plain}"]


@pytest.mark.parametrize("around", ['w:ins w:id="1"', 'w:hyperlink w:anchor="x"', "w:sdt", "w:smartTag"])
def test_a_formula_within_an_insertion_or_a_link_stays_in_its_line(around: str) -> None:
    """Guards against a formula behind its sentence: what is around it has no words, but the paragraph has."""
    math = f"<{around}><m:oMath>{SUM}</m:oMath></{around.split()[0]}>"
    line = (
        f"<w:p><w:r><w:t xml:space='preserve'>so </w:t></w:r>{math}<w:r><w:t xml:space='preserve'> is</w:t></w:r></w:p>"
    )
    assert shown(docx(line))[1] == ["so (a+b)/(c+d) is"]
    assert shown(docx(f"<w:p>{math}</w:p>"))[0] == "$$\\frac{a+b}{c+d}$$\n"


def test_a_bar_of_a_formula_in_a_cell_ends_no_cell() -> None:
    bars = part("d", chosen(begChr="|", endChr="|"), e=r("x")) + part("d", chosen(begChr="‖", endChr="‖"), e=r("y"))
    cells = f"<w:tc><w:p><m:oMath>{bars}</m:oMath></w:p></w:tc><w:tc><w:p>{'<w:r><w:t>norms</w:t></w:r>'}</w:p></w:tc>"
    written, _ = shown(docx(f"<w:tbl><w:tr>{cells}</w:tr></w:tbl>"))
    row = written.split("\n")[0]
    assert row == r"| $\left\vert x \right\vert \left\Vert y \right\Vert$ | norms |"


@pytest.mark.parametrize(("before", "after"), [("costs $", " now"), ("is ", "5 now")])
def test_dollars_that_no_program_would_take_for_a_formula_are_not_written(before: str, after: str) -> None:
    """Guards against text that is read as a formula up to the next dollar."""
    runs = f"<w:r><w:t xml:space='preserve'>{before}</w:t></w:r><m:oMath>{POWER}</m:oMath>"
    written, _ = shown(docx(f"<w:p>{runs}<w:r><w:t xml:space='preserve'>{after}</w:t></w:r></w:p>"))
    assert written == f"{before}x²{after}\n".replace("$", r"\$")


def test_a_formula_of_a_slide_is_latex() -> None:
    slides = Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[6])
    paragraph = slide.shapes.add_textbox(0, 0, Inches(5), Inches(1)).text_frame.paragraphs[0]
    paragraph.add_run().text = "Law: "
    paragraph._p.append(
        parse_xml(
            '<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
            f'xmlns:m="{MATH}" xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main"><mc:Choice>'
            f"<a14:m><m:oMath>{SUM}</m:oMath></a14:m></mc:Choice>"
            f"<mc:Fallback><m:oMath>{POWER}</m:oMath></mc:Fallback></mc:AlternateContent>"
        )
    )
    written, texts = shown(saved(slides))
    assert written == "Law: $\\frac{a+b}{c+d}$\n"
    assert texts == ["Law: (a+b)/(c+d)"]


def test_a_long_formula_is_written_in_time_that_grows_with_its_length() -> None:
    """Guards against a formula of a megabyte that keeps a child busy: each letter looked at all letters before it."""

    def seconds(num_letters: int) -> float:
        start = time.process_time()
        latex_of(etree.fromstring(f'<oMath xmlns="{MATH}"><r><t>{"α" * num_letters}</t></r></oMath>'))
        return time.process_time() - start

    assert seconds(300_000) < 12 * seconds(50_000)


def test_the_latex_of_formulas_counts_as_delivered() -> None:
    """Guards against a line of one letter with megabytes of LaTeX: parts without a text cost nothing."""
    empty = "<m:m/>" * 60_000
    line = f'<w:p><w:r><w:t>a </w:t></w:r><m:oMath xmlns:m="{MATH}"><m:r><m:t>x</m:t></m:r>{empty}</m:oMath></w:p>'
    document = parsed(docx(line * 20))
    pages = [page for page in document.pages if isinstance(page, Page)]
    assert sum(len(region.model_dump_json()) for page in pages for region in page.regions) < 2 * MIN_CHARACTERS
    assert "cut_short" in [warning.code for warning in document.warnings]
