"""Pages on which a person sees no table: charts, forms, prose, programs, contents."""

from __future__ import annotations

# a path and its pages, counted from 1; none: all
WITHOUT: tuple[tuple[str, tuple[int, ...]], ...] = (
    ("docling/tests/data/latex/sources/2412.19437/figures/dsv3_performance.pdf", ()),
    ("docling/tests/data/latex/sources/2412.19437/figures/relative_expert_load_multi_1-6.pdf", ()),
    ("docling/tests/data/latex/sources/2412.19437/figures/needle_in_a_haystack.pdf", ()),
    ("docling/tests/data/latex/sources/2412.19437/figures/basic_arch.pdf", ()),
    ("docling/tests/data/latex/sources/1706.03762/vis/attending_to_head_new.pdf", ()),
    ("docling/tests/data/latex/sources/2305.03393/llncsdoc.pdf", (1, 2, 3, 5, 6)),
    ("docling/tests/data/pdf/sources/multi_page.pdf", ()),
    ("docling/tests/data/pdf/sources/picture_classification.pdf", ()),
    ("docling/tests/data/pdf/sources/code_and_formula.pdf", ()),
    ("grobid/grobid-core/src/test/resources/test/0807.3577.pdf", (1, 4, 7, 8, 9, 10, 11, 13, 14)),
    ("grobid/grobid-core/src/test/resources/test/1001._0908.0054.pdf", ()),
    ("grobid/grobid-core/src/test/resources/test/submission_161.pdf", ()),
    ("grobid/grobid-core/src/test/resources/test/submission_363.pdf", ()),
    ("pdfminer/samples/nonfree/dmca.pdf", (1, 2, 3, 4, 6, 9, 12)),
    ("pdfminer/samples/nonfree/naacl06-shinyama.pdf", (1, 3, 4, 5)),
    ("pdfminer/samples/nonfree/i1040nr.pdf", (2, 3, 4)),
    ("pdfminer/samples/nonfree/kampo.pdf", ()),
    ("pdfminer/samples/contrib/matplotlib.pdf", ()),
    ("pdfminer/samples/acroform/AcroForm_TEST.pdf", ()),
    ("camelot/tests/files/diesel_engines.pdf", (1,)),
    ("camelot/tests/files/electoral_roll.pdf", ()),
    ("ocrmypdf/tests/resources/toc.pdf", ()),
    ("sample-files/009-pdflatex-geotopo/GeoTopo-komprimiert.pdf", (4, 5, 8, 9)),
    ("sample-files/012-libreoffice-form/libreoffice-form.pdf", ()),
)
