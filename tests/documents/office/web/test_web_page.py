"""Web pages: each part has its path, no words are glued or lost, and tables of data are kept apart from layout."""

from __future__ import annotations

import pytest
from lxml import html

from documents.region_values import FigureRegion, TableRegion, TextRegion
from tests.documents.office.drawn import regions_of


def test_elements_of_a_web_page_are_found_by_their_paths():
    """Guards against paths that lead a browser elsewhere: lxml finds the element with the text."""
    content = """<!doctype html><html><head><title>T</title><script>x()</script></head><body>
    <h1>Head</h1><div>loose <p>one</p><p>two <a href="https://example.org">link</a></p><ul><li>a<ul><li>b</li></ul></li></ul></div>
    <table><tr><th>x</th><th>y</th></tr><tr><td rowspan=2>1</td><td>2</td></tr><tr><td>3</td></tr></table>
    <p style="display:none">unseen</p><pre>a  b\n c</pre><img src="http://127.0.0.1/x.png" alt="A cat"></body></html>"""
    regions = regions_of(content.encode())
    tree = html.document_fromstring(content)
    for region in regions:
        if isinstance(region, TextRegion) and not region.items and not region.code:
            (element,) = tree.xpath(region.place.path)
            text = " ".join(element.text_content().split())
            assert text[region.place.start : region.place.end] == region.text
    texts = [region.text for region in regions]
    assert "unseen" not in "".join(texts)
    assert "x()" not in "".join(texts)
    (listed,) = [region for region in regions if isinstance(region, TextRegion) and region.items]
    assert [(item.marker, item.level) for item in listed.items] == [("•", 1), ("•", 2)]
    (table,) = [region for region in regions if isinstance(region, TableRegion)]
    assert [(cell.text, cell.row, cell.column, cell.num_rows) for cell in table.table.cells][2:] == [
        ("1", 1, 0, 2),
        ("2", 1, 1, 1),
        ("3", 2, 1, 1),
    ]
    (figure,) = [region for region in regions if isinstance(region, FigureRegion)]
    assert (figure.alt, figure.picture) == ("A cat", None)
    assert [region.text for region in regions if isinstance(region, TextRegion) and region.code] == ["a  b\n c"]


def test_blocks_and_fields_in_one_another_do_not_glue_their_words() -> None:
    """Guards against `OneTwo`: blocks within headings, captions and code, fields and buttons beside one another."""
    content = b"""<!doctype html><h2><div>One</div><div>Two</div></h2>
    <figure><figcaption><p>Three</p><p>Four</p></figcaption></figure><pre>five<br>six</pre>
    <p>a<input value="seven"><input value="eight"><button>Save</button><button>Cancel</button></p>"""
    texts = [region.text for region in regions_of(content)]
    assert texts == ["One Two", "Three Four", "five\nsix", "a seven eight Save Cancel"]


def test_words_below_the_depth_that_is_walked_stay_words() -> None:
    """Guards against words that are lost or glued where elements lie deeper than they are walked one by one."""
    for name in ("div", "span"):
        content = f"<!doctype html><p>first</p>{f'<{name}>' * 200}<p>deep</p><p>deeper</p><b>bold</b>"
        text = " ".join(region.text for region in regions_of(content.encode()))
        assert text.split() == ["first", "deep", "deeper", "bold"]


LISTS = "<tr><td>Heat pump</td><td><ul><li>quiet</li><li>cheap</li></ul></td><td><ul><li>dear</li></ul></td></tr>"
LISTS += "<tr><td>Gas</td><td><ol><li>small</li></ol></td><td><h4>Risks</h4><p>price</p><p>smoke</p></td></tr>"
HEAD = "<tr><{0}>Option</{0}><{0}>For</{0}><{0}>Against</{0}></tr>"


@pytest.mark.parametrize(
    "table",
    [
        f"<table><thead>{HEAD.format('th')}</thead><tbody>{LISTS}</tbody></table>",
        f"<table>{HEAD.format('th')}{LISTS}</table>",
        f"<table><thead>{HEAD.format('td')}</thead>{LISTS}</table>",
        f"<table><caption>Heating</caption>{HEAD.format('td')}{LISTS}</table>",
        f"<table role=grid>{HEAD.format('td')}{LISTS}</table>",
    ],
)
def test_a_table_of_data_may_have_lists_and_headings_in_its_cells(table: str) -> None:
    """Guards against a drawback that goes on the list of advantages: a table of many lists was taken for layout."""
    (grid,) = [region.table for region in regions_of(f"<!doctype html>{table}".encode()) if hasattr(region, "table")]
    cells = {(cell.row, cell.column): cell.text for cell in grid.cells}
    assert [cells[1, column] for column in range(3)] == ["Heat pump", "quiet\ncheap", "dear"]
    assert [cells[2, column] for column in range(3)] == ["Gas", "small", "Risks\nprice\nsmoke"]


def test_a_table_in_a_cell_of_data_is_lines_of_the_cell_and_one_that_lays_out_is_read_by_itself() -> None:
    inner = "<table><tr><th>size</th><th>price</th></tr><tr><td>10</td><td>3</td></tr></table>"
    data = f"<!doctype html><table><tr><th>item</th><th>sizes</th></tr><tr><td>rope</td><td>{inner}</td></tr></table>"
    (grid,) = [region.table for region in regions_of(data.encode()) if hasattr(region, "table")]
    assert [cell.text for cell in grid.cells] == ["item", "sizes", "rope", "size price\n10 3"]
    for role in ("", "role=presentation"):
        layout = f"<!doctype html><table {role}><tr><td><h2>News</h2></td><td>{inner}</td></tr></table>"
        regions = regions_of(layout.encode())
        assert [region.text for region in regions] == ["News", "size\tprice\n10\t3"]
    menu = "<!doctype html><table><tr><td><ul><li>a</li></ul></td><td><ul><li>b</li></ul></td></tr></table>"
    assert not any(hasattr(region, "table") for region in regions_of(menu.encode()))
