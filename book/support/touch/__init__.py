"""The figures to touch that show stored numbers: what each one is given, and its fallback."""

from support.touch.classification import classification
from support.touch.race import race
from support.touch.results import results_map, scorecard
from support.touch.scale import scale

__all__ = ["classification", "race", "results_map", "scale", "scorecard"]
