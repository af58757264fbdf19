"""`python -m pagemill`."""

from pagemill.cli import main

main()
