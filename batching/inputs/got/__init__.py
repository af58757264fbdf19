"""GOT-OCR2's prompts, tiles and vision tower."""
