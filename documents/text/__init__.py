"""Printed lines as running text: words, list markers, formulas."""
