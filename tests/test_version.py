"""``infwalk.__version__`` is the one source of the version; the changelog and citation agree."""

import re
import tomllib
from pathlib import Path

import infwalk

ROOT = Path(__file__).resolve().parents[1]

PUBLIC_VERSION = re.compile(r"(?P<release>\d+\.\d+\.\d+)(?P<dev>\.dev\d+)?")


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def version_problems(version, changelog, citation):
    """Compare the version with the changelog and the citation.

    Before a release (``1.2.0.dev0``) both are silent about it. At a release (``1.2.0``) both name
    it, and the changelog dates it.
    """
    match = PUBLIC_VERSION.fullmatch(version)
    if match is None:
        return [f"{version} is neither X.Y.Z nor X.Y.Z.devN"]
    headings = re.findall(r"^## \[(.+?)\](.*)$", changelog, flags=re.MULTILINE)
    if not headings or headings[0][0] != "Unreleased":
        return ["CHANGELOG.md does not begin with the section [Unreleased]"]
    problems = []
    releases = dict(headings[1:])
    cited = re.findall(r"^version: *(\S+)$", citation, flags=re.MULTILINE)
    if match["dev"]:
        if match["release"] in releases:
            problems.append(f"CHANGELOG.md lists {match['release']}, which is not released")
        if any(name not in releases for name in cited):
            problems.append(f"CITATION.cff names {cited}, which is not released")
    else:
        if next(iter(releases), None) != version:
            problems.append(f"the newest release in CHANGELOG.md is not {version}")
        elif not re.fullmatch(r" - \d{4}-\d\d-\d\d", releases[version]):
            problems.append(f"CHANGELOG.md does not date {version} as ' - YYYY-MM-DD'")
        if cited != [version]:
            problems.append(f"CITATION.cff names {cited}, not {version}")
    return problems


def test_changelog_and_citation_agree_with_the_version():
    changelog, citation = text("CHANGELOG.md"), text("CITATION.cff")
    assert version_problems(infwalk.__version__, changelog, citation) == []


def test_the_build_reads_the_version_from_the_module():
    project = tomllib.loads(text("pyproject.toml"))
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["hatch"]["version"] == {"path": "infwalk/__init__.py"}


def test_a_development_version_is_not_announced():
    log = "## [Unreleased]\n\n## [1.2.0] - 2027-01-01\n"
    assert version_problems("1.3.0.dev0", log, "version: 1.2.0\n") == []
    assert version_problems("1.3.0.dev0", log, "") == []
    assert len(version_problems("1.3.0.dev0", log, "version: 1.3.0\n")) == 1
    assert len(version_problems("1.2.0.dev0", log, "")) == 1
    assert len(version_problems("1.3", log, "")) == 1


def test_a_release_is_announced_and_dated():
    citation = "version: 1.2.0\n"
    log = "## [Unreleased]\n\n## [1.2.0] - 2027-01-01\n\n## [1.1.0] - 2026-12-01\n"
    assert version_problems("1.2.0", log, citation) == []
    assert len(version_problems("1.2.0", log.replace(" - 2027-01-01", ""), citation)) == 1
    assert len(version_problems("1.2.0", log, "")) == 1
    assert len(version_problems("1.2.0", log.replace("## [Unreleased]\n", ""), citation)) == 1
    assert len(version_problems("1.3.0", log, "version: 1.3.0\n")) == 1
