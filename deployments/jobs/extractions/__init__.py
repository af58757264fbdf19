"""Stored extractions: their rows, and the kind of task that they are."""
