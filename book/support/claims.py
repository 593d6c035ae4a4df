"""The paper's claims about classification, and the rule that gives each a verdict.

A claim is a relation between two methods: a region for the difference of their scores. It is tested
at every training ratio and in both measures, on the differences over the same splits. A comparison
supports the claim if its corrected confidence interval lies in the region, contradicts it if the
two are disjoint, and is undecided otherwise.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import numpy as np

from infwalk.evaluate import TRAIN_RATIOS
from support import scores
from support.intervals import Interval, corrected_interval
from support.stored import DATASETS, INFINITEWALK, METRICS, NETMF, NETWORKS
from support.tables import NBSP, signed_points

MATCHING, NEAR = 1.0, 2.0
"""F1 points behind up to which a method is on par, and up to which it is nearly on par."""

MOST, HALF = 0.9, 0.5
"""Share of supporting among decided comparisons from which a claim holds, and holds in part."""

HOLDS, IN_PART, FAILS, OPEN = "holds", "holds in part", "does not hold", "undecided"
VERDICTS = (HOLDS, IN_PART, FAILS, OPEN)

RELATIONS: dict[str, tuple[float, float]] = {
    "better": (0, inf),
    "worse": (-inf, 0),
    "on par or better": (-MATCHING, inf),
    "nearly on par or better": (-NEAR, inf),
}
"""Regions of the difference, ours minus theirs, in F1 points."""


class Note(NamedTuple):
    """Why a claim or a number does not come out as printed, or when; and the page that shows it."""

    text: str
    page: str


class Row(NamedTuple):
    """A claim of the paper, its section, our finding, the verdict, and what to know about it."""

    claim: str
    where: str
    found: str
    verdict: str
    networks: tuple[str, ...] = tuple(NETWORKS)
    note: Note | None = None


class Tally(NamedTuple):
    """How many comparisons support a claim, contradict it, and decide nothing."""

    support: int
    contradict: int
    undecided: int

    def __add__(self, other: "Tally") -> "Tally":  # type: ignore[override]
        """Add the counts, not the tuples."""
        return Tally(*(a + b for a, b in zip(self, other, strict=True)))

    def __str__(self) -> str:
        """Return the three counts, as in 12 : 1 : 5, with no-break spaces."""
        return "\N{NARROW NO-BREAK SPACE}:\N{NARROW NO-BREAK SPACE}".join(map(str, self))


def tally(supports: np.ndarray, contradicts: np.ndarray) -> Tally:
    """Count the outcomes of comparisons."""
    support, contradict = int(np.sum(supports)), int(np.sum(contradicts))
    return Tally(support, contradict, int(np.size(supports)) - support - contradict)


def assess_relation(relation: str, interval: Interval) -> Tally:
    """Test a relation on every comparison of an interval."""
    region = RELATIONS[relation]
    return tally(interval.inside(*region), interval.outside(*region))


def verdict(tallies: Iterable[Tally]) -> str:
    """Return the verdict on a claim: by the decided comparisons, if at least half are decided."""
    total = sum(tallies, Tally(0, 0, 0))
    decided = total.support + total.contradict
    if decided < HALF * sum(total):
        return OPEN
    share = total.support / decided
    return HOLDS if share >= MOST else IN_PART if share >= HALF else FAILS


class Pair(NamedTuple):
    """Two methods on a network."""

    network: str
    ours: str
    theirs: str


@dataclass(frozen=True)
class Claim:
    """A quotation, and the relation that it asserts between pairs of methods."""

    words: str
    where: str
    relation: str
    pairs: tuple[Pair, ...]
    metrics: tuple[str, ...] = METRICS
    ratios: tuple[float, ...] = TRAIN_RATIOS
    note: Note | None = None

    def assess(self, convention: str) -> Row:
        """Test the relation for every pair, in every measure, at every training ratio."""
        rows = [TRAIN_RATIOS.index(ratio) for ratio in self.ratios]
        tallies: dict[str, Tally] = {}
        points: dict[tuple[str, str], list[float]] = {}
        for pair in self.pairs:
            for metric in self.metrics:
                interval = corrected_interval(
                    scores.gain(*pair, metric, convention)[rows], self.ratios
                )
                so_far = tallies.get(pair.network, Tally(0, 0, 0))
                tallies[pair.network] = so_far + assess_relation(self.relation, interval)
                points.setdefault((pair.network, metric), []).extend(interval.mean)
        found = (
            f"{NETWORKS[network]} {counts} ("
            + ", ".join(
                f"{m}{NBSP}{signed_points(np.mean(points[network, m]), 1)}" for m in self.metrics
            )
            + ")"
            for network, counts in tallies.items()
        )
        outcome = verdict(tallies.values())
        return Row(self.words, self.where, "; ".join(found), outcome, tuple(tallies), self.note)


def assess(convention: str = "consistent") -> list[Row]:
    """Return the paper's claims about classification, each with our finding and a verdict."""
    return [
        *(claim.assess(convention) for claim in CLAIMS),
        _share_of_gain(
            "binarized, BlogCatalog: “most of the improvement from the classical method”",
            "5.2",
            ("blogcatalog",),
            convention,
        ),
        _share_of_gain(
            "binarized: “most of the performance gain from classical approaches”, often",
            "6",
            NETWORKS,
            convention,
        ),
        _especially_macro(convention),
        _quantiles(),
    ]


