"""Pages with charts, diagrams and drawings, and pages that only seem to have some: where a person sees each figure.

A box is as wide as the figure's own words: numbers and names of axes, legends, a title drawn into it. Captions stand
outside. What is neither plainly a figure's nor plainly text lies in `either` and counts for nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

Box = tuple[float, float, float, float]  # points of the upright page
WHOLE: Box = (-10.0, -10.0, 10_000.0, 10_000.0)  # the page is nothing but its figure

_GROBID = "grobid/grobid-core/src/test/resources"
_PARSE = "docling-parse/tests/data"
_LATEX = "docling/tests/data/latex/sources"
_DOCLING = "docling/tests/data/pdf/sources"
_TIKA = (
    "tika/tika-parsers/tika-parsers-standard/tika-parsers-standard-modules/tika-parser-pdf-module/src/test/resources/"
    "test-documents"
)
_FEDRAMP = "fedramp-automation"
_BITES = f"{_FEDRAMP}/presentations/data-bites/Developer Data Bites Presentation"
_SAR = f"{_FEDRAMP}/documents/rev5/Guide_to_OSCAL-based_FedRAMP_Security_Assessment_Reports_(SAR)_rev5.pdf"
_RELEASE = "ASVS/5.0/presentations/OWASP-ASVS-v5.0.0-release-at-Global-AppSec-Barcelona-by-Elar-Lang.pdf"
_GROSSMAN = (
    "ASVS/4.0/presentations/"
    "ASVS 5.0 – The rise of the Security Verification Standard - AppSec Global San Francisco 2022 - Josh Grossman.pdf"
)
_REPORTS = "resources.data.gov/pages/assets/documents"
_DROUGHT = "drought.ca.gov/src/wordpress-media"
_CLOUD = "tag-security/community/resources"


@dataclass(frozen=True, slots=True, kw_only=True)
class FigurePage:
    """One page (counted from 1) of a file in a folder of clones, with its figures and its true tables."""

    path: str
    page: int
    figures: tuple[Box, ...] = ()
    tables: tuple[Box, ...] = ()  # areas: a table that is delivered for the most part outside of all is a false one
    either: tuple[Box, ...] = ()
    part: str | None = None  # of the split; None: as the name says


PAGES = (
    FigurePage(path=f"{_GROBID}/sample1/sample.pdf", page=2, figures=((335, 195, 515, 362),)),
    FigurePage(path=f"{_GROBID}/sample1/sample.pdf", page=5, figures=((318, 248, 572, 428), (318, 428, 572, 608))),
    FigurePage(
        path=f"{_GROBID}/sample1/sample.pdf",
        page=6,
        figures=((50, 188, 308, 366), (312, 188, 575, 366), (50, 366, 308, 545), (312, 366, 575, 545)),
    ),
    FigurePage(
        path=f"{_GROBID}/sample1/sample.pdf",
        page=7,
        figures=((45, 288, 302, 468), (45, 468, 302, 646), (318, 215, 562, 398)),
    ),
    FigurePage(path=f"{_GROBID}/test/MullenJSSv18i03.pdf", page=6, figures=((165, 130, 440, 392),)),
    FigurePage(path=f"{_GROBID}/test/MullenJSSv18i03.pdf", page=35, figures=((175, 335, 470, 636),)),
    FigurePage(path=f"{_GROBID}/test/submission_355.pdf", page=1, figures=((118, 343, 550, 595),)),
    FigurePage(path="grobid/doc/grobid-04-2015.pdf", page=27, figures=((0, 90, 720, 540),)),
    FigurePage(path=f"{_PARSE}/cases/case_02.pdf", page=1, figures=((55, 50, 570, 483),)),
    FigurePage(path=f"{_PARSE}/cases/case_04.pdf", page=1, figures=((55, 50, 450, 718),)),
    FigurePage(path=f"{_PARSE}/cases/case_07.pdf", page=3, figures=((318, 320, 520, 500),)),
    FigurePage(path=f"{_PARSE}/regression/ligatures_01.pdf", page=1, figures=((330, 258, 605, 536),)),
    FigurePage(path=f"{_PARSE}/regression/text_as_lines_01.pdf", page=1, figures=((45, 555, 300, 712),)),
    FigurePage(
        path=f"{_PARSE}/regression/text_as_lines_01.pdf",
        page=3,
        figures=((50, 165, 520, 330), (198, 440, 390, 585)),
        either=((50, 140, 520, 165), (198, 405, 390, 440)),
    ),
    FigurePage(path=f"{_PARSE}/regression/table_of_contents_01.pdf", page=2, figures=((100, 88, 555, 258),)),
    FigurePage(
        path=f"{_PARSE}/regression/stream_parameter_misinterpretation_01.pdf", page=1, figures=((35, 52, 580, 212),)
    ),
    FigurePage(path=f"{_LATEX}/2305.03393/figs/HTMLvOTSLv7.pdf", page=1, figures=(WHOLE,)),
    FigurePage(path=f"{_LATEX}/2305.03393/figs/tablemodel_overview_otsl.pdf", page=1, figures=(WHOLE,)),
    FigurePage(path=f"{_LATEX}/2412.19437/figures/nextn.pdf", page=1, figures=(WHOLE,)),
    FigurePage(path=f"{_LATEX}/2412.19437/figures/fp8-frameworkv3.pdf", page=1, figures=(WHOLE,)),
    FigurePage(path=f"{_LATEX}/2501.00089/pca-comparison.pdf", page=1, figures=(WHOLE,)),
    FigurePage(path=f"{_LATEX}/arXiv-2501.01300v2/P_M.pdf", page=1, figures=(WHOLE,)),
    FigurePage(path=f"{_DOCLING}/amt_handbook_sample.pdf", page=1, figures=((68, 525, 310, 692), (315, 412, 562, 690))),
    FigurePage(path=f"{_DOCLING}/redp5110_sampled.pdf", page=10, figures=((130, 103, 545, 400),)),
    FigurePage(path=f"{_DOCLING}/skipped_2pages.pdf", page=2, figures=((60, 425, 430, 685),)),
    FigurePage(
        path="pdfminer/samples/contrib/issue-1061-colour-space-stack.pdf", page=10, figures=((70, 85, 560, 392),)
    ),
    FigurePage(path="pdfminer/samples/contrib/issue_495_pdfobjref.pdf", page=1, figures=(WHOLE,)),
    FigurePage(path="pdfminer/samples/nonfree/nlp2004slides.pdf", page=9, figures=((55, 85, 748, 572),)),
    FigurePage(path="pdfminer/samples/nonfree/nlp2004slides.pdf", page=18, figures=((10, 128, 705, 565),)),
    FigurePage(path="pdfminer/samples/nonfree/nlp2004slides.pdf", page=23, figures=((52, 140, 745, 565),)),
    FigurePage(
        path=f"{_TIKA}/testPDF_protected.pdf",
        page=39,
        figures=((92, 165, 390, 400), (90, 478, 296, 690), (296, 478, 520, 690)),
    ),
    FigurePage(path=f"{_TIKA}/testPDF_protected.pdf", page=40, figures=((90, 145, 447, 375), (92, 445, 395, 688))),
    FigurePage(
        path=f"{_TIKA}/testPDF_protected.pdf",
        page=41,
        figures=((85, 150, 290, 324), (310, 155, 505, 324), (85, 428, 292, 602)),
    ),
    FigurePage(path=f"{_TIKA}/testPDF_angles.pdf", page=1),
    FigurePage(path="tika/tika-app/src/test/resources/test-data/testPDF_childAttachments.pdf", page=14),
    FigurePage(path="idmanagement.gov/docs/fpki-fpkima-wp.pdf", page=4, figures=((40, 172, 560, 462),)),
    FigurePage(path="idmanagement.gov/docs/fpki-fpkima-newsletter-54.pdf", page=1),
    FigurePage(
        path="idmanagement.gov/docs/archived/playbook-digital-worker-v1.pdf",
        page=12,
        tables=((65, 210, 560, 295), (65, 310, 560, 650)),
    ),
    FigurePage(
        path="idmanagement.gov/docs/archived/playbook-digital-worker-v1.pdf",
        page=13,
        tables=((65, 60, 560, 155), (65, 540, 560, 625)),
    ),
    FigurePage(
        path="idmanagement.gov/docs/Mapping of SP800-53 IA to SP 800-63.pdf", page=59, tables=((30, 155, 405, 615),)
    ),
    FigurePage(path=f"{_BITES} 9.1.2022.pdf", page=5, figures=((50, 72, 378, 380),)),
    FigurePage(path=f"{_BITES} 11.10.2022 (1).pdf", page=9, figures=((0, 75, 720, 345),)),
    FigurePage(path=f"{_BITES} 4.04.24.pdf", page=17),
    FigurePage(path=f"{_BITES} 4.04.24.pdf", page=19),
    FigurePage(
        path=f"{_FEDRAMP}/documents/rev4/Guide_to_OSCAL-based_FedRAMP_Content.pdf",
        page=52,
        figures=((65, 220, 552, 430),),
        either=((310, 100, 560, 155),),
    ),
    FigurePage(path=_SAR, page=8, figures=((68, 192, 535, 272),)),
    FigurePage(path=_SAR, page=11, figures=((240, 140, 545, 525),)),
    FigurePage(
        path="EPA_MOVES_Model/docs/MOVES5CheatsheetOnroad.pdf",
        page=1,
        figures=((580, 304, 760, 430), (400, 432, 760, 600)),
        tables=((0, 60, 400, 612), (395, 60, 800, 300), (395, 60, 580, 430)),
    ),
    FigurePage(path="fpc.gov/assets/pdf/FIPPs-Icons-Toolkit.pdf", page=2, figures=((325, 60, 740, 555),)),
    FigurePage(path=_RELEASE, page=15),
    FigurePage(path=_RELEASE, page=16, figures=((95, 255, 340, 445), (485, 255, 735, 445))),
    FigurePage(path=_RELEASE, page=37),
    FigurePage(path="ASVS/1.0/asvs-webapp-release-2009-de.pdf", page=12, figures=((92, 300, 502, 588),)),
    FigurePage(path="ASVS/1.0/asvs-webapp-release-2009-de.pdf", page=20, figures=((98, 103, 510, 572),)),
    FigurePage(
        path="innovation/src/pdf/Masked_Community Update-English-r2.pdf", page=2, figures=((28, 143, 575, 480),)
    ),
    FigurePage(path=f"{_REPORTS}/Profile_in_Data_Sharing_NEICE.pdf", page=1),
    FigurePage(path=f"{_REPORTS}/CDOC_Case_Studies_Final_v2.pdf", page=10),
    FigurePage(path=f"{_DROUGHT}/2022/04/CA-Drought-Update-04-18-22.pdf", page=3),
    FigurePage(path=f"{_DROUGHT}/2022/09/Weekly-CA-Drought-Update-09262022-FINAL.pdf", page=2),
    FigurePage(path="openmobility/documents/2024-White-Paper-Curb-User-Engagement.pdf", page=15),
    FigurePage(path=f"{_CLOUD}/security-whitepaper/v2/CNCF_cloud-native-security-whitepaper-May2022-v2.pdf", page=3),
    FigurePage(path=f"{_CLOUD}/security-fuzzing-handbook/handbook-fuzzing.pdf", page=9),
    FigurePage(path="openchain/2.0/ja/OpenChainSpec-2.0_jp.pdf", page=2),
    FigurePage(path=f"{_LATEX}/2412.19437/figures/fp8-128accumulatorv4.pdf", page=1, figures=(WHOLE,), part="tuned"),
    FigurePage(path=f"{_LATEX}/2412.19437/figures/basic_arch.pdf", page=1, figures=(WHOLE,), part="tuned"),
    FigurePage(path=f"{_LATEX}/2305.03393/figs/otsl_proof_v3.pdf", page=1, figures=(WHOLE,), part="tuned"),
    FigurePage(path=f"{_LATEX}/2305.03393/figs/otsl_vs_html_ex3_v2.pdf", page=1, figures=(WHOLE,), part="tuned"),
    FigurePage(
        path="pdfminer/samples/nonfree/nlp2004slides.pdf", page=10, figures=((50, 110, 720, 572),), part="tuned"
    ),
    FigurePage(
        path=f"{_FEDRAMP}/documents/rev4/Guide_to_OSCAL-based_FedRAMP_Plan_of_Action_and_Milestones_(POAM)_rev4.pdf",
        page=12,
        part="tuned",
    ),
    FigurePage(
        path="idmanagement.gov/docs/apl-10021-10023-10038-10039-10099-10102-10185-10186-gallagher.pdf",
        page=2,
        tables=((80, 550, 520, 680),),
        part="tuned",
    ),
    FigurePage(path="idmanagement.gov/docs/archived/fpki-x509-cert-policy-fbca-30.pdf", page=3, part="tuned"),
    FigurePage(path="camelot/tests/files/diesel_engines.pdf", page=10, figures=((40, 100, 545, 325),), part="tuned"),
    FigurePage(path="camelot/tests/files/diesel_engines.pdf", page=17, figures=((118, 90, 470, 368),), part="tuned"),
    FigurePage(path="ASVS/1.0/asvs-webapp-release-2009-id.pdf", page=6, figures=((95, 312, 535, 600),), part="tuned"),
    FigurePage(path="ASVS/1.0/asvs-webapp-release-2009-id.pdf", page=10, figures=((80, 220, 535, 535),), part="tuned"),
    FigurePage(path=_GROSSMAN, page=11, part="tuned"),
    FigurePage(path=_GROSSMAN, page=47, part="tuned"),
    FigurePage(path=f"{_REPORTS}/CDOC Data Skills Case Studies v6.pdf", page=1, part="tuned"),
    FigurePage(path=f"{_REPORTS}/CDOC Data Skills Case Studies v6.pdf", page=4, part="tuned"),
    FigurePage(path=f"{_REPORTS}/CDO_Playbook_2021.pdf", page=1, part="tuned"),
    FigurePage(path=f"{_DOCLING}/right_to_left_02.pdf", page=1, part="tuned"),
    FigurePage(path="idmanagement.gov/docs/archived/fpki-fbca-cp-2204.pdf", page=32, part="tuned"),
    FigurePage(path=f"{_PARSE}/regression/rotated_text_02.pdf", page=1, part="tuned"),
)
