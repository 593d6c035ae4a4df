"""The scorecard of the report with filters, and the map of results with links."""

import re
from collections.abc import Iterable, Mapping

import networkx as nx
from IPython.display import HTML

from support import report, stored
from support.explorable import chart, in_lab
from support.figures import notation


def scorecard(entries: Iterable[report.Entry]) -> HTML:
    """Return the scorecard, with filters by verdict, table, network and kind."""
    table = report.scorecard_table(entries)._repr_html_()
    names = {**stored.NETWORKS, "number": "numbers", "claim": "claims"}
    return chart("scorecard", {"names": names}, table)


def results_map(graph: nx.DiGraph, addresses: Mapping[str, str], label: str) -> HTML:
    """Return the map of results; each box opens the result at its address in the book."""
    if in_lab():
        addresses = {name: re.sub(r"\.html.*", ".ipynb", each) for name, each in addresses.items()}
    return chart("map", {}, notation.dependencies(graph, addresses, label))
