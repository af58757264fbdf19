"""Lines and bars of `displays.pdf`, as pdfTeX set `displays.tex`, and what its author wrote."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits
from documents.values import Source

DATA = Path(__file__).parents[2] / "data"
SOURCE = re.compile(r"\\begin\{equation\*?\}(.*?)\\end\{equation\*?\}", re.DOTALL)


@pytest.fixture(scope="session")
def typeset_pages():
    pdf = PdfFile(Source(path=str(DATA / "displays.pdf"), media_type="application/pdf"), RenderLimits())
    yield [pdf.inspect(number) for number in (1, 2)]
    pdf.close()


@pytest.fixture(scope="session")
def authors_formulas():
    return SOURCE.findall((DATA / "displays.tex").read_text("utf-8"))
