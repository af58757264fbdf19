"""OCR: the deployment and what it reads with."""
