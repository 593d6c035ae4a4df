"""Measured ratios against naive references, side by side in one run."""
