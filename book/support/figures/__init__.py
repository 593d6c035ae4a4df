"""The figures, one module per chapter. A function takes data and returns a figure."""
