"""What the chapters share: figures, tables, results, and the notebook runner."""
