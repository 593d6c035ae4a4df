"""The numbers and claims of the paper beside ours, each with a verdict.

What the paper prints is in ``published.json``, as it is printed; what we find is in ``results/``.
"""

import json
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from support import results
from support.records import read
from support.results import NETWORKS, Row, Table

PUBLISHED = Path(__file__).resolve().parent / "published.json"

EDGE_RULES = {
    "blogcatalog": "edges without loops",
    "ppi": "stored entries",
    "wikipedia": "stored entries",
}
"""By which rule the paper counts edges; the consistent one is the first."""

LAST_DIGIT = 0.01
"""Of the scores that NetMF's authors print."""

CLOSE, SIMILAR_SHAPE, SIMILAR_RATIO = 0.05, 0.1, 2.0
"""What a claim asks for at least: of a relative error, a distance of shapes, a ratio of ratios."""


class Number(NamedTuple):
    """A number as the paper prints it, and the same by its rules and by consistent ones."""

    table: int
    network: str
    name: str
    printed: str
    paper: float
    consistent: float

    @property
    def verdict(self) -> str:
        """Whether ours, by the paper's rules, rounds to the digits that it prints."""
        if self.rounded(self.paper) != self.printed:
            return "differs"
        same = self.rounded(self.consistent) == self.printed
        return "agrees" if same else "its rules only"

    def rounded(self, value: float) -> str:
        """Return a number with as many decimals as the printed one has."""
        decimals = len(self.printed.partition(".")[2])
        return f"{value:,.{decimals}f}"

    def difference(self, value: float) -> str:
        """Return how far a number is from the printed one, as a share of it."""
        if self.rounded(value) == self.printed:
            return "0"
        share = value / float(self.printed.replace(",", "")) - 1
        return f"{share:+.1%}".replace("-", "−")


def published() -> dict:
    """Return what the paper and its predecessor print."""
    return json.loads(PUBLISHED.read_text(encoding="utf-8"))


def found(experiment: str, network: str) -> dict:
    """Return the result of an experiment that is one file per network."""
    return read(results.FOLDER / experiment / f"{network}.json")["result"]


def numbers() -> list[Number]:
    """Return every number of the paper's two tables."""
    tables = published()["tables"]
    return [
        *(row for network in NETWORKS for row in _table_1(network, tables["networks"][network])),
        *(
            row
            for network in NETWORKS
            for row in _table_2(network, tables["approximation"][network])
        ),
    ]


def _table_1(network: str, printed: dict[str, str]) -> Iterator[Number]:
    ours = found("networks", network)
    counts = ours["largest component"]
    nodes, labels, fiedler = counts["nodes"], ours["labels"], ours["fiedler"]["loops dropped"]
    edges = counts[EDGE_RULES[network]], counts["edges without loops"]
    yield Number(1, network, "nodes", printed["nodes"], nodes, nodes)
    yield Number(1, network, "edges", printed["edges"], *edges)
    yield Number(1, network, "Fiedler value", printed["fiedler"], fiedler, fiedler)
    yield Number(1, network, "labels", printed["labels"], labels, labels)


def _table_2(network: str, printed: dict[str, dict[str, str]]) -> Iterator[Number]:
    ours = found("approximation", network)
    for kind in ("error", "ramped"):
        for window, text in printed[kind].items():
            by = (ours[name][f"T={window}"][kind] for name in ("paper", "consistent"))
            yield Number(2, network, f"{kind}, T = {window}", text, *by)


def number_table(table: int) -> Table:
    """Return one of the paper's tables, number by number."""
    header = ("", "printed", "the paper's rules", "off by", "consistent", "off by", "verdict")
    rows = (
        (
            f"{NETWORKS[row.network]}, {row.name}".replace(" = ", "\u00a0=\u00a0"),
            row.printed,
            row.rounded(row.paper),
            row.difference(row.paper),
            row.rounded(row.consistent),
            row.difference(row.consistent),
            row.verdict,
        )
        for row in numbers()
        if row.table == table
    )
    return Table(header, rows)


class Score(NamedTuple):
    """An F1 score that NetMF's authors print, and ours over the splits."""

    network: str
    method: str
    metric: str
    printed: str
    mean: float
    std: float

    @property
    def verdict(self) -> str:
        """Whether ours rounds to what is printed, or how many standard deviations it is off."""
        if f"{self.mean:.2f}" == self.printed:
            return "agrees"
        off = abs(self.mean - float(self.printed))
        if off <= LAST_DIGIT:
            return "differs in the last digit"
        deviations = off / self.std
        return "within one deviation" if deviations <= 1 else f"off by {deviations:.1f} deviations"


def netmf_scores() -> list[Score]:
    """Return the scores that NetMF's authors print at one training ratio, beside ours."""
    printed = published()["netmf"]
    found_scores = []
    for network in NETWORKS:
        for method, by_metric in printed[network].items():
            ours = results.scores(network, method, "consistent")
            row = ours.train_ratios.index(printed["train_ratio"])
            for metric, text in by_metric.items():
                mean, std = (getattr(ours, f"{metric}_{what}")[row] for what in ("mean", "std"))
                found_scores.append(Score(network, method, metric, text, mean, std))
    return found_scores


