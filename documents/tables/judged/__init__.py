"""Cells of a table by a learned judge: words to pieces, pieces to scores of pairs, scores to a grid."""
