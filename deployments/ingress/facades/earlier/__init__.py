"""Formats of earlier servers, so that their clients work unchanged."""
