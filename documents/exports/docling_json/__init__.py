"""A document as DoclingDocument JSON, in the form that docling-core reads."""
