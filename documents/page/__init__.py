"""All rules of a page in their order, and the page that they make."""
