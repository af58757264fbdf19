"""Slides (PPTX)."""
