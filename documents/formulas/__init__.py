"""Formulas of the text layer: where they are displayed, their structure by the places of their glyphs, their LaTeX."""
