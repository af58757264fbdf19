"""The text layer of a PDF: lines, words, and what a person sees of them."""
