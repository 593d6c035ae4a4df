"""Print a constraints file that pins every declared dependency to its lower bound.

    python .ci/lowest_versions.py > lowest.txt
    python -m pip install -c lowest.txt ".[test]"

Dependencies of dependencies are left to pip. A requirement without ``>=`` is an error: its lowest
supported version would be unknown.
"""

import re
import sys
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"
REQUIREMENT = re.compile(r"(?P<name>[A-Za-z0-9_.-]+)(\[[^]]*\])?>=(?P<version>[^,;\s]+)")


def lowest_versions(project: dict) -> dict[str, str]:
    """Return the lower bound of every requirement, by the name of the package.

    A package that several extras declare must have the same bound in each.
    """
    extras = project["optional-dependencies"].values()
    pins: dict[str, str] = {}
    for requirement in [*project["dependencies"], *(line for extra in extras for line in extra)]:
        match = REQUIREMENT.match(requirement)
        if match is None:
            raise SystemExit(f"{requirement!r} declares no lower bound: write 'name>=version'")
        name, version = match["name"].lower(), match["version"]
        if pins.setdefault(name, version) != version:
            raise SystemExit(f"{name} has two lower bounds, {pins[name]} and {version}")
    return pins


if __name__ == "__main__":
    found = lowest_versions(tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"])
    sys.stdout.writelines(f"{name}=={version}\n" for name, version in sorted(found.items()))