def claims(convention: str = "paper") -> list[Row]:
    """Return what the paper claims in words about its experiments, each with a verdict."""
    return [
        *setup_claims(),
        *approximation_claims(convention),
        *results.claims(convention),
        *element_claims(convention),
    ]


def setup_claims() -> list[Row]:
    """Return the claims about the networks."""
    counts = {part: found("networks", "ppi")[part] for part in ("published", "largest component")}
    share = counts["largest component"]["nodes"] / counts["published"]["nodes"]
    second = {
        network: found("networks", network)["fiedler"]["loops dropped"] for network in NETWORKS
    }
    return [
        Row(
            "PPI: the largest component “has over 99% of the nodes”",
            "4.1",
            f"{share:.2%}",
            _word(share > 0.99),
        ),
        Row(
            "the Fiedler values are “bounded away from 1”, “relatively small”",
            "5.1",
            _by_network({network: f"{value:.3f}" for network, value in second.items()}),
            _word(max(second.values()) <= 0.9),
        ),
    ]


def approximation_claims(convention: str = "paper") -> list[Row]:
    """Return the claims about the approximation of a finite window."""
    ours = {network: found("approximation", network)[convention] for network in NETWORKS}
    error = {T: {n: each[f"T={T}"]["error"] for n, each in ours.items()} for T in (1, 10)}
    ramped = {network: each["T=10"]["ramped"] for network, each in ours.items()}
    return [
        Row(
            "the approximation is “quite close at T = 10”",
            "5.1",
            _by_network({network: f"error {value:.2%}" for network, value in error[10].items()}),
            _word(max(error[10].values()) <= CLOSE),
        ),
        Row(
            "“but not so at T = 1”",
            "5.1",
            _by_network({network: f"error {value:.0%}" for network, value in error[1].items()}),
            _word(min(error[1].values()) >= 1),
        ),
        Row(
            "at T = 10 the ramp cuts off nearly the same elements of both",
            "5.1",
            _by_network({n: f"{value:.3%} are cut off in one only" for n, value in ramped.items()}),
            _word(max(ramped.values()) <= CLOSE),
        ),
    ]


def element_claims(convention: str = "paper") -> list[Row]:
    """Return the claims about the elements of the limiting matrix."""
    ours = {network: found("elements", network)[convention]["all"] for network in NETWORKS}
    negative = {network: each["negative"] / each["elements"] for network, each in ours.items()}
    lowest = {network: -each["min"] for network, each in ours.items()}
    high = {network: each["quantiles"]["0.99"] for network, each in ours.items()}
    ratio = {network: each["negative to positive"] for network, each in ours.items()}
    spread = max(ratio.values()) / min(ratio.values())
    apart = {
        sign: max(
            shape_distance(one["histogram"][sign], other["histogram"][sign])
            for one, other in combinations(ours.values(), 2)
        )
        for sign in ("negative", "positive")
    }
    return [
        Row(
            "M∞ has “mostly small negative elements”",
            "5.2",
            _by_network({n: f"{negative[n]:.0%}, none below −{lowest[n]:.1f}" for n in ours}),
            _word(all(negative[n] > 0.5 and lowest[n] < high[n] for n in ours)),
        ),
        Row(
            "“as well as some large positive values”",
            "5.2",
            _by_network({n: f"one in a hundred is above {high[n]:.1f}" for n in ours}),
            _word(all(lowest[n] < high[n] for n in ours)),
        ),
        Row(
            "the distributions “have similar shapes”",
            "5.2",
            "largest distance of two, scaled to one median: "
            + ", ".join(f"{sign} {value:.3f}" for sign, value in apart.items()),
            _word(max(apart.values()) <= SIMILAR_SHAPE),
        ),
        Row(
            "“roughly the same ratios of negative values to positive values”",
            "5.2",
            _by_network({n: f"{value:.2f}" for n, value in ratio.items()})
            + f"; largest to smallest {spread:.2f}",
            _word(spread <= SIMILAR_RATIO),
        ),
    ]


def shape_distance(one: list[int], other: list[int]) -> float:
    """Return how far two histograms over the same logarithmic bins are apart, whatever their scale.

    The largest difference of the two distribution functions, moved so that their medians meet.
    """
    edges = np.arange(len(one) + 1.0)
    steps = np.linspace(-len(one), len(one), 20 * len(one) + 1)
    shares = []
    for counts in (one, other):
        share = np.concatenate([[0], np.cumsum(counts)]) / np.sum(counts)
        shares.append(np.interp(steps + np.interp(0.5, share, edges), edges, share))
    return float(np.abs(shares[0] - shares[1]).max())


def cost_table() -> Table:
    """Return what each method took on each network: seconds, of which to embed, and memory."""
    rows = []
    for method, name in results.METHODS.items():
        row = [name]
        for network in NETWORKS:
            measured = results.record(network, method)["provenance"]["measured"]
            row += [
                f"{measured['seconds_embedding']:.0f} of {measured['seconds']:.0f}",
                f"{measured['peak_memory_mb']:,d}",
            ]
        rows.append(row)
    header = ["", *(f"{name}, {what}" for name in NETWORKS.values() for what in ("s", "MB"))]
    return Table(header, rows)


def _word(holds: bool) -> str:
    return "holds" if holds else "does not hold"


def _by_network(words: dict[str, str]) -> str:
    return "; ".join(f"{NETWORKS[network]} {each}" for network, each in words.items())
