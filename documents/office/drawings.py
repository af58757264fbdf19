"""Reads pictures, charts and diagrams in DOCX, PPTX and XLSX."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

from documents.office.packages.xml_parsing import Element, attribute, child, children, descendants, name_of, text_within
from documents.office.packages.zip_package import Package, Relation
from documents.office.paragraph_text import clean
from documents.office.table_grid import GridCell, table_of
from documents.region_values import Table

MAX_SERIES = 60
MAX_POINTS = 1000


@dataclass(frozen=True, slots=True)
class Drawing:
    """One picture, or what stands for it: a chart's numbers, a diagram's words."""

    picture: str | None = None  # the part that holds it
    alt: str = ""
    title: str = ""
    table: Table | None = None
    texts: tuple[str, ...] = ()


def drawings_in(element: Element, package: Package, relations: Mapping[str, Relation]) -> list[Drawing]:
    """All of a `drawing`, `pict` or `graphicFrame`, in their order."""
    alt = _alt(element)
    drawings: list[Drawing] = []
    has_boxes = next(element.iter("{*}txbxContent"), None) is not None
    for node in element.iter("{*}blip", "{*}imagedata", "{*}chart", "{*}relIds"):
        if has_boxes and next(node.iterancestors("{*}txbxContent"), None) is not None:
            continue  # it stands in a text box, which is read by itself
        match name_of(node):
            case "blip" | "imagedata":
                own = _own_alt(node)
                picture = _picture(node, relations, package)
                if picture or own or alt:
                    drawings.append(Drawing(picture=picture, alt=own or alt))
            case "chart":
                target = relations.get(attribute(node, "id") or "")
                chart = package.soft_xml(target.target) if target and not target.is_external else None
                if chart is not None:
                    drawings.append(chart_of(chart, alt))
            case _:
                target = relations.get(attribute(node, "dm") or "")
                diagram = package.soft_xml(target.target) if target and not target.is_external else None
                drawings.append(Drawing(alt=alt, texts=_paragraphs(diagram)))
    return drawings


def chart_of(root: Element, alt: str = "") -> Drawing:
    """A chart as the table of the values that its file keeps: categories in rows, series in columns."""
    chart = child(root, "chart")
    title = clean(" ".join(text_within(node, "t", "v") for node in children(chart, "title")))
    series = list(islice(descendants(root, "ser"), MAX_SERIES))
    categories: list[str] = []
    columns: list[tuple[str, list[str]]] = []
    for data_series in series:
        name = clean(text_within(child(data_series, "tx"), "v"))
        values = child(data_series, "val")
        points = _points(values if values is not None else child(data_series, "yVal"))
        labels = child(data_series, "cat")
        own = _points(labels if labels is not None else child(data_series, "xVal"))
        categories = own if len(own) > len(categories) else categories
        columns.append((name, points))
    height = min(MAX_POINTS, max((len(points) for _, points in columns), default=0))
    header = [GridCell(""), *(GridCell(name or f"{k}") for k, (name, _) in enumerate(columns, 1))]
    rows = [
        [
            GridCell(categories[row] if row < len(categories) else str(row + 1)),
            *(GridCell(points[row] if row < len(points) else "") for _, points in columns),
        ]
        for row in range(height)
    ]
    table = table_of([header, *rows], num_header_rows=1) if rows else None
    return Drawing(alt=alt, title=title, table=table)


def _points(values: Element | None) -> list[str]:
    """The values that the file keeps, by their places; empty where it keeps none."""
    points: dict[int, str] = {}
    for point in descendants(values, "pt"):
        index = attribute(point, "idx") or ""
        text = clean(text_within(point, "v"))
        if index.isdecimal() and len(index) < 6 and int(index) < MAX_POINTS and int(index) not in points:
            points[int(index)] = _number(text)
    return [points.get(k, "") for k in range(max(points, default=-1) + 1)]


def _number(text: str) -> str:
    """Without the digits that only a computer's numbers have."""
    try:
        return f"{float(text):.10g}" if "." in text else text
    except ValueError:
        return text


def _picture(blip: Element, relations: Mapping[str, Relation], package: Package) -> str | None:
    for name in ("embed", "id", "pict", "link"):
        relation = relations.get(attribute(blip, name) or "")
        if relation is not None and not relation.is_external and package.has(relation.target):
            return relation.target
    return None


def _alt(element: Element) -> str:
    for node in element.iter("{*}docPr", "{*}cNvPr"):
        if text := attribute(node, "descr"):
            return text
    return ""


def _own_alt(blip: Element) -> str:
    """Of the nearest shape around a picture."""
    for above in blip.iterancestors():
        match name_of(above):
            case "pic":
                return _alt(above)
            case "shape" | "rect":
                return attribute(above, "alt") or ""
            case "drawing" | "pict" | "graphicFrame":
                return ""
            case _:
                continue
    return ""


def _paragraphs(diagram: Element | None) -> tuple[str, ...]:
    """A diagram's paragraphs, one text each."""
    paragraphs = (clean(text_within(paragraph, "t")) for paragraph in descendants(diagram, "p"))
    return tuple(text for text in paragraphs if text)
