"""Tables that no project lists and no rule was tuned on: a person read off where the cells of each page stand.

They were read off as those of `read_tables.py`, before a result on these pages was seen, and judge what is tuned there.
"""

from __future__ import annotations

from benchmarks.truths.tables import ListedFile, ListedTable

_STANDARD = 1.3077  # pixels per point of the picture that edges were read off


def _scaled(*edges: float) -> tuple[float, ...]:
    return tuple(round(edge / _STANDARD, 1) for edge in edges)


JUDGED = (
    ListedFile(
        "ASVS/2.0/OWASPApplicationSecurityVerificationStandard3.0.pdf",
        (
            ListedTable(
                page=69,
                edges=(28.1, 255.3, 354.3, 583.8),
                levels=(288.2, 313.8, 382.1, 407.6, 433.1, 458.6, 484.1, 552.4, 620.6, 660.4, 700.1),
            ),
        ),
    ),
    ListedFile(
        "ASVS/4.0/OWASP Application Security Verification Standard 4.0.3-es.pdf",
        (
            ListedTable(
                page=34,
                edges=_scaled(90, 138, 398, 434, 523, 603, 644, 690),
                levels=_scaled(152, 194, 302, 394, 533, 620),
            ),
            ListedTable(
                page=34,
                edges=_scaled(90, 138, 520, 548, 574, 600, 641, 690),
                levels=_scaled(663, 702, 746, 788, 848, 905),
            ),
        ),
    ),
    ListedFile(
        "EPA_MOVES_Model/docs/TipsForFasterMOVESRuns.pdf",
        (ListedTable(page=6, edges=(72, 90, 300.4, 379, 459.5, 541), levels=(70, 112.7, 139.7, 166.6, 193.5, 208)),),
    ),
    ListedFile(
        "EPA_MOVES_Model/database/ProfileWeightScripts/profileScriptHelp.pdf",
        (
            ListedTable(
                page=5,
                edges=(72.3, 192.3, 254.6, 288, 324.1, 539.9),
                levels=(
                    *(72.2, 87.1, 102, 116.9, 131.9, 146.8, 161.7, 176.5, 191.4, 206.3, 221.3, 236.2, 251.1, 278.5),
                    *(293.3, 414.7, 536.1),
                ),
            ),
        ),
    ),
    ListedFile(
        "docling-parse/tests/data/regression/font_04.pdf",
        (
            ListedTable(
                edges=(56.7, 153.1, 249.5, 345.8, 442.2, 538.6),
                levels=(57, 76.8, 110.4, 144, 177.6, 211.2, 244.8, 278.4),
            ),
        ),
    ),
    ListedFile(
        "EPA_MOVES_Model/docs/SQLTipSheet.pdf",
        (
            ListedTable(
                edges=(54.9, 117, 364.6, 553),
                levels=(60.7, 76.3, 102.9, 129.4, 156.4, 195.3, 219, 245.7, 269.4, 295.8),
            ),
        ),
    ),
    ListedFile(
        "openmobility/documents/OMF-2020-2021-Commercial-Member-Dues-FINAL.pdf",
        (ListedTable(edges=(50.5, 135.3, 220, 304.8, 389.5, 474.3, 559), levels=(614.4, 641.5, 669.4, 696.4)),),
    ),
)
