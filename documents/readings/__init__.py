"""What a model that reads whole pages wrote, matched with the regions of the page."""
