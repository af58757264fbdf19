"""Where fonts to draw with are found: Debian's packages, else those that Matplotlib brings along."""

from __future__ import annotations

from functools import cache
from pathlib import Path

DEBIAN = (Path("/usr/share/fonts"), Path("/usr/share/texmf/fonts/opentype/public"))


class NoFonts(Exception):
    """No font that is wanted is installed; a checkpoint's model card names the packages."""


@cache
def font_files() -> tuple[Path, ...]:
    """Font files, sorted; Matplotlib's alone where Debian's packages have none, so that a bare machine can draw."""
    found = sorted(path for root in DEBIAN for path in root.rglob("*.[ot]t[fc]"))
    if not found:
        import matplotlib as mpl

        found = sorted(Path(mpl.get_data_path(), "fonts", "ttf").glob("*.ttf"))
    return tuple(found)
