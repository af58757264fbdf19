"""The value for a page's part of a PDF's structure tree (tags), unchecked."""

from __future__ import annotations

from documents.boxes import BoundingBox, Value


class TreeNode(Value):
    """One element of the structure tree; `role` is a standard type ("H1", "P", "TD") where the file maps it to one."""

    role: str
    parent: int  # among the nodes; -1: none
    alt: str = ""  # said in place of what is drawn
    num_rows: int = 1  # that a cell of a table spans
    num_columns: int = 1


class TreeContent(Value):
    """What one mark of the page encloses, in points of the upright page: lines of text, and pictures or drawings."""

    node: int
    lines: tuple[BoundingBox, ...] = ()
    pictures: tuple[BoundingBox, ...] = ()


class PageTree(Value):
    """Nodes from the root down, each behind its parent; contents in the order in which the tree lists them."""

    nodes: tuple[TreeNode, ...]
    contents: tuple[TreeContent, ...]
    artifacts: tuple[BoundingBox, ...] = ()  # what it says is no part of the text
