"""The paper's claims about classification, and the rule that gives each a verdict.

A claim is a relation between two methods. It is tested at every training ratio and in both
measures, on the differences over the same splits. It holds if at least nine comparisons in ten
agree with it, and in part if at least half do.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from infwalk.evaluate import TRAIN_RATIOS
from support import scores
from support.stored import DATASETS, INFINITEWALK, METRICS, NETMF, NETWORKS
from support.tables import NBSP, signed_points

MATCHING, NEAR = 1.0, 2.0
"""F1 points within which two methods match, and within which one is nearly on par."""

MOST, HALF = 0.9, 0.5
"""Share of agreeing comparisons from which a claim holds, and from which it holds in part."""


class Row(NamedTuple):
    """A claim of the paper, its section, our finding and the verdict."""

    claim: str
    where: str
    found: str
    verdict: str


RELATIONS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "better": lambda mean, std: mean > std,
    "worse": lambda mean, std: mean < -std,
    "not worse": lambda mean, std: mean >= -std,
    "matches": lambda mean, std: np.abs(mean) <= np.maximum(std, MATCHING),
    "nearly on par": lambda mean, std: mean >= -NEAR,
    "slightly worse": lambda mean, std: (mean >= -NEAR) & (mean <= std),
}
"""Tests of the mean and standard deviation, over splits, of a paired difference."""


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

    def assess(self, convention: str) -> Row:
        """Test the relation for every pair, in every measure, at every training ratio."""
        rows = [TRAIN_RATIOS.index(ratio) for ratio in self.ratios]
        agree: dict[str, list[bool]] = {}
        points: dict[tuple[str, str], list[float]] = {}
        for pair in self.pairs:
            for metric in self.metrics:
                difference = scores.gain(*pair, metric, convention)[rows]
                mean, std = difference.mean(axis=1), difference.std(axis=1)
                agree.setdefault(pair.network, []).extend(RELATIONS[self.relation](mean, std))
                points.setdefault((pair.network, metric), []).extend(mean)
        found = (
            f"{NETWORKS[network]} {sum(flags)} of {len(flags)} ("
            + ", ".join(
                f"{m}{NBSP}{signed_points(np.mean(points[network, m]), 1)}" for m in self.metrics
            )
            + ")"
            for network, flags in agree.items()
        )
        return Row(self.words, self.where, "; ".join(found), verdict(agree.values()))


def assess(convention: str = "paper") -> list[Row]:
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


def verdict(agree: Iterable[Sequence[bool]]) -> str:
    """Return the verdict on a claim from the outcomes of its comparisons, by network."""
    share = np.mean([flag for flags in agree for flag in flags])
    return "holds" if share >= MOST else "holds in part" if share >= HALF else "does not hold"


def share_of_gain(network: str, metric: str, convention: str = "paper") -> np.ndarray:
    """Return the share of NetMF's lead over the adjacency matrix that the binarized matrix reaches.

    One share per training ratio, from means over splits.
    """
    binarized = scores.gain(network, "binarized", "adjacency", metric, convention).mean(axis=1)
    netmf = scores.gain(network, NETMF[network], "adjacency", metric, convention).mean(axis=1)
    return binarized / netmf


def _share_of_gain(words: str, where: str, networks: Iterable[str], convention: str) -> Row:
    shares = {n: {m: share_of_gain(n, m, convention) for m in METRICS} for n in networks}
    agree = {n: np.concatenate(list(by.values())) > HALF for n, by in shares.items()}
    found = (
        f"{NETWORKS[n]} {sum(agree[n])} of {len(agree[n])} (share of the gain: "
        + ", ".join(f"{m} {np.mean(shares[n][m]):.0%}" for m in METRICS)
        + ")"
        for n in shares
    )
    return Row(words, where, "; ".join(found), verdict(agree.values()))


def _especially_macro(convention: str) -> Row:
    """Test whether binarization loses a larger share of NetMF's macro-F1 than of its micro-F1."""
    loss = {
        metric: -scores.gain("wikipedia", "binarized", "netmf-1", metric, convention).mean(axis=1)
        / getattr(scores.load("wikipedia", "netmf-1", convention), metric).mean(axis=1)
        for metric in METRICS
    }
    agree = loss["macro"] > loss["micro"]
    found = ", ".join(f"{metric} {np.mean(loss[metric]):.0%}" for metric in METRICS)
    return Row(
        "binarized, Wikipedia: “especially on Macro-F1”",
        "5.2",
        f"Wikipedia {sum(agree)} of {len(agree)} (share lost: {found})",
        verdict([agree]),
    )


