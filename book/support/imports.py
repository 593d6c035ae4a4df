"""Which part of ``infwalk`` imports which, read from the source without running it.

The architecture page draws the result, and ``tests/test_layout.py`` checks it against `ORDER`.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "infwalk"

# A part is a file or a folder at the top of the package; ``__init__`` is the public API. Each part
# may import only from the parts before it.
ORDER = (
    "_utils",
    "linalg",
    "interop",
    "graph",
    "walk",
    "laplacian",
    "nonlinearity",
    "base",
    "matrices",
    "landmarks",
    "embedding",
    "directed",
    "readback",
    "second_order",
    "sampled",
    "evaluate",
    "datasets",
    "__init__",
    "cli",
)


def module_paths(package: Path = PACKAGE) -> dict[str, Path]:
    """Return the source file of every module, by the module's dotted name."""
    paths = {}
    for path in sorted(package.rglob("*.py")):
        names = path.relative_to(package.parent).with_suffix("").parts
        paths[".".join(names[:-1] if names[-1] == "__init__" else names)] = path
    return paths


def module_imports(package: Path = PACKAGE) -> dict[str, set[str]]:
    """Return the modules of the package that each of its modules imports.

    Imports inside functions count, and so does ``import_module`` with a literal name.
    """
    paths = module_paths(package)
    return {
        module: {
            found
            for name in _imported_names(module, path)
            if (found := _enclosing_module(name, paths)) is not None
        }
        for module, path in paths.items()
    }


def part_imports(package: Path = PACKAGE) -> dict[str, set[str]]:
    """Return the parts that each part imports, other than itself."""
    parts: dict[str, set[str]] = {}
    for module, imported in module_imports(package).items():
        parts.setdefault(part_of(module), set()).update(map(part_of, imported))
    return {part: imported - {part} for part, imported in parts.items()}


def part_of(module: str) -> str:
    """Return the part that a module belongs to: ``linalg`` for ``infwalk.linalg.eigen``."""
    _, *below = module.split(".")
    return below[0] if below else "__init__"


def summaries(package: Path = PACKAGE) -> dict[str, str]:
    """Return the first line of the docstring of every part."""
    return {
        part_of(module): (ast.get_docstring(_parse(path)) or "").partition("\n")[0]
        for module, path in module_paths(package).items()
        if module.count(".") < 2
    }


def _parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _imported_names(module: str, path: Path) -> Iterator[str]:
    """Yield the dotted name of everything that a module imports."""
    for node in ast.walk(_parse(path)):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=source, names=names, level=level):
                if level:
                    up = level - 1 if path.name == "__init__.py" else level
                    parents = module.split(".")[: len(module.split(".")) - up]
                    source = ".".join([*parents, source] if source else parents)
                yield from (f"{source}.{alias.name}" for alias in names)
            case ast.Call(
                func=ast.Name(id="import_module") | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                yield name


def _enclosing_module(name: str, paths: dict[str, Path]) -> str | None:
    """Return the module that a dotted name is, or is defined in; None outside the package."""
    while name not in paths and "." in name:
        name = name.rpartition(".")[0]
    return name if name in paths else None
