"""Trains the judge of cells: samples of tables with their truth, losses and the run."""
