"""Office files, web pages, mail and text as their authors wrote them: pages of regions with places, no picture."""
