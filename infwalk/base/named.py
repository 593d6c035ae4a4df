"""Rows by the names of their nodes: look up, compare, and hand over to other libraries."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import get_config
from sklearn.utils.validation import check_is_fitted

from infwalk._utils.optional import require_packages
from infwalk._utils.parameters import check_count
from infwalk.interop.edges import read_edges, real_weights
from infwalk.interop.embeddings import text_names, write_embedding
from infwalk.interop.kinds import is_frame
from infwalk.interop.names import positions
from infwalk.nonlinearity import unit_rows

_SUGGEST_UP_TO = 10_000
"""Nodes up to which a misspelt name is compared with all others; it takes about 0.1 s."""


class NamedRows:
    """Access to the rows of ``embedding_`` by the names in ``nodes_``."""

    embedding_: np.ndarray
    nodes_: np.ndarray
    _row_of: dict[Any, int] | None

    def __getitem__(self, node: Any) -> np.ndarray:
        """Return the row of a node, given its name, or of several: a list, array or Series."""
        check_is_fitted(self)
        if isinstance(node, list) or (hasattr(node, "__array__") and np.ndim(node) == 1):
            return self.embedding_[[self._row(name) for name in node]]
        return self.embedding_[self._row(node)]

    def __contains__(self, node: Any) -> bool:
        """Return whether the fitted graph has a node of this name."""
        check_is_fitted(self)
        return node in self._rows_by_name()

    __iter__ = None
    """Not iterable: iterating would otherwise look up the names 0, 1, 2, ..."""

    def most_similar(self, node: Any, n: int = 10) -> list[tuple[Any, float]]:
        """Return the n nodes most similar to a node, with their cosine similarities.

        Parameters
        ----------
        node
            The name of a node of the graph, or a row of numbers, as of a new node.
        n : int, default=10
            How many; at most all other nodes.

        Returns
        -------
        list of (name, similarity)
            The most similar first; the first in the graph of those that are equally similar. A node
            whose row is zero has similarity 0 to all others.

        Examples
        --------
        >>> from infwalk import InfiniteWalk
        >>> model = InfiniteWalk(2).fit([("a", "b"), ("b", "c"), ("a", "c"), ("c", "d")])
        >>> [name for name, _ in model.most_similar("a", n=1)]
        ['b']
        """
        check_is_fitted(self)
        check_count("n", n, 1)
        unit = unit_rows(np.asarray(self.embedding_, dtype=np.float64))
        if isinstance(node, np.ndarray) and node.shape == unit.shape[1:]:
            row, direction = -1, unit_rows(node[None].astype(np.float64))[0]
        else:
            row = self._row(node)
            direction = unit[row]
        if not direction.any():
            raise ValueError(
                f"the cosine similarity needs a row other than zero; that of {node!r} is zero. "
                "Use more dimensions, or another method"
            )
        similarity = unit @ direction
        order = np.argsort(-similarity, kind="stable")
        order = order[order != row][:n]
        return list(zip(self.nodes_[order].tolist(), similarity[order].tolist(), strict=True))

    def to_frame(self) -> Any:
        """Return the embedding as a DataFrame of pandas, indexed by the names of the nodes."""
        check_is_fitted(self)
        require_packages("to_frame", ("pandas",))
        import pandas

        index = pandas.Index(self.nodes_, name="node", tupleize_cols=False)
        columns = self.get_feature_names_out()  # type: ignore[attr-defined]
        return pandas.DataFrame(self.embedding_, index=index, columns=columns)

    def to_keyed_vectors(self) -> Any:
        """Return the embedding as ``KeyedVectors`` of gensim; the keys are the names as text."""
        check_is_fitted(self)
        require_packages("to_keyed_vectors", ("gensim",), "sampling")
        from gensim.models import KeyedVectors

        X = self.embedding_
        vectors = KeyedVectors(X.shape[1], dtype=X.dtype.type)
        vectors.add_vectors(text_names(self.nodes_), X)
        return vectors

    def save_embedding(self, path: str | Path) -> None:
        """Write the embedding and the names of the nodes to a file, by an atomic write.

        Parameters
        ----------
        path : str or path
            The suffix is the format:

            - ``.npz``: arrays ``embedding`` and ``names``;
            - ``.csv``, ``.tsv``: a header, then the name and the numbers of a node in each line;
            - ``.parquet``: a column ``node`` and one for each dimension; needs pyarrow;
            - ``.txt``, ``.vec``, ``.emb``, ``.w2v``: word2vec text, for names without blanks;
            - ``.npy``: the array alone, for nodes without names.

            Text is compressed if ``.gz`` follows.
        """
        check_is_fitted(self)
        write_embedding(path, self.embedding_, self.nodes_.tolist())

    def _output(self, X: np.ndarray) -> Any:
        """Return the embedding as ``set_output`` asks for it.

        scikit-learn would take the index of a DataFrame from the input, which may be a list of
        edges. It leaves a DataFrame as it is.
        """
        own = getattr(self, "_sklearn_output_config", {}).get("transform")
        return self.to_frame() if (own or get_config()["transform_output"]) == "pandas" else X

    def _columns_by_name(self, edges: Any) -> Any:
        """Return the edges of new nodes as a matrix with one column for each node, in order."""
        if isinstance(edges, Mapping):
            return self._edges_by_name(edges)
        if not is_frame(edges):
            return edges
        columns = list(edges.columns)
        row_of = self._rows_by_name()
        if len(columns) != len(row_of) or set(columns) != set(row_of):
            unknown = [name for name in columns if name not in row_of]
            raise ValueError(
                "a frame of the edges of new nodes must have one column for each node of the "
                f"graph, under its name; got {len(columns)} columns for {len(row_of)} nodes"
                + (f", of which {unknown[0]!r} is no node" if unknown else "")
                + ". Add or rename columns, or give an array in the order of nodes_"
            )
        column_of = {name: k for k, name in enumerate(columns)}
        return edges.iloc[:, [column_of[name] for name in self.nodes_.tolist()]].to_numpy()

    def _edges_by_name(self, neighbours_of: Mapping[Any, Any]) -> sparse.coo_array:
        names, targets, weights, _ = read_edges(neighbours_of)
        row_of = {name: row for row, name in enumerate(neighbours_of)}
        ends = [row_of[name] for name in names], [self._row(name) for name in targets]
        values = np.ones(len(targets))
        if weights is not None:
            values = real_weights(weights, lambda k: repr((names[k], targets[k])))
        return sparse.coo_array((values, ends), shape=(len(row_of), len(self.nodes_)))

    def _same_names(self, nodes: np.ndarray) -> bool:
        """Return whether these names are those of the graph, or one of the two has none."""
        numbers = np.arange(len(nodes))
        return any(
            np.array_equal(one, other)
            for one, other in ((nodes, self.nodes_), (nodes, numbers), (self.nodes_, numbers))
        )

    def _rows_by_name(self) -> dict[Any, int]:
        if self._row_of is None:
            self._row_of = positions(self.nodes_)
        return self._row_of

    def _row(self, node: Any) -> int:
        row_of = self._rows_by_name()
        try:
            return row_of[node]
        except (KeyError, TypeError):  # a name that is not hashable names no node
            raise KeyError(
                f"no node is named {node!r}; nodes_ has the names of all {len(row_of)} nodes, the "
                f"first being {self.nodes_[:1].tolist()[0]!r}{self._suggestion(node)}"
            ) from None

    def _suggestion(self, node: Any) -> str:
        if len(self.nodes_) > _SUGGEST_UP_TO:
            return ""
        name_of = {str(name): name for name in self.nodes_.tolist()}
        close = get_close_matches(str(node), name_of, n=1)
        return f". Did you mean {name_of[close[0]]!r}?" if close else ""
