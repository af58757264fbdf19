"""The job database: one writer, its rows, its lease."""
