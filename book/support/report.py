"""The paper's numbers and claims next to ours, each with a verdict.

The paper's numbers, as printed, are in ``published.json``. Ours are in ``book/results``.
"""

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np

from support import claims, scores
from support.claims import FAILS, HOLDS, Note, Row
from support.stored import METHODS, NETWORKS, published, result
from support.tables import Link, Table

EDGE_RULES = {
    "blogcatalog": "edges without loops",
    "ppi": "stored entries",
    "wikipedia": "stored entries",
}
"""The rule by which the paper counts edges. The consistent convention uses the first."""

LAST_DIGIT = 0.01
"""One unit in the last printed digit of NetMF's scores."""

AGREES, UNSTATED, DIFFERS = "agrees", "agrees by unstated rules", "differs"
"""Verdicts on a number. The verdicts on a claim are in :mod:`support.claims`."""

CLOSE, SIMILAR_SHAPE, SIMILAR_RATIO = 0.05, 0.1, 2.0
"""Bounds of our tests: relative error, distance of two shapes, largest ratio to smallest."""


class Number(NamedTuple):
    """A number as the paper prints it, and ours under the paper's and the consistent convention."""

    table: int
    network: str
    name: str
    printed: str
    paper: float
    consistent: float

    @property
    def verdict(self) -> str:
        """Whether ours, under the paper's convention, rounds to the printed digits."""
        if self.rounded(self.paper) != self.printed:
            return DIFFERS
        same = self.rounded(self.consistent) == self.printed
        return AGREES if same else UNSTATED

    def rounded(self, value: float) -> str:
        """Return a number with as many decimals as the printed one."""
        decimals = len(self.printed.partition(".")[2])
        return f"{value:,.{decimals}f}"

    def difference(self, value: float) -> str:
        """Return the relative difference of a number from the printed one."""
        if self.rounded(value) == self.printed:
            return "0"
        share = value / float(self.printed.replace(",", "")) - 1
        return f"{share:+.1%}".replace("-", "−")


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
    ours = result("networks", network)
    counts = ours["largest component"]
    nodes, labels, fiedler = counts["nodes"], ours["labels"], ours["fiedler"]["loops dropped"]
    edges = counts[EDGE_RULES[network]], counts["edges without loops"]
    yield Number(1, network, "nodes", printed["nodes"], nodes, nodes)
    yield Number(1, network, "edges", printed["edges"], *edges)
    yield Number(1, network, "Fiedler value", printed["fiedler"], fiedler, fiedler)
    yield Number(1, network, "labels", printed["labels"], labels, labels)


def _table_2(network: str, printed: dict[str, dict[str, str]]) -> Iterator[Number]:
    ours = result("approximation", network)
    for kind in ("error", "ramped"):
        for window, text in printed[kind].items():
            by = (ours[name][f"T={window}"][kind] for name in ("paper", "consistent"))
            yield Number(2, network, f"{kind}, T = {window}", text, *by)


class Entry(NamedTuple):
    """A line of the scorecard: a number or a claim of the paper, ours, and the verdict.

    ``ours`` and ``verdict`` are those of the algorithm as printed, on the graph without loops. A
    claim's ``otherwise`` is its verdict by the rules of the authors' demo; a number's is the number
    by the rules under which the paper's comes out.
    """

    group: str
    where: str
    networks: tuple[str, ...]
    item: str
    printed: str
    ours: str
    verdict: str
    otherwise: str
    note: Note | None


_EDGES = Note("stored entries are counted", "networks.html#table-1-number-by-number")
_MIXED = Note("volume and degrees with loops", "approximation.html#the-convention-behind-the-table")
_LEFT = Note("no convention tried gives it", "approximation.html#the-one-that-is-left")


def scorecard() -> list[Entry]:
    """Return all numbers and all claims of the paper's experiments."""
    return [*map(_number_entry, numbers()), *_claim_entries()]


def _number_entry(number: Number) -> Entry:
    notes = {AGREES: None, UNSTATED: _EDGES if number.table == 1 else _MIXED, DIFFERS: _LEFT}
    return Entry(
        group=f"Table {number.table}",
        where=f"Table {number.table}",
        networks=(number.network,),
        item=f"{NETWORKS[number.network]}, {number.name}".replace(" = ", "\u00a0=\u00a0"),
        printed=number.printed,
        ours=number.rounded(number.consistent),
        verdict=number.verdict,
        otherwise=number.rounded(number.paper),
        note=notes[number.verdict],
    )


