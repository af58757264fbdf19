"""Counts again how far each page is from its truth: `python -m tests.pages.renew` from the root of the repository.

Rewrites the first table of `differs.md`: pages that are read right go, causes stay, a new cause is "?".
"""

from __future__ import annotations

from documents.exports.markdown import markdown
from tests.pages.accepted_pages import FOLDER, PAGE_ROW, difference, gaps, names, num_changed
from tests.pages.page_reader import page_reader


def main() -> None:
    known = gaps()
    rows: list[str] = []
    with page_reader() as read:
        for name in names():
            diff = difference(name, markdown(read(FOLDER / f"{name}.pdf")))
            if diff:
                cause = known[name].cause if name in known else "?"
                rows.append(f"| `{name}` | {num_changed(diff)} | {cause} |\n")
    path = FOLDER / "differs.md"
    text = path.read_text(encoding="utf-8")
    matches = list(PAGE_ROW.finditer(text))
    start = text.index("| --- | --- | --- |\n") + len("| --- | --- | --- |\n")
    end = matches[-1].end() + 1 if matches else start
    path.write_text(text[:start] + "".join(rows) + text[end:], encoding="utf-8")
    print(f"{len(names()) - len(rows)} of {len(names())} pages are read as accepted")  # noqa: T201


if __name__ == "__main__":
    main()
