"""PDFs that carry files, as programs other than PyMuPDF write them."""

from __future__ import annotations


def add_file(document, name, content, relation=None, *, is_named=True, is_associated=False):
    """Embed a file by a specification of its own; returns the number of that object."""
    stream, specification = document.get_new_xref(), document.get_new_xref()
    document.update_object(stream, "<</Type/EmbeddedFile>>")
    document.update_stream(stream, content, new=True)
    relation = f"/AFRelationship/{relation}" if relation else ""
    document.update_object(specification, f"<</Type/Filespec/F({name})/UF({name}){relation}/EF<</F {stream} 0 R>>>>")
    if is_named:
        document.xref_set_key(
            document.pdf_catalog(), "Names", f"<</EmbeddedFiles<</Names[({name}) {specification} 0 R]>>>>"
        )
    if is_associated:
        document.xref_set_key(document.pdf_catalog(), "AF", f"[{specification} 0 R]")
    return specification
