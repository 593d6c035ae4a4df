"""Linear algebra that knows no graph."""
