"""The README's first example runs after the commands above it, and nothing else."""

import ast
import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PACKAGE_OF = {"sklearn": "scikit-learn"}

first_example = runpy.run_path(str(ROOT / ".ci" / "run_readme.py"))["first_example"]


def imported(code):
    """The packages that a piece of code imports."""
    names = set()
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.Import(names=aliases):
                names |= {alias.name for alias in aliases}
            case ast.ImportFrom(module=module):
                names.add(module)
    return {PACKAGE_OF.get(name.split(".")[0], name.split(".")[0]) for name in names}


def installed(commands):
    """The packages that pip commands install; ``.`` is infwalk with its core dependencies."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    core = {re.match(r"[\w-]+", line)[0] for line in project["dependencies"]}
    found = set()
    for line in commands.splitlines():
        words = line.partition("#")[0].split()
        assert words[:2] == ["pip", "install"], line
        for word in words[2:]:
            found |= {"infwalk", *core} if word == "." else {word}
    return found


def test_the_first_example_imports_what_the_commands_install():
    commands, code = first_example(README)
    missing = imported(code) - installed(commands) - set(sys.stdlib_module_names)
    assert not missing, f"{sorted(missing)} must be installed by {commands!r}"


def test_the_first_example_runs():
    pytest.importorskip("networkx")
    _, code = first_example(README)
    command = [sys.executable, "-W", "error", "-c", code]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    accuracy, *_ = found.stdout.split()
    assert float(accuracy) > 0.9


def test_the_parts_that_the_readme_names_need_no_import_of_their_own():
    named = sorted(set(re.findall(r"`(infwalk\.(?:evaluate|datasets)\.\w+)", README)))
    assert named
    code = f"import infwalk; {'; '.join(named)}"
    subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=ROOT, check=True)


def test_the_reader_of_the_readme_sees_a_missing_package():
    commands, code = first_example("```sh\npip install .\n```\n```python\nimport networkx.x\n```\n")
    assert imported(code) - installed(commands) == {"networkx"}
