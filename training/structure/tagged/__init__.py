"""Training pages from PDFs whose authors tagged what each text is."""
