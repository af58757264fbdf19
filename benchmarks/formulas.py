r"""Displayed formulas of born-digital papers as LaTeX: against their authors', and set again by TeX.

`python -m benchmarks.formulas [PAPERS] [--formulas FILE] [--half odd] [--json benchmarks/results/formulas.json]`
PAPERS is a folder of PDFs, each with its Markdown beside it, as READoc has them (its first five of arXiv are for
development); formulas there are between `\[` and `\]`. FILE has one formula of LaTeX per line, as im2markup's sample
has: pdfTeX sets them into articles of five kinds of type, and what is read is set again and compared with the original,
glyph by glyph; `--half` takes the odd (developed on) or the even lines. It needs `pdflatex`. No OCR.
"""

from __future__ import annotations

import asyncio
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.harness import report
from benchmarks.harness.library import read, source_of
from benchmarks.harness.options import parser_of
from benchmarks.harness.page_networks import PageNetworks
from benchmarks.truths.latex import errors_of, share_in_place, similarities, typeset
from configs.settings import Settings
from documents.region_values import FormulaRegion
from documents.sandbox.renderer_pool import RendererPool
from documents.values import Document

DISPLAYED = re.compile(r"\\\[(.+?)\\\]", re.DOTALL)
FONTS = {
    "cm10": "",
    "cm11": "11pt",
    "cm12": "12pt",
    "times": r"\usepackage{mathptmx}",
    "palatino": r"\usepackage{mathpazo}",
}
NOT_SET = re.compile(
    r"\\(?:includegraphics|psfig|begin\{(?:picture|figure)|input|def|newcommand|cite|ref|kern|raise|put)"
)
PROSE = (
    "In this section we study the field near the boundary and compare it with earlier results.",
    "The action is invariant under these transformations, so that the currents are conserved at every order.",
    "We therefore obtain the following relation, which holds for all values of the parameter.",
    "Here $V_i(t)$ denotes the potential, and the solution with $x=0$ is unstable for $\\alpha>1$.",
)
PER_DOCUMENT = 100
WINDOW = 12  # formulas before and after its place in the order, among which a formula is looked for
EQUAL = 0.999


def main() -> int:
    parser = parser_of(__doc__)
    parser.add_argument("papers", type=Path, nargs="?")
    parser.add_argument("--formulas", type=Path, help="a file of LaTeX formulas, one per line")
    parser.add_argument("--half", choices=("odd", "even"), default="odd", help="which of its lines")
    options = parser.parse_args()
    papers = sorted(options.papers.glob("*.pdf")) if options.papers else []
    figures, rows = asyncio.run(measured(papers, options.formulas, options.half))
    print(report.table(rows))
    print(report.table([{"figure": name, "value": value} for name, value in figures.items()]))
    if options.out:
        report.record(options.out, "formulas", figures, rows)
    return 0


async def measured(
    papers: Sequence[Path], formulas: Path | None, half: str
) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """Figures, and a row for each paper or drawn document."""
    networks, pool = PageNetworks.of(Settings()), RendererPool(1)
    rows: list[dict[str, Any]] = []
    figures: dict[str, float] = {}
    try:
        if papers:
            paper_rows = [await paper_row(pdf, pool, networks) for pdf in papers]
            rows += [row for row in paper_rows if row["formulas"]]
            figures |= paper_figures(paper_rows)
        if formulas is not None:
            with tempfile.TemporaryDirectory() as folder:
                sources = draw(formulas, half, Path(folder))
                drawn = [await drawn_row(pdf, head, own, pool, networks) for pdf, head, own in sources]
            rows += drawn
            total = sum(row["formulas"] for row in drawn)
            for name in ("equal", "in_place"):
                figures[f"{half}_{name}"] = round(sum(row[name] * row["formulas"] for row in drawn) / max(1, total), 4)
            figures[f"{half}_formulas"] = total
    finally:
        await pool.close()
    return figures, rows


async def paper_row(pdf: Path, pool: RendererPool, networks: PageNetworks) -> dict[str, Any]:
    document, _ = await read(source_of(pdf), pdf.stem, pool, networks)
    truth = DISPLAYED.findall(pdf.with_suffix(".md").read_text("utf-8"))
    values = similarities(truth, [region.latex or region.text for region in formula_regions(document)])
    text = "".join(region.text for page in document.pages for region in page.regions)
    return {
        "file": pdf.name,
        "formulas": len(truth),
        "similarity": round(sum(values) / max(1, len(values)), 4),
        "missing": sum(not value for value in values),
        "unknown": text.count("\ufffd"),
    }


