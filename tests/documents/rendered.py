"""HTML read to the letter: any `<` that begins no element of the whitelist, written to the letter, is an error."""

from __future__ import annotations

import html
import importlib.util
import re
from collections.abc import Iterator
from typing import NamedTuple

from markdown_it import MarkdownIt

PLAIN = "h1 h2 h3 h4 h5 h6 p ul li code pre blockquote br table thead tbody tr figure s del"
ATTRIBUTES = {
    **dict.fromkeys(PLAIN.split(), ""),
    "ol": "start",
    "a": "href rel",
    "img": "src alt",
    "th": "rowspan colspan",
    "td": "rowspan colspan",
}
STYLES = dict.fromkeys(("em", "strong"), "")
TOKEN = re.compile(r"(?P<text>[^<]+)|<!-- image -->|<(?P<close>/?)(?P<name>[a-z][a-z0-9]*)(?P<attributes>[^<>]*?)/?>")
ATTRIBUTE = re.compile(r'\s+([a-z-]+)="([^"<>]*)"')
AUTOLINK = re.compile(r"(?:https?|ftp)://|www\.\w|[\w.+-]@[\w-]+\.\w", re.IGNORECASE)  # as GitHub's Markdown has them


class Element(NamedTuple):
    name: str
    attributes: dict[str, str]


class Rendered(NamedTuple):
    """The elements of a piece of HTML, and its text: all of it, and that of which a renderer may make links."""

    elements: list[Element]
    text: str
    loose_text: str

    def values(self, name: str, attribute: str) -> list[str]:
        return [element.attributes.get(attribute, "") for element in self.elements if element.name == name]


def rendered(source: str, *, styled: bool = False) -> Rendered:
    """Raises AssertionError for an element or attribute that is not on the whitelist; `styled`: slanted type may be."""
    allowed = ATTRIBUTES | (STYLES if styled else {})
    elements, texts, loose, open_names, at = [], [], [], [], 0
    while at < len(source):
        token = TOKEN.match(source, at)
        assert token, f"markup at {source[at : at + 60]!r}"
        at = token.end()
        if token["text"]:
            texts.append(html.unescape(token["text"]))
            loose.append(" " if {"a", "code"} & set(open_names) or _in_html_table(open_names) else texts[-1])
        if name := token["name"]:
            assert name in allowed, f"an element {name}: {token[0]!r}"
            if name in ("s", "del"):  # no renderer looks for an address across an element's end
                loose.append(" ")
            if token["close"]:
                open_names.remove(name)
                continue
            attributes = {key: html.unescape(value) for key, value in ATTRIBUTE.findall(token["attributes"])}
            assert not ATTRIBUTE.sub("", token["attributes"]).strip(" "), token[0]
            assert set(attributes) <= set(allowed[name].split()), token[0]
            elements.append(Element(name, attributes))
            if name not in ("br", "img"):
                open_names.append(name)
    return Rendered(elements, "".join(texts), "".join(loose))


def _in_html_table(open_names: list[str]) -> bool:
    """Whether the place is in a table that the Markdown has as HTML: nothing there is made a link."""
    return "table" in open_names and not {"thead", "tbody"} & set(open_names)


def markdown_renderings(text: str) -> Iterator[tuple[str, str]]:
    """The HTML of several renderers, by name: with HTML on and off, addresses made links where that is installed."""
    linkify = importlib.util.find_spec("linkify_it") is not None
    for name, options in (("html", {"html": True}), ("no html", {"html": False})):
        renderer = MarkdownIt("commonmark", {**options, "linkify": linkify}).enable(["table", "strikethrough"])
        yield name, (renderer.enable("linkify") if linkify else renderer).render(text)
    if importlib.util.find_spec("cmarkgfm") is not None:  # what GitHub runs
        import cmarkgfm
        from cmarkgfm.cmark import Options

        # the filter of GitHub's is off: it hides what must not be there
        yield (
            "cmark-gfm",
            cmarkgfm.markdown_to_html_with_extensions(
                text, Options.CMARK_OPT_UNSAFE, ["table", "autolink", "strikethrough", "tasklist"]
            ),
        )
