"""Tables in great variety: a recipe gives a grid of cells, a look prints it, a page arranges it among other things."""
