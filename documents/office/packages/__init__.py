"""What all office files are packed in: ZIP, XML, charsets, and the limits of each."""
