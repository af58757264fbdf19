"""Text where furniture stands is kept apart from it, in files too short for anything to come back."""

from __future__ import annotations

import pytest
from page_making import opened, page, region

from documents.exports.markdown import markdown
from documents.structure.assemble_document import assemble

BODY = region("Text that is longer than all feet. " * 9, corners=(60, 300, 550, 690))
SMALL = {"size": 7.0}


def furniture(*regions, num_pages=1):
    """The kinds of what a network took for furniture, on the last page of a document whose text is `BODY`."""
    before = [page(BODY, number=n) for n in range(1, num_pages)]
    last = page(BODY, *(region(text, "abandon", corners=c, **more) for text, c, more in regions), number=num_pages)
    return [one.kind for one in assemble("d", 1, opened(num_pages), [*before, last]).pages[-1].regions[1:]]


@pytest.mark.parametrize("num_pages", [1, 2])
def test_a_letters_last_lines_and_first_ones_are_text_where_furniture_stands(num_pages):
    """Guards against a letter without its greeting and the name below it, in files too short for running feet."""
    closing = [("With kind regards,", (60, 705, 160, 715), {}), ("Anna Miller", (60, 750, 130, 760), {})]
    assert furniture(*closing, num_pages=num_pages) == ["plain text"] * 2
    assert furniture(("To the harbour office", (60, 282, 200, 292), {}), num_pages=num_pages) == ["plain text"]


@pytest.mark.parametrize(
    "foot",
    [
        ("Page 1 of 1", (60, 705, 120, 715), {}),
        ("1", (60, 705, 66, 715), {}),
        ("Mill & Sons, 12 Quay Street, Newport", (60, 705, 220, 712), SMALL),
        ("The mill is open on all days of the week but Sunday.", (60, 705, 300, 712), SMALL),
        ("Annals of the Mill", (240, 705, 330, 715), {}),  # not at the edge of the text
        ("Annals of the Mill", (60, 750, 150, 760), {}),  # far below a sentence that has ended
    ],
)
def test_page_numbers_running_feet_and_addresses_stay_furniture_on_a_single_page(foot):
    assert furniture(foot) == ["abandon"]


def test_the_last_item_of_a_list_at_the_foot_of_a_page_is_an_item():
    last = region("3. Close the gate", "abandon", corners=(60, 705, 160, 715))
    document = assemble("d", 1, opened(), [page(BODY, region("2. Lower the boat", corners=(60, 692, 160, 702)), last)])
    assert "3. Close the gate" in markdown(document)
