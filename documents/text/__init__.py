"""Printed lines as running text: words and their direction, list markers, formulas."""
