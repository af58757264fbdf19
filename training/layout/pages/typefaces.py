"""The typefaces of drawn pages: a family that is not installed is drawn as DejaVu Sans."""

from __future__ import annotations

from functools import lru_cache

from PIL import ImageFont

from training.fonts import font_files

FAMILIES = (
    "LiberationSerif|Regular,Bold,Italic",
    "LiberationSans|Regular,Bold,Italic",
    "DejaVuSans|,-Bold,-Oblique",
    "DejaVuSerif|,-Bold,-Italic",
    "Carlito|Regular,Bold,Italic",
    "Caladea|Regular,Bold,Italic",
    "lmroman10|regular,bold,italic",
    "lmroman10|regular,bold,italic",
    "lmsans10|regular,bold,oblique",
    "NimbusRoman|Regular,Bold,Italic",
    "NimbusSans|Regular,Bold,Italic",
    "P052|Roman,Bold,Italic",
    "C059|Roman,Bold,Italic",
    "LinLibertine_|R,RB,RI",
    "Lato|Regular,Bold,Italic",
    "STIX|Regular,Bold,Italic",
    "OpenSans|Regular,Bold,Italic",
    "EBGaramond12|Regular,Bold,Italic",
    "NotoSans|Regular,Bold,Italic",
    "cmun|rm,bx,ti",
    "Roboto|Regular,Bold,Italic",
    "GFSDidot|,Bold,Italic",
    "texgyretermes|regular,bold,italic",
    "texgyreheros|regular,bold,italic",
    "NotoSerif|Regular,Bold,Italic",
)
CJK = ("NotoSansCJK|Regular,Bold,Regular", "NotoSerifCJK|Regular,Bold,Regular")
MONO = ("DejaVuSansMono|,-Bold,-Oblique", "LiberationMono|Regular,Bold,Italic", "lmmono10|regular,regular,italic")


@lru_cache(4096)
def font(family: str, weight: int, size: int) -> ImageFont.FreeTypeFont:
    """Weight 0, 1, 2: regular, bold, italic."""
    name, faces = family.split("|")
    face, files = faces.split(",")[weight], files_by_stem()
    path = next(files[s] for s in (name + face, f"{name}-{face}", "DejaVuSans") if s in files)
    return ImageFont.truetype(path, max(5, size), layout_engine=ImageFont.Layout.BASIC)


@lru_cache(65536)
def width(f: ImageFont.FreeTypeFont, s: str) -> float:
    return f.getlength(s)


@lru_cache(4096)
def reach(f: ImageFont.FreeTypeFont) -> tuple[float, float]:
    """Ink above and below the baseline."""
    box = f.getbbox("Hdpg国" if "CJK" in str(f.path) else "Hdpg", anchor="ls")
    return -box[1], box[3]


@lru_cache(1)
def files_by_stem() -> dict[str, str]:
    """Installed font files by stem."""
    return {path.stem: str(path) for path in font_files()}
