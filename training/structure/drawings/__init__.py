"""Documents that Typst and Chromium set, whose blocks have colours of their own: their truth is read from the page."""
