"""How prompts become model inputs: text, and images of GOT-OCR2 (`got`) or of any image-text model (`any_model`)."""
