"""Stored extractions: their rows and their runner."""
