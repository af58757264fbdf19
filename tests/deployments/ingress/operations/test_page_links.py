"""Links to places of documents: the web page's own module, run by Node, reads what is written here."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

import deployments.ingress
from configs import Settings
from deployments.ingress.operations.page_links import page_link, public_address
from documents.boxes import BoundingBox
from documents.places import LinePlace
from retrieval.search.passage import PassageBox

MODULE = Path(deployments.ingress.__file__).parent / "page" / "static" / "base" / "page_links.js"
NODE = shutil.which("node")
ADDRESS = "http://pages.example"
BOXES = (
    PassageBox(page=2, box=BoundingBox(x0=72.25, y0=10, x1=300.0449, y1=20.96)),
    PassageBox(page=3, box=BoundingBox(x0=1, y0=2, x1=3, y1=4)),
    PassageBox(page=2, box=None, place=LinePlace(first=3, last=4)),
    PassageBox(page=2, box=BoundingBox(x0=5, y0=5, x1=5, y1=5)),
    PassageBox(page=2, box=BoundingBox(x0=0, y0=0, x1=0, y1=0), place=LinePlace(first=9, last=9)),
)


def run_by_node(folder: Path, expression: str) -> object:
    """The value of an expression in which the module is `links`."""
    copy = folder / "page_links.mjs"
    shutil.copy(MODULE, copy)
    script = f"import * as links from {json.dumps(str(copy))}; console.log(JSON.stringify({expression}));"
    done = subprocess.run(
        [str(NODE), "--input-type=module", "-e", script], check=True, capture_output=True, text=True, timeout=60
    )
    return json.loads(done.stdout)


@pytest.mark.skipif(NODE is None, reason="Node is not installed here")
@pytest.mark.parametrize("document_id", ["a1b2", "reports/2026 ä?#%&.pdf", "100% (new)*~'!"])
def test_the_web_page_reads_the_same_place_from_our_link_as_from_its_own(tmp_path: Path, document_id: str):
    """Guards against a citation that opens no document, or marks another place: ids are any text of a caller."""
    fragment = page_link(ADDRESS, document_id, 4, 2, BOXES).removeprefix(f"{ADDRESS}/")
    passage = {
        "document_id": document_id,
        "revision": 4,
        "page": 2,
        "boxes": [box.model_dump(mode="json") for box in BOXES],
    }
    own = f"links.passageAddress({json.dumps(passage)})"
    ours = run_by_node(tmp_path, f"links.parseAddress({json.dumps(fragment)})")
    assert ours == run_by_node(tmp_path, f"links.parseAddress({own})")
    assert isinstance(ours, dict)
    place = ours["documentId"], ours["revision"], ours["page"]
    assert (*place, len(ours["targets"])) == (document_id, 4, 2, 3)


def test_a_page_alone_has_no_targets():
    """A citation keeps its revision: page 7 may be another one in the next."""
    assert page_link(ADDRESS, "a/b", 1, 7) == "http://pages.example/#/documents/a%2Fb/pages/7?revision=1"


def test_links_lead_where_the_settings_say_else_to_the_host_of_the_request():
    """Guards against links to an address that only containers know."""
    assert public_address(Settings(), "127.0.0.1:8000") == "http://127.0.0.1:8000"
    assert (
        public_address(Settings(public_url="https://pages.example/read/"), "10.0.0.2") == "https://pages.example/read"
    )
