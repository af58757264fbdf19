"""What a PDF draws beside its text: rules, grids, drawings, shades."""