def share_of_gain(network: str, metric: str, convention: str = "consistent") -> np.ndarray:
    """Return the share of NetMF's lead over the adjacency matrix that the binarized matrix reaches.

    One share per training ratio, from means over splits.
    """
    binarized, netmf = _gains_over_adjacency(network, metric, convention)
    return np.asarray(binarized.mean(axis=1) / netmf.mean(axis=1))


def _gains_over_adjacency(network: str, metric: str, convention: str) -> list[np.ndarray]:
    return [
        scores.gain(network, method, "adjacency", metric, convention)
        for method in ("binarized", NETMF[network])
    ]


def _share_of_gain(words: str, where: str, networks: Iterable[str], convention: str) -> Row:
    """Test whether the binarized matrix has more than half of NetMF's gain."""
    tallies, found = {}, []
    for network in networks:
        parts = [_gains_over_adjacency(network, metric, convention) for metric in METRICS]
        surplus = np.concatenate([binarized - HALF * netmf for binarized, netmf in parts])
        interval = corrected_interval(surplus, TRAIN_RATIOS * len(METRICS))
        tallies[network] = assess_relation("better", interval)
        shares = (f"{m} {share_of_gain(network, m, convention).mean():.0%}" for m in METRICS)
        found.append(f"{NETWORKS[network]} {tallies[network]} (share: {', '.join(shares)})")
    return Row(words, where, "; ".join(found), verdict(tallies.values()), tuple(tallies))


def _especially_macro(convention: str) -> Row:
    """Test whether binarization loses a larger share of NetMF's macro-F1 than of its micro-F1."""
    loss = {
        metric: -scores.gain("wikipedia", "binarized", "netmf-1", metric, convention)
        / getattr(scores.load("wikipedia", "netmf-1", convention), metric)
        for metric in METRICS
    }
    interval = corrected_interval(100 * (loss["macro"] - loss["micro"]), TRAIN_RATIOS)
    counts = assess_relation("better", interval)
    found = ", ".join(f"{metric} {np.mean(loss[metric]):.0%}" for metric in METRICS)
    return Row(
        "binarized, Wikipedia: “especially on Macro-F1”",
        "5.2",
        f"Wikipedia {counts} (share lost: {found})",
        verdict([counts]),
        ("wikipedia",),
    )


def _quantiles() -> Row:
    """Test whether the paper's quantiles are on par with the best of our sweep."""
    tallies = {network: _against_best(network) for network in NETWORKS}
    found = (f"{NETWORKS[network]} {counts}" for network, counts in tallies.items())
    return Row(
        "q = 0.95, 0.95 and 0.5 are “the best values” of a rough grid",
        "4.3",
        "; ".join(found),
        verdict(tallies.values()),
    )


def _against_best(network: str) -> Tally:
    found = scores.load_sweep(network)
    chosen = found[DATASETS[network].quantile]
    differences = []
    for metric in METRICS:
        for row in range(len(chosen.train_ratios)):
            best = found[scores.best_quantile(found, metric, row)]
            differences.append((getattr(chosen, metric) - getattr(best, metric))[row])
    interval = corrected_interval(differences, chosen.train_ratios * len(METRICS))
    return assess_relation("on par or better", interval)


def _pairs(networks: Iterable[str], ours: Iterable[str], theirs: Iterable) -> tuple[Pair, ...]:
    theirs = list(theirs)
    return tuple(Pair(n, mine, other) for n in networks for mine in ours for other in theirs)


_LONG, _SHORT = ("blogcatalog", "ppi"), ("wikipedia",)

_FACTOR = Note("the factor T of the demo decides", "report.html#the-demo-multiplies-by-the-window")
_TRUNCATION = Note("NetMF is truncated to rank 256", "classification.html#why-truncation-helps")
_SWAPPED = Note("found in the other measure", "classification.html#against-netmf")
_RAMP = Note("helps at T = 10, costs at T = 1", "classification.html#what-the-ramp-adds")
_SCALE = Note("at C = 1; mostly the scale of the rows", "rows.html")

