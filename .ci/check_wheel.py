"""Use the installed package, as a module and as a command, with its core dependencies alone."""

import subprocess
import sys
import tempfile
from importlib.metadata import requires, version
from importlib.resources import files
from pathlib import Path

import numpy as np

import infwalk

CORE = {"numpy", "scipy", "scikit-learn"}
EXTRAS = {"matplotlib", "sympy", "networkx", "pandas", "pooch", "tqdm", "gensim", "numba"}

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


def run_command(*arguments: str) -> int:
    """Run the console script, and return its exit status."""
    return subprocess.run([Path(sys.executable).with_name("infwalk"), *arguments]).returncode


with tempfile.TemporaryDirectory() as folder:
    graph, output = Path(folder, "ring.txt"), Path(folder, "ring.npy")
    edges = np.argwhere(np.triu(ring_with_chord))
    np.savetxt(graph, edges, fmt="%d")
    assert run_command("embed", str(graph), "-o", str(output), "--dim", "2") == 0
    assert np.array_equal(np.load(output), embedding)
    sampled = run_command("embed", str(graph), "-o", str(output), "--method", "deepwalk")
    assert sampled == 3, f"without infwalk[sampling] the exit status is {sampled}"

print(f"infwalk {infwalk.__version__} works from {package}")