def _quantiles() -> Row:
    """Test whether the paper's quantiles score as well as the best of our sweep."""
    agree = {network: list(_as_good_as_best(network)) for network in NETWORKS}
    found = (
        f"{NETWORKS[network]} {sum(flags)} of {len(flags)}" for network, flags in agree.items()
    )
    return Row(
        "q = 0.95, 0.95 and 0.5 are “the best values” of a rough grid",
        "4.3",
        "; ".join(found),
        verdict(agree.values()),
    )


def _as_good_as_best(network: str) -> Iterator[bool]:
    found = scores.load_sweep(network)
    chosen = found[DATASETS[network].quantile]
    for metric in METRICS:
        for row in range(len(chosen.train_ratios)):
            best = found[scores.best_quantile(found, metric, row)]
            difference = (getattr(chosen, metric) - getattr(best, metric))[row]
            yield bool(difference.mean() >= -difference.std())


def _pairs(networks: Iterable[str], ours: Iterable[str], theirs: Iterable) -> tuple[Pair, ...]:
    theirs = list(theirs)
    return tuple(Pair(n, mine, other) for n in networks for mine in ours for other in theirs)


_LONG, _SHORT = ("blogcatalog", "ppi"), ("wikipedia",)

CLAIMS = (
    Claim(
        "NetMF and InfiniteWalk “on par with or outperform” LINE and DeepWalk",
        "5.2",
        "not worse",
        tuple(
            Pair(network, method, sampled)
            for network in NETWORKS
            for method in (NETMF[network], INFINITEWALK[network])
            for sampled in ("deepwalk", "line")
        ),
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
        "slightly worse",
        tuple(Pair(network, INFINITEWALK[network], NETMF[network]) for network in NETWORKS),
    ),
    Claim(
        "BlogCatalog: InfiniteWalk “underperforms relative to NetMF”",
        "5.2",
        "worse",
        (Pair("blogcatalog", "infinitewalk-10", "netmf-10-rank256"),),
    ),
    Claim(
        "PPI: InfiniteWalk “outperforms NetMF when less than half the data is used”",
        "5.2",
        "better",
        (Pair("ppi", "infinitewalk-10", "netmf-10-rank256"),),
        ratios=TRAIN_RATIOS[:4],
    ),
    Claim(
        "PPI: InfiniteWalk “underperforms when given more training data”",
        "5.2",
        "worse",
        (Pair("ppi", "infinitewalk-10", "netmf-10-rank256"),),
        ratios=TRAIN_RATIOS[5:],
    ),
    Claim(
        "Wikipedia: InfiniteWalk below NetMF on macro-F1",
        "5.2",
        "worse",
        (Pair("wikipedia", "infinitewalk-1", "netmf-1"),),
        metrics=("macro",),
    ),
    Claim(
        "Wikipedia: InfiniteWalk above NetMF on micro-F1",
        "5.2",
        "better",
        (Pair("wikipedia", "infinitewalk-1", "netmf-1"),),
        metrics=("micro",),
    ),
    Claim(
        "T = 10: InfiniteWalk “performs similarly” to NetMF, which it approximates",
        "5.1",
        "matches",
        _pairs(NETWORKS, ("infinitewalk-10",), ("netmf-10",)),
    ),
    Claim(
        "T = 1: InfiniteWalk “performs competitively, in spite of inaccurate approximation”",
        "5.1",
        "nearly on par",
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
    ),
    Claim(
        "both Laplacians “perform poorly”: worse than the adjacency matrix",
        "4.3",
        "worse",
        _pairs(NETWORKS, ("laplacian", "normalized-laplacian"), ("adjacency",)),
    ),
    Claim(
        "binarized, PPI: “matches the performance of NetMF”",
        "5.2",
        "matches",
        (Pair("ppi", "binarized", NETMF["ppi"]),),
    ),
    Claim(
        "binarized, BlogCatalog: “nearly on par” with NetMF",
        "5.2",
        "nearly on par",
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
        "nearly on par",
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
