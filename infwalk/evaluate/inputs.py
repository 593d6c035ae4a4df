"""Check embeddings and labels, once per call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_array, check_consistent_length

from infwalk._utils.indices import check_sparse
from infwalk._utils.memory import require_bytes
from infwalk._utils.parameters import check_positive
from infwalk.interop.names import missing

LARGEST_C = 1e12
"""The largest inverse regularization strength. The relative condition of the problem grows with C
times the number of nodes, and float64 has 16 digits."""


def check_embedding(X: Any) -> np.ndarray:
    """Return X as a finite float64 matrix, or raise."""
    if not (hasattr(X, "__array__") or sparse.issparse(X) or isinstance(X, list | tuple)):
        raise TypeError(
            "X must be an embedding, an array with one row for each node; got "
            f"{type(X).__name__}. Give model.fit_transform(graph), or model.embedding_ once fitted"
        )
    X = check_array(X, dtype=np.float64, input_name="X")
    with np.errstate(over="ignore"):
        finite = np.isfinite(np.einsum("ij,ij->", X, X))
    if not finite:
        raise ValueError(
            f"X must have entries whose squares are finite; the largest is "
            f"{np.abs(X).max():.3g}. Scale X down"
        )
    return X


def check_labels(Y: Any) -> np.ndarray:
    """Return the boolean matrix of shape (n_nodes, n_labels) of a label matrix or vector."""
    if sparse.issparse(Y):
        check_sparse(Y)
        # Duplicate entries add up here, and their sum has to be 0 or 1.
        Y = sparse.csr_array(Y).toarray()
    Y = as_label_array(Y)
    if Y.ndim == 1:
        labels = _from_vector(Y)
    elif Y.ndim == 2:
        labels = _from_matrix(Y)
    else:
        raise ValueError(f"Y must be a vector or have shape (n_nodes, n_labels); got {Y.shape}")
    if labels.shape[1] < 2:
        raise ValueError(
            f"Y must have at least two labels, as the number of labels per node is known; "
            f"got {labels.shape[1]}"
        )
    return labels


def check_classification(X: Any, Y: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the embedding and the boolean label matrix, one row per node each, or raise."""
    X, labels = check_embedding(X), check_labels(Y)
    check_consistent_length(X, labels)
    n_nodes, n_labels = labels.shape
    # At the peak: four float64 arrays of the size of X with a column of ones, seven of that of Y.
    require_bytes(
        8 * n_nodes * (4 * (X.shape[1] + 1) + 7 * n_labels),
        f"classifying {n_nodes:,} nodes of {n_labels:,} labels",
        "Take fewer labels or a sample of the nodes",
    )
    return X, labels


def check_penalty(C: Any) -> None:
    """Raise unless C is a real number in (0, ``LARGEST_C``]."""
    check_positive("C", C, finite=True)
    if C > LARGEST_C:
        raise ValueError(
            f"C must be at most {LARGEST_C:.0e}, as a weaker penalty is lost in rounding; got {C!r}"
        )


def as_label_array(labels: Any) -> np.ndarray:
    """Return labels as an array; NumPy would turn a missing one beside text into text."""
    if isinstance(labels, Mapping):
        raise TypeError(
            "labels must be a sequence in the order of the rows; got a dict. Give "
            "[labels[node] for node in model.nodes_]"
        )
    array = np.asarray(labels)
    if array.dtype.kind == "U" and isinstance(labels, list | tuple):
        array = np.array(labels, dtype=object) if any(map(missing, labels)) else array
    return array


def _from_vector(y: np.ndarray) -> np.ndarray:
    for node, label in enumerate(y.tolist()) if y.dtype.kind in "fO" else ():
        if missing(label):
            raise ValueError(
                f"Y must not contain NaN or None; Y[{node}] is {label!r}. Leave such nodes out"
            )
    try:
        classes, codes = np.unique(y, return_inverse=True)
    except TypeError as error:
        raise TypeError(f"the labels in a vector Y must be of one type: {error}") from error
    return codes[:, None] == np.arange(len(classes))


def _from_matrix(Y: np.ndarray) -> np.ndarray:
    remedy = "give one label per node as a vector, or several as a matrix of zeros and ones"
    if Y.dtype.kind not in "biuf":
        raise TypeError(f"a matrix Y must be numeric; got dtype {Y.dtype}; {remedy}")
    labels = Y == 1
    bad = np.argwhere(~labels & (Y != 0))
    if len(bad):
        row, column = bad[0]
        raise ValueError(
            f"a matrix Y must contain only 0 and 1; Y[{row}, {column}] is {Y[row, column]}; "
            f"{remedy}"
        )
    if not labels.any():
        raise ValueError("Y must give a label to at least one node; it is all zeros")
    return labels
