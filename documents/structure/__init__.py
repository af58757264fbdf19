"""From detections and printed lines to regions in reading order, and from pages to one document."""
