"""The embedding from sampled columns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from infwalk.landmarks.sample import Sample
from infwalk.linalg.eigen import TOL, leading_eigenpairs, leading_signs
from infwalk.nonlinearity import EntrywiseMap

SPAN = 4
"""Singular vectors of the columns, per wanted pair, that span the search space."""

ALIKE = 1.25
"""Singular values of a smaller ratio may belong to a mixture of eigenvectors."""

SHARPNESS = 8
"""How much sampled products are sharpened to signs, times the ratio of other nodes to landmarks and
divided by what that leaves of 1. With up to half of the nodes as landmarks they are plain signs."""

LARGEST_FILLING = 2
"""How many times as large as expected the filled block may be, divided likewise: with up to half of
the nodes as landmarks there is no limit, which would cost accuracy."""


@dataclass(frozen=True, eq=False)
class Factors:
    """A factorization of a matrix, or of sampled columns of it.

    Attributes
    ----------
    embedding : ndarray of shape (n_nodes, n_components)
    values : ndarray of shape (n_components,)
        The leading eigenvalues, or estimates of them.
    nodes : ndarray of shape (n_landmarks,)
    basis : ndarray of shape (n_landmarks, n_components)
        Except at the landmarks, the embedding is the sampled columns, after the nonlinearity, times
        this.
    """

    embedding: np.ndarray
    values: np.ndarray
    nodes: np.ndarray
    basis: np.ndarray


def factor(
    sample: Sample,
    nonlinearity: EntrywiseMap,
    n_components: int,
    *,
    tol: float | None = None,
    random_state: Any = 0,
) -> Factors:
    """Return the embedding by leading eigenpairs estimated from the nonlinear columns.

    Parameters
    ----------
    sample : Sample
    nonlinearity : callable
        Acts on chunks of rows, entry by entry, and may overwrite them.
    n_components, tol, random_state
        As for :func:`infwalk.linalg.eigen.leading_eigenpairs`.
    """
    gram = sample.total(partial(_gram, nonlinearity))
    n_pairs = min(SPAN * n_components, sample.n_columns - 1)
    solver = {"tol": tol, "random_state": random_state}
    squares, vectors = leading_eigenpairs(gram, n_pairs, **solver)
    # Smaller squares are rounding, and so are the directions that belong to them.
    rounding = np.sqrt(sample.n_columns) * np.finfo(sample.dtype).eps
    sound = squares > rounding * squares[0]
    own = nonlinearity(sample.at_landmarks()).astype(np.float64)
    own = (own + own.T) / 2
    matrix, to_columns = _completed(
        own, np.sqrt(squares[sound]), vectors[:, sound], sample.n_nodes, np.finfo(sample.dtype).eps
    )
    values, found = leading_eigenpairs(matrix, n_components, **solver)
    values[np.abs(values) <= rounding * np.abs(values[0])] = 0
    found = found * np.sqrt(np.abs(values))
    basis = (to_columns @ found[sample.n_columns :]).astype(sample.dtype)
    embedding = np.vstack(list(sample.rows(partial(_project, nonlinearity, basis))))
    embedding[sample.nodes] = found[: sample.n_columns]
    signs = leading_signs(embedding)
    return Factors(embedding * signs, values.astype(sample.dtype), sample.nodes, basis * signs)


def factor_columns(
    sample: Sample,
    nonlinearity: EntrywiseMap,
    n_components: int,
    *,
    tol: float | None = None,
    random_state: Any = 0,
) -> Factors:
    r"""Return the embedding by the left singular vectors of the nonlinear columns.

    Of :math:`n \times s` columns :math:`C = U \Sigma V^\top` it is
    :math:`U \Sigma^{1/2} (n / s)^{1/4}`, the plain Nyström method. It is less work than
    :func:`factor`, and takes all leading eigenvalues to be positive.
    """
    gram = sample.total(partial(_gram, nonlinearity))
    tol = TOL[sample.dtype] if tol is None else tol
    squares, vectors = leading_eigenpairs(gram, n_components, tol=tol, random_state=random_state)
    rounding = np.sqrt(sample.n_columns) * np.finfo(sample.dtype).eps
    sound = squares > rounding * squares[0]
    values = np.sqrt(np.where(sound, squares, 0) * (sample.n_nodes / sample.n_columns))
    lengths = np.sqrt(np.where(sound, squares, 1))
    basis = (vectors * np.where(sound, np.sqrt(values) / lengths, 0)).astype(sample.dtype)
    embedding = np.empty((sample.n_nodes, n_components), sample.dtype)
    first = 0
    for rows in sample.rows(partial(_project, nonlinearity, basis)):
        embedding[first : first + len(rows)] = rows
        first += len(rows)
    signs = leading_signs(embedding)
    embedding *= signs
    return Factors(embedding, values.astype(sample.dtype), sample.nodes, basis * signs)


def _completed(
    own: np.ndarray, lengths: np.ndarray, vectors: np.ndarray, n_nodes: int, eps: float
) -> tuple[np.ndarray, np.ndarray]:
    r"""Return the matrix with its unknown block filled in, in a small basis.

    The columns are :math:`C = U \Sigma V^\top`, known from their rows at the landmarks (``own``),
    :math:`\Sigma` (``lengths``) and :math:`V` (``vectors``). The basis consists of the landmarks
    themselves and of an orthonormal basis of the rows of :math:`U` elsewhere, which is :math:`C`
    times the second result.
    """
    to_left = vectors / lengths
    inside = own @ to_left
    across = lengths[:, None] * (vectors.T @ inside)
    known = across + across.T - inside.T @ own @ inside
    outside = np.eye(len(lengths)) - inside.T @ inside
    ratio = n_nodes / len(own) - 1  # of other nodes to landmarks
    trust = max(1 - ratio, 1e-12)  # in the estimates that limit what is guessed
    sharpness = 1 + SHARPNESS * ratio / trust
    first = _signed(np.sqrt(1 + ratio) * lengths, (1 + ratio) * across, sharpness)
    filling = known + outside @ first @ outside
    shares, turn = np.linalg.eigh(outside)
    there = shares > np.sqrt(eps)
    there[: max(len(there) - (n_nodes - len(own)), 0)] = False  # the rank is at most this
    roots, turn = np.sqrt(shares[there]), turn[:, there]
    coupling = (vectors * lengths - own @ inside) @ (turn / roots)
    unknown = _limited((turn * roots).T @ filling @ (turn * roots), coupling, ratio, trust)
    return np.block([[own, coupling], [coupling.T, unknown]]), to_left @ (turn / roots)


def _signed(magnitudes: np.ndarray, products: np.ndarray, sharpness: float) -> np.ndarray:
    """Return a matrix with eigenvalues of about these magnitudes, and the signs of the products.

    Products relative to the magnitudes are sharpened and cut off at 1. With few landmarks, which
    estimate the products badly, this is their sign; with nearly all it is the products themselves.

    Eigenvectors of opposite eigenvalues have the same singular value, so that singular vectors may
    be any mixture of them: signs are those of a matrix on each group of similar magnitudes. Where
    the products give none, as between landmarks that share no entry, the result is zero.
    """
    roots = np.sqrt(magnitudes)
    scale = np.multiply.outer(roots, roots)
    alike = np.abs(np.subtract.outer(np.log(magnitudes), np.log(magnitudes))) < np.log(ALIKE)
    relative = np.where(alike, (products + products.T) / (2 * scale), 0)
    return scale * _cut_off(sharpness * relative)


def _limited(block: np.ndarray, coupling: np.ndarray, ratio: float, trust: float) -> np.ndarray:
    r"""Return the filled block :math:`F`, cut off where it is much larger than expected.

    With :math:`E` the coupling of the other nodes to the landmarks, the expected value of
    :math:`\tfrac ns C C^\top`, which is :math:`K^2`, says there that
    :math:`E^\top E + F^2 \approx \tfrac ns E^\top E`. So :math:`F^2` is about
    :math:`(\tfrac ns - 1) E^\top E`, and vanishes with the number of other nodes.
    """
    squares, axes = np.linalg.eigh(ratio * coupling.T @ coupling)
    there = squares > np.finfo(squares.dtype).eps * squares.max(initial=0)
    axes, roots = axes[:, there], np.sqrt(LARGEST_FILLING / trust * np.sqrt(squares[there]))
    scale = np.multiply.outer(roots, roots)
    return axes @ (scale * _cut_off(axes.T @ block @ axes / scale)) @ axes.T


def _cut_off(matrix: np.ndarray) -> np.ndarray:
    """Return a symmetric matrix with its eigenvalues cut off at -1 and 1."""
    values, vectors = np.linalg.eigh(matrix)
    return (vectors * np.clip(values, -1, 1)) @ vectors.T


def _gram(nonlinearity: EntrywiseMap, chunk: np.ndarray) -> np.ndarray:
    chunk = nonlinearity(chunk)
    return (chunk.T @ chunk).astype(np.float64)


def _project(nonlinearity: EntrywiseMap, basis: np.ndarray, chunk: np.ndarray) -> np.ndarray:
    return nonlinearity(chunk) @ basis