def _claim_entries() -> Iterator[Entry]:
    groups = {
        "Approximation": (network_claims(), network_claims()),
        "Classification": tuple(map(claims.assess, ("consistent", "paper"))),
        "Elements": tuple(map(element_claims, ("consistent", "paper"))),
    }
    approximation = tuple(map(approximation_claims, ("consistent", "paper")))
    groups["Approximation"] = tuple(
        one + other for one, other in zip(groups["Approximation"], approximation, strict=True)
    )
    for group, (printed, demo) in groups.items():
        for row, other in zip(printed, demo, strict=True):
            binarized = row.claim.startswith(("binarized", "q ="))
            yield Entry(
                group="Binarizing" if binarized else group,
                where=f"Section {row.where}",
                networks=row.networks,
                item=row.claim,
                printed="",
                ours=row.found.replace("; ", "\n"),
                verdict=row.verdict,
                otherwise=other.verdict,
                note=row.note,
            )


def scorecard_table(entries: Iterable[Entry]) -> Table:
    """Return the scorecard as a table whose rows carry group, network and verdict as data."""
    # The verdict stands where a phone shows it without scrolling sideways.
    header = ("where", "what the paper prints or says", "verdict", "ours", "by other rules", "note")
    entries = list(entries)
    rows = (
        (
            each.where,
            f"{each.item}: {each.printed}" if each.printed else each.item,
            each.verdict,
            each.ours,
            each.otherwise,
            Link(*each.note) if each.note else "",
        )
        for each in entries
    )
    attributes = (
        {
            "kind": "number" if each.printed else "claim",
            "table": each.group,
            "network": " ".join(each.networks),
            "verdict": each.verdict,
        }
        for each in entries
    )
    return Table(header, rows, attributes)


class Searched(NamedTuple):
    """How many combinations of conventions were tried for Table 2, and how many give its numbers.

    ``errors`` agree with the two printed errors, ``everything`` also with the shares of ramped
    entries. ``conventions`` are those of M_T, of M_infinity and of the norm that give everything.
    """

    total: int
    errors: int
    everything: int
    conventions: list[tuple[list[str], list[str], str]]


def searched(network: str) -> Searched:
    """Return the outcome of the search on a network with self-loops."""
    found = result("search", network)
    printed = published()["tables"]["approximation"][network]
    agree: dict[str, np.ndarray] = {}
    for name in found["norms"]:
        flags = (
            _as_printed(found[f"T={window}"]["error"][name], text)
            for window, text in printed["error"].items()
        )
        agree[name] = np.logical_and.reduce(list(flags))
    ramped = np.logical_and.reduce(
        [
            _as_printed(found[f"T={window}"]["ramped"], text)
            for window, text in printed["ramped"].items()
        ]
    )
    everything = [
        (found["finite"][i], found["limit"][j], name)
        for name, flags in agree.items()
        for i, j in np.argwhere(flags & ramped)
    ]
    total = sum(flags.size for flags in agree.values())
    return Searched(total, int(sum(map(np.sum, agree.values()))), len(everything), everything)


def _as_printed(table: list[list[float]], text: str) -> np.ndarray:
    """Which numbers of a table round to the printed one."""
    decimals = len(text.partition(".")[2])
    return np.array([[f"{value:.{decimals}f}" == text for value in row] for row in table])


class Score(NamedTuple):
    """An F1 score that NetMF's authors print, and the mean and deviation of ours over splits."""

    network: str
    method: str
    metric: str
    printed: str
    mean: float
    std: float

    @property
    def verdict(self) -> str:
        """Whether ours rounds to the printed score, or how many standard deviations it is off."""
        if f"{self.mean:.2f}" == self.printed:
            return "agrees"
        off = abs(self.mean - float(self.printed))
        if off <= LAST_DIGIT:
            return "differs in the last digit"
        deviations = off / self.std
        return "within one deviation" if deviations <= 1 else f"off by {deviations:.1f} deviations"


def netmf_scores() -> list[Score]:
    """Return the scores that NetMF's authors print at one training ratio, next to ours."""
    printed = published()["netmf"]
    found_scores = []
    for network in NETWORKS:
        for method, by_metric in printed[network].items():
            ours = scores.load(network, method, "consistent")
            row = ours.train_ratios.index(printed["train_ratio"])
            for metric, text in by_metric.items():
                mean, std = (getattr(ours, f"{metric}_{what}")[row] for what in ("mean", "std"))
                found_scores.append(Score(network, method, metric, text, mean, std))
    return found_scores


def assess_claims(convention: str = "consistent") -> list[Row]:
    """Return the claims in the paper's text about its experiments, each with a verdict."""
    return [
        *network_claims(),
        *approximation_claims(convention),
        *claims.assess(convention),
        *element_claims(convention),
    ]


