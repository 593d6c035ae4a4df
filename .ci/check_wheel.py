"""Use the installed package with its core dependencies alone."""

import sys
from importlib.metadata import requires, version
from importlib.resources import files

import numpy as np

import infwalk

CORE = {"numpy", "scipy", "scikit-learn"}
EXTRAS = {"matplotlib", "sympy", "networkx", "pandas"}

package = files("infwalk")
assert "site-packages" in str(package), f"infwalk was imported from {package}"
assert infwalk.__version__ == version("infwalk")
assert package.joinpath("py.typed").is_file(), "the wheel does not ship py.typed"

core = {line.split(">=")[0] for line in requires("infwalk") if "extra ==" not in line}
assert core == CORE, f"core dependencies are {sorted(core)}"
loaded = EXTRAS & sys.modules.keys()
assert not loaded, f"import infwalk also imports {sorted(loaded)}"

ring_with_chord = np.roll(np.eye(7), 1, axis=0) + np.roll(np.eye(7), -1, axis=0)
ring_with_chord[0, 3] = ring_with_chord[3, 0] = 1
embedding = infwalk.InfiniteWalk(n_components=2).fit_transform(ring_with_chord)
assert embedding.shape == (7, 2)
assert np.isfinite(embedding).all()
print(f"infwalk {infwalk.__version__} works from {package}")
