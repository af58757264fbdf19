"""One file per question; each prints a table and can write JSON with machine, versions and date."""