def network_claims() -> list[Row]:
    """Return the claims about the networks."""
    counts = {part: result("networks", "ppi")[part] for part in ("published", "largest component")}
    share = counts["largest component"]["nodes"] / counts["published"]["nodes"]
    second = {
        network: result("networks", network)["fiedler"]["loops dropped"] for network in NETWORKS
    }
    return [
        Row(
            "PPI: the largest component “has over 99% of the nodes”",
            "4.1",
            f"{share:.2%}",
            _holds(share > 0.99),
            ("ppi",),
        ),
        Row(
            "the Fiedler values are “bounded away from 1”, “relatively small”",
            "5.1",
            _by_network({network: f"{value:.3f}" for network, value in second.items()}),
            _holds(max(second.values()) <= 0.9),
        ),
    ]


def approximation_claims(convention: str = "consistent") -> list[Row]:
    """Return the claims about the approximation of a finite window."""
    ours = {network: result("approximation", network)[convention] for network in NETWORKS}
    error = {T: {n: each[f"T={T}"]["error"] for n, each in ours.items()} for T in (1, 10)}
    ramped = {network: each["T=10"]["ramped"] for network, each in ours.items()}
    return [
        Row(
            "the approximation is “quite close at T = 10”",
            "5.1",
            _by_network({network: f"error {value:.2%}" for network, value in error[10].items()}),
            _holds(max(error[10].values()) <= CLOSE),
        ),
        Row(
            "“but not so at T = 1”",
            "5.1",
            _by_network({network: f"error {value:.0%}" for network, value in error[1].items()}),
            _holds(min(error[1].values()) >= 1),
        ),
        Row(
            "at T = 10 the ramp cuts off nearly the same elements of both",
            "5.1",
            _by_network({n: f"{value:.3%} are cut off in one only" for n, value in ramped.items()}),
            _holds(max(ramped.values()) <= CLOSE),
        ),
    ]


def element_claims(convention: str = "consistent") -> list[Row]:
    """Return the claims about the elements of the limiting matrix."""
    ours = {network: result("elements", network)[convention]["all"] for network in NETWORKS}
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
            _holds(all(negative[n] > 0.5 and lowest[n] < high[n] for n in ours)),
        ),
        Row(
            "“as well as some large positive values”",
            "5.2",
            _by_network({n: f"one in a hundred is above {high[n]:.1f}" for n in ours}),
            _holds(all(lowest[n] < high[n] for n in ours)),
        ),
        Row(
            "the distributions “have similar shapes”",
            "5.2",
            "largest distance of two, scaled to one median: "
            + ", ".join(f"{sign} {value:.3f}" for sign, value in apart.items()),
            _holds(max(apart.values()) <= SIMILAR_SHAPE),
        ),
        Row(
            "“roughly the same ratios of negative values to positive values”",
            "5.2",
            _by_network({n: f"{value:.2f}" for n, value in ratio.items()})
            + f"; largest to smallest {spread:.2f}",
            _holds(spread <= SIMILAR_RATIO),
        ),
    ]


def shape_distance(one: list[int], other: list[int]) -> float:
    """Return the distance of two histograms over the same logarithmic bins, up to scale.

    The Kolmogorov-Smirnov distance after shifting both to the same median.
    """
    edges = np.arange(len(one) + 1.0)
    steps = np.linspace(-len(one), len(one), 20 * len(one) + 1)
    shares = []
    for counts in (one, other):
        share = np.concatenate([[0], np.cumsum(counts)]) / np.sum(counts)
        shares.append(np.interp(steps + np.interp(0.5, share, edges), edges, share))
    return float(np.abs(shares[0] - shares[1]).max())


def cost_table() -> Table:
    """Return the cost of each method on each network: seconds (embedding of total) and memory."""
    rows = []
    for method, name in METHODS.items():
        row = [name]
        for network in NETWORKS:
            measured = scores.record(network, method)["provenance"]["measured"]
            row += [
                f"{measured['seconds_embedding']:.0f} of {measured['seconds']:.0f}",
                f"{measured['peak_memory_mb']:,d}",
            ]
        rows.append(row)
    header = ["", *(f"{name}, {what}" for name in NETWORKS.values() for what in ("s", "MB"))]
    return Table(header, rows)


def _holds(condition: bool) -> str:
    return HOLDS if condition else FAILS


def _by_network(words: dict[str, str]) -> str:
    return "; ".join(f"{NETWORKS[network]} {each}" for network, each in words.items())
