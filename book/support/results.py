"""What the chapters read from the results: scores, tables, and the paper's claims put to the test.

Files are read through :func:`support.records.read`, which refuses one that was changed.
"""

import html
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from experiments.cells import plan
from experiments.conventions import DATASETS

from infwalk.evaluate import TRAIN_RATIOS, Scores
from support.records import read

FOLDER = Path(__file__).resolve().parents[1] / "results"

OF_THE_PAPER = ("networks", "approximation", "classification", "sweep", "elements", "pinv")
"""The experiments that the report is about; others go past the paper."""

NETWORKS = {"blogcatalog": "BlogCatalog", "ppi": "PPI", "wikipedia": "Wikipedia"}
METHODS = {
    "infinitewalk-1": "InfiniteWalk, T = 1",
    "infinitewalk-10": "InfiniteWalk, T = 10",
    "infinitewalk-inf": "InfiniteWalk, T = ∞",
    "netmf-1": "NetMF, T = 1",
    "netmf-10-rank256": "NetMF, T = 10, rank 256",
    "netmf-10": "NetMF, T = 10, exact",
    "deepwalk": "DeepWalk",
    "line": "LINE",
    "node2vec": "node2vec",
    "infinitewalk-1-ramp1": "InfiniteWalk, T = 1, ramp 1",
    "infinitewalk-10-ramp1": "InfiniteWalk, T = 10, ramp 1",
    "binarized": "binarized L⁺",
    "adjacency": "adjacency",
    "normalized-laplacian": "Laplacian, normalized",
    "laplacian": "Laplacian, plain",
}
METRICS = ("micro", "macro")
SPACE = "\N{NO-BREAK SPACE}"

# The window that the paper takes for each network in its Figures 3 and 4.
WINDOWS = {"blogcatalog": 10, "ppi": 10, "wikipedia": 1}
NETMF = {
    network: "netmf-1" if window == 1 else "netmf-10-rank256" for network, window in WINDOWS.items()
}
INFINITEWALK = {network: f"infinitewalk-{window}" for network, window in WINDOWS.items()}

MATCHING, NEAR = 1.0, 2.0
"""F1 points within which two methods match, and within which one is nearly on par."""

MOST, HALF = 0.9, 0.5
"""Shares of the comparisons: a claim holds from the first on, and in part from the second on."""


def record(network: str, method: str, convention: str = "paper") -> dict:
    """Return what is stored of a method's classification: the result and its provenance."""
    for cell in plan(experiments=["classification"]):
        known = (cell.dataset, cell.method) == (network, method)
        if known and cell.convention in (convention, "both"):
            return read(FOLDER / cell.path)
    raise ValueError(f"no results of {method} on {network} under the convention {convention!r}")


def scores(network: str, method: str, convention: str = "paper") -> Scores:
    """Return the scores of a method: one row per training ratio, one column per split."""
    return _as_scores(record(network, method, convention)["result"])


def rows(network: str, method: str) -> dict[str, Scores]:
    """Return the scores by the rows, their own or of unit length, and by how C came about.

    The keys are ``"unit"``, ``"own, cv"`` and ``"unit, cv"``, and for methods of the classification
    ``"own"``, under the consistent convention.
    """
    found = _row_result(network, method)
    by_rows = {key: _as_scores(found[key]) for key in ("unit", "own, cv", "unit, cv")}
    return by_rows | ({"own": scores(network, method, "consistent")} if method in METHODS else {})


def row_lengths(network: str, method: str) -> dict:
    """Return what is stored of the lengths of an embedding's rows."""
    return _row_result(network, method)["lengths"]


def _row_result(network: str, method: str) -> dict:
    return read(FOLDER / "rows" / network / f"{method}@consistent.json")["result"]


def sweep(network: str) -> dict[float, Scores]:
    """Return the scores of the binarized pseudoinverse by quantile."""
    found = read(FOLDER / "sweep" / f"{network}.json")["result"]
    return {float(key.removeprefix("q=")): _as_scores(found[key]) for key in found}


def gain(
    network: str, ours: str, theirs: str, metric: str, convention: str = "paper"
) -> np.ndarray:
    """Return the score of one method less that of another, on the very same splits."""
    mine, other = (scores(network, method, convention) for method in (ours, theirs))
    return getattr(mine, metric) - getattr(other, metric)


def better_sampled(network: str) -> str:
    """Return which of DeepWalk and LINE scores higher, all ratios and both measures averaged."""
    return max(("deepwalk", "line"), key=lambda method: _overall(scores(network, method)))


def best_quantile(found: dict[float, Scores], metric: str, row: int) -> float:
    """Return the quantile of a sweep with the highest mean at one ratio, given by its row."""
    return max(found, key=lambda quantile: getattr(found[quantile], f"{metric}_mean")[row])


def _as_scores(result: dict) -> Scores:
    micro, macro = (np.array(result[metric]) for metric in METRICS)
    C = np.array(result["C"]) if "C" in result else None
    return Scores(tuple(result["train_ratios"]), micro=micro, macro=macro, C=C)


def _overall(found: Scores) -> float:
    return float(found.micro.mean() + found.macro.mean())


