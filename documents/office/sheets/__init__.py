"""Spreadsheets (XLSX), their cells and tables, and lists of values (CSV)."""
