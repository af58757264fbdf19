"""This project's own HTTP API: one file per URL."""
