"""Where fonts to draw with are found: Debian's packages, and those that Matplotlib brings along where DejaVu is not."""

from __future__ import annotations

from functools import cache
from pathlib import Path

FALLBACK = "DejaVuSans.ttf"  # what every drawing can do with
DEBIAN = (Path("/usr/share/fonts"), Path("/usr/share/texmf/fonts/opentype/public"))


class NoFonts(Exception):
    """No font that is wanted is installed; a checkpoint's model card names the packages."""


@cache
def font_files() -> tuple[Path, ...]:
    """Font files; with Matplotlib's where Debian's packages lack the fallback, so that a bare machine can draw."""
    files = sorted(path for root in DEBIAN for path in root.rglob("*.[ot]t[fc]"))
    if not any(path.name == FALLBACK for path in files):
        import matplotlib as mpl

        files += sorted(Path(mpl.get_data_path(), "fonts", "ttf").glob("*.ttf"))
    return tuple(files)
