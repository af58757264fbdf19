"""MinerU's API: files in a form, answered as Markdown, a content list and pictures."""
