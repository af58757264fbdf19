"""What converted documents are answered with: their formats, their chunks, a zip of several."""