CLAIMS = (
    Claim(
        "NetMF and InfiniteWalk “on par with or outperform” LINE and DeepWalk",
        "5.2",
        "on par or better",
        tuple(
            Pair(network, method, sampled)
            for network in NETWORKS
            for method in (NETMF[network], INFINITEWALK[network])
            for sampled in ("deepwalk", "line")
        ),
    ),
    Claim(
        "NetMF, “outperforming DeepWalk significantly”",
        "2.3",
        "better",
        tuple(Pair(network, NETMF[network], "deepwalk") for network in NETWORKS),
    ),
    Claim(
        "DeepWalk and NetMF T = 10 better than LINE and NetMF T = 1 on BlogCatalog and PPI",
        "5.2",
        "better",
        _pairs(_LONG, ("deepwalk", "netmf-10-rank256"), ("line", "netmf-1")),
    ),
    Claim(
        "“the inverse is true” for Wikipedia",
        "5.2",
        "worse",
        _pairs(_SHORT, ("deepwalk", "netmf-10-rank256"), ("line", "netmf-1")),
    ),
    Claim(
        "InfiniteWalk: T = 10 better than T = 1 on BlogCatalog and PPI",
        "5.2",
        "better",
        _pairs(_LONG, ("infinitewalk-10",), ("infinitewalk-1",)),
    ),
    Claim(
        "InfiniteWalk: “the inverse is true” for Wikipedia",
        "5.2",
        "worse",
        _pairs(_SHORT, ("infinitewalk-10",), ("infinitewalk-1",)),
    ),
    Claim(
        "factoring M∞ itself “performs poorly”: worse than InfiniteWalk at T = 1 and T = 10",
        "5.2",
        "worse",
        _pairs(NETWORKS, ("infinitewalk-inf",), ("infinitewalk-1", "infinitewalk-10")),
    ),
    Claim(
        "InfiniteWalk “competitive with if slightly inferior to NetMF”",
        "5.2",
        "nearly on par or better",
        tuple(Pair(network, INFINITEWALK[network], NETMF[network]) for network in NETWORKS),
    ),
    Claim(
        "BlogCatalog: InfiniteWalk “underperforms relative to NetMF”",
        "5.2",
        "worse",
        (Pair("blogcatalog", "infinitewalk-10", "netmf-10-rank256"),),
        note=_TRUNCATION,
    ),
    Claim(
        "PPI: InfiniteWalk “outperforms NetMF when less than half the data is used”",
        "5.2",
        "better",
        (Pair("ppi", "infinitewalk-10", "netmf-10-rank256"),),
        ratios=TRAIN_RATIOS[:4],
        note=_FACTOR,
    ),
    Claim(
        "PPI: InfiniteWalk “underperforms when given more training data”",
        "5.2",
        "worse",
        (Pair("ppi", "infinitewalk-10", "netmf-10-rank256"),),
        ratios=TRAIN_RATIOS[5:],
        note=_FACTOR,
    ),
    Claim(
        "Wikipedia: InfiniteWalk below NetMF on macro-F1",
        "5.2",
        "worse",
        (Pair("wikipedia", "infinitewalk-1", "netmf-1"),),
        metrics=("macro",),
        note=_SWAPPED,
    ),
    Claim(
        "Wikipedia: InfiniteWalk above NetMF on micro-F1",
        "5.2",
        "better",
        (Pair("wikipedia", "infinitewalk-1", "netmf-1"),),
        metrics=("micro",),
        note=_SWAPPED,
    ),
    Claim(
        "T = 10: InfiniteWalk “performs similarly” to NetMF, which it approximates",
        "5.1",
        "on par or better",
        _pairs(NETWORKS, ("infinitewalk-10",), ("netmf-10-rank256",)),
        note=_TRUNCATION,
    ),
    Claim(
        "T = 1: InfiniteWalk “performs competitively, in spite of inaccurate approximation”",
        "5.1",
        "nearly on par or better",
        _pairs(NETWORKS, ("infinitewalk-1",), ("netmf-1",)),
    ),
    Claim(
        "a small ε in the ramp “consistently performs better” than NetMF's 1",
        "3.2",
        "better",
        tuple(
            Pair(network, f"infinitewalk-{window}", f"infinitewalk-{window}-ramp1")
            for network in NETWORKS
            for window in (1, 10)
        ),
        note=_RAMP,
    ),
    Claim(
        "both Laplacians “perform poorly”: worse than the adjacency matrix",
        "4.3",
        "worse",
        _pairs(NETWORKS, ("laplacian", "normalized-laplacian"), ("adjacency",)),
        note=_SCALE,
    ),
    Claim(
        "binarized, PPI: “matches the performance of NetMF”",
        "5.2",
        "on par or better",
        (Pair("ppi", "binarized", NETMF["ppi"]),),
    ),
    Claim(
        "binarized, BlogCatalog: “nearly on par” with NetMF",
        "5.2",
        "nearly on par or better",
        (Pair("blogcatalog", "binarized", NETMF["blogcatalog"]),),
    ),
    Claim(
        "binarized, Wikipedia: “still improves on the classical method”",
        "5.2",
        "better",
        (Pair("wikipedia", "binarized", "adjacency"),),
    ),
    Claim(
        "binarized: “competitive with DeepWalk and the method of Qiu et al. on many tasks”",
        "1",
        "nearly on par or better",
        tuple(
            Pair(network, "binarized", other)
            for network in NETWORKS
            for other in ("deepwalk", NETMF[network])
        ),
    ),
    Claim(
        "binarized, Wikipedia: “less successful” than NetMF",
        "5.2",
        "worse",
        (Pair("wikipedia", "binarized", "netmf-1"),),
    ),
)
