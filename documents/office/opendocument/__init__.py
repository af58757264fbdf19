"""OpenDocument texts, sheets and slides (ODT, ODS, ODP)."""