def paper_figures(rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    total = sum(row["formulas"] for row in rows)
    return {
        "papers_formulas": total,
        "papers_similarity": round(sum(row["similarity"] * row["formulas"] for row in rows) / max(1, total), 4),
        "papers_missing": sum(row["missing"] for row in rows),
        "papers_unknown_characters": sum(row["unknown"] for row in rows),
    }


def formula_regions(document: Document) -> list[FormulaRegion]:
    regions = (region for page in document.pages for region in page.regions)
    return [region for region in regions if isinstance(region, FormulaRegion)]


def draw(path: Path, half: str, folder: Path) -> list[tuple[Path, str, list[str]]]:
    """PDFs with the formulas of a file, each with the head of its source and the formulas that TeX understood."""
    lines = path.read_text("utf-8", errors="replace").splitlines()[half == "odd" :: 2]
    formulas = [formula for line in lines if (formula := _cleaned(line)) and 6 < len(formula) < 400]
    documents: list[tuple[Path, str, list[str]]] = []
    for number, (font, package) in enumerate(FONTS.items()):
        own = formulas[number * PER_DOCUMENT : (number + 1) * PER_DOCUMENT]
        size = package if package.endswith("pt") else "10pt"
        head = f"\\documentclass[{size}]{{article}}\n\\usepackage{{amsmath,amssymb}}\n"
        head += "" if package.endswith("pt") else package
        errors = _set_article(head, own, folder / font, number)
        while errors:
            own = [formula for k, formula in enumerate(own) if str(k) not in errors]
            errors = _set_article(head, own, folder / font, number)
        documents.append((folder / font / "a.pdf", head, own))
    return documents


def _cleaned(line: str) -> str:
    """A formula without comments, labels and numbers; empty where it draws or defines."""
    formula = re.sub(r"(?<!\\)%.*|\\label\s*\{[^}]*\}|\\(?:eqno|tag)\b.*|\\nonumber", "", line).strip()
    return "" if NOT_SET.search(formula) else formula


def _set_article(head: str, formulas: Sequence[str], folder: Path, seed: int) -> set[str]:
    """The numbers of the formulas that pdfTeX does not understand; the others are in `folder/a.pdf`."""
    rng = random.Random(seed)
    body = "\n".join(
        f"{' '.join(rng.sample(PROSE, rng.randint(1, 3)))}\n\\typeout{{FORMULA {k}}}\n"
        f"\\begin{{equation{star}}}\n{formula}\n\\end{{equation{star}}}"
        for k, formula in enumerate(formulas)
        for star in (rng.choice(("", "*")),)
    )
    folder.mkdir(parents=True, exist_ok=True)
    end = "\\typeout{FORMULA end}The proof is complete.\n\\end{document}"
    (folder / "a.tex").write_text(f"{head}\n\\begin{{document}}\n\\section{{Results}}\n{body}\n{end}")
    subprocess.run(["pdflatex", "-interaction=nonstopmode", "a.tex"], cwd=folder, capture_output=True, check=False)
    return errors_of((folder / "a.log").read_text(errors="replace"))


async def drawn_row(
    pdf: Path, head: str, formulas: list[str], pool: RendererPool, networks: PageNetworks
) -> dict[str, Any]:
    document, _ = await read(source_of(pdf), pdf.stem, pool, networks)
    written = [re.sub(r"\\tag\{.*?\}", "", region.latex) for region in formula_regions(document) if region.latex]
    truth, others = typeset(head, formulas, pdf.parent / "truth"), typeset(head, written, pdf.parent / "read")
    shares: list[float] = []
    for k, own in enumerate(truth):
        place = k * len(others) // len(truth)
        near = others[max(0, place - WINDOW) : place + WINDOW + 1]
        shares.append(max((share_in_place(own, other) for other in near), default=0.0))
    return {
        "file": pdf.parent.name,
        "formulas": len(formulas),
        "latex": len(written),
        "equal": round(sum(share > EQUAL for share in shares) / max(1, len(shares)), 4),
        "in_place": round(sum(shares) / max(1, len(shares)), 4),
    }


if __name__ == "__main__":
    sys.exit(main())