class Table:
    """A table that a notebook shows as HTML, and a terminal as text; entries may have lines."""

    def __init__(self, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        self.header = list(header)
        self.rows = [list(row) for row in rows]

    def _repr_html_(self) -> str:
        head = _html_row("th", self.header)
        body = "".join(_html_row("td", row) for row in self.rows)
        return (
            '<div class="pst-scrollable-table-container"><table class="table">'
            f"<thead>{head}</thead><tbody>{body}</tbody></table></div>"
        )

    def __repr__(self) -> str:
        """The table with aligned columns."""
        lines = [[entry.replace("\n", " | ") for entry in row] for row in (self.header, *self.rows)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        padded = (map(str.ljust, line, widths) for line in lines)
        return "\n".join("  ".join(line).rstrip() for line in padded)


def _html_row(tag: str, entries: Iterable[str]) -> str:
    escaped = (html.escape(entry).replace("\n", "<br>") for entry in entries)
    return "<tr>" + "".join(f"<{tag}>{entry}</{tag}>" for entry in escaped) + "</tr>"


def score_table(ratio: float, convention: str = "paper", methods: Iterable[str] = METHODS) -> Table:
    """Return the scores of methods on all networks at one training ratio, micro above macro."""
    row = TRAIN_RATIOS.index(ratio)

    def entry(network: str, method: str) -> str:
        found = scores(network, method, convention)
        return "\n".join(with_deviation(getattr(found, metric)[row], 2) for metric in METRICS)

    return Table(
        [f"micro and macro, {ratio:.0%}", *NETWORKS.values()],
        ([METHODS[m], *(entry(network, m) for network in NETWORKS)] for m in methods),
    )


def with_deviation(splits: np.ndarray, digits: int, signed: bool = False) -> str:
    """Return mean and standard deviation of scores, or of differences if signed, as one word."""
    mean = signed_points(splits.mean(), digits) if signed else f"{splits.mean():.{digits}f}"
    return f"{mean}{SPACE}±{SPACE}{splits.std():.{digits}f}"


def signed_points(value: float, digits: int) -> str:
    """Return a difference with its sign."""
    return f"{value:+z.{digits}f}".replace("-", "−")


class Row(NamedTuple):
    """A claim of the paper, where it stands, what the results say, and the verdict."""

    claim: str
    where: str
    found: str
    verdict: str


# Of the mean and the standard deviation over splits of a paired difference.
RELATIONS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "better": lambda mean, std: mean > std,
    "worse": lambda mean, std: mean < -std,
    "not worse": lambda mean, std: mean >= -std,
    "matches": lambda mean, std: np.abs(mean) <= np.maximum(std, MATCHING),
    "nearly on par": lambda mean, std: mean >= -NEAR,
    "slightly worse": lambda mean, std: (mean >= -NEAR) & (mean <= std),
}


class Pair(NamedTuple):
    """Two methods on a network."""

    network: str
    ours: str
    theirs: str


@dataclass(frozen=True)
class Claim:
    """Words of the paper, and the relation that they assert between pairs of methods."""

    words: str
    where: str
    relation: str
    pairs: tuple[Pair, ...]
    metrics: tuple[str, ...] = METRICS
    ratios: tuple[float, ...] = TRAIN_RATIOS

    def judge(self, convention: str) -> Row:
        """Test the relation at every ratio, in every measure, for every pair."""
        rows = [TRAIN_RATIOS.index(ratio) for ratio in self.ratios]
        agree: dict[str, list[bool]] = {}
        points: dict[tuple[str, str], list[float]] = {}
        for pair in self.pairs:
            for metric in self.metrics:
                difference = gain(*pair, metric, convention)[rows]
                mean, std = difference.mean(axis=1), difference.std(axis=1)
                agree.setdefault(pair.network, []).extend(RELATIONS[self.relation](mean, std))
                points.setdefault((pair.network, metric), []).extend(mean)
        found = (
            f"{NETWORKS[network]} {sum(flags)} of {len(flags)} ("
            + ", ".join(
                f"{m}{SPACE}{signed_points(np.mean(points[network, m]), 1)}" for m in self.metrics
            )
            + ")"
            for network, flags in agree.items()
        )
        return Row(self.words, self.where, "; ".join(found), verdict(agree.values()))


def claims(convention: str = "paper") -> list[Row]:
    """Return the paper's claims about classification, each with what we find and a verdict.

    A claim is a relation between methods, tested at every training ratio and in both measures by
    the differences over the same splits. It holds where at least nine comparisons in ten agree
    with it, in part where at least half do.
    """
    return [
        *(claim.judge(convention) for claim in CLAIMS),
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
    """Return the verdict on a claim from the comparisons that agree with it, by network."""
    share = np.mean([flag for flags in agree for flag in flags])
    return "holds" if share >= MOST else "holds in part" if share >= HALF else "does not hold"


def share_of_gain(network: str, metric: str, convention: str = "paper") -> np.ndarray:
    """Return how much of NetMF's lead over the adjacency matrix the binarized matrix has.

    One share per training ratio, of the means over splits.
    """
    ours = gain(network, "binarized", "adjacency", metric, convention).mean(axis=1)
    whole = gain(network, NETMF[network], "adjacency", metric, convention).mean(axis=1)
    return ours / whole


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
    """Whether the binarized matrix falls behind NetMF by a larger share in macro- than micro-F1."""
    loss = {
        metric: -gain("wikipedia", "binarized", "netmf-1", metric, convention).mean(axis=1)
        / getattr(scores("wikipedia", "netmf-1", convention), metric).mean(axis=1)
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
    """Whether the paper's quantiles do as well as the best of our sweep."""
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
    found = sweep(network)
    chosen = found[DATASETS[network].quantile]
    for metric in METRICS:
        for row in range(len(chosen.train_ratios)):
            best = found[best_quantile(found, metric, row)]
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
