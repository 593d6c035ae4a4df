r"""The paper's matrices: the PMI matrix of DeepWalk for a finite window, and its limit.

With :math:`\tilde d = d / v_G` the stationary law of the walk and :math:`\tilde D` its diagonal
matrix, DeepWalk with window :math:`T` and :math:`b` negative samples per positive one factors

.. math:: M_T = \log\Big(\tfrac{1}{T} \sum_{k=1}^T P^k \tilde D^{-1}\Big) - \log b,

and :math:`T M_T \to M_\infty` for :math:`b = 1`. Equation numbers are those of the paper.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import DTypeLike
from scipy import linalg, sparse
from scipy.sparse.csgraph import breadth_first_order, dijkstra

from infwalk._utils.memory import require_dense
from infwalk._utils.parameters import check_choice, check_count, check_positive, check_precision
from infwalk.graph import Graph, as_adjacency
from infwalk.laplacian import (
    degrees,
    laplacian_pinv,
    mirror_upper,
    scale_symmetric,
    sherman_morrison_pinv,
    shifted_inverse,
    symmetric_transition,
    walk_spectrum,
)
from infwalk.linalg.chebyshev import is_compiled, recur
from infwalk.nonlinearity import EPS, log_ramp
from infwalk.walk import Walk, symmetric_walk

# Sparse products do about 1/20 of the arithmetic per second of a dense eigendecomposition if SciPy
# does them, and about 1/5 if they are compiled.
_SPARSE_WHILE_BELOW = {False: 1 / 20, True: 1 / 5}
_COLUMNS = 128


def pmi(
    graph: Graph,
    window: int,
    *,
    negative: float = 1.0,
    method: str = "auto",
    teleport: float = 0.0,
    dtype: DTypeLike = np.float64,
) -> np.ndarray:
    r"""Return the PMI matrix :math:`M_T` of DeepWalk, exactly, eq. (2).

    Parameters
    ----------
    graph : sparse matrix or array, ndarray, networkx graph, or edge array
        As for :func:`infwalk.as_adjacency`; connected.
    window : int
        The window size :math:`T`, at least 1.
    negative : float, default=1.0
        The ratio :math:`b` of negative to positive samples.
    method : {"auto", "sparse", "spectral"}, default="auto"
        How to sum the powers of the walk: by :math:`T - 1` sparse products, which neither cancel
        nor round small entries away, or by the full spectrum of :math:`\tilde P`, whose cost does
        not grow with :math:`T`, with an error of rounding relative to the largest entry. "auto"
        takes the cheaper.
    teleport : float, default=0.0
        The share of uniform jumps among the steps; see :func:`infwalk.walk.symmetric_walk`.
    dtype : {"float64", "float32"}, default="float64"
        Precision of the work and of the result.

    Returns
    -------
    ndarray of shape (n_nodes, n_nodes)
        ``-inf`` where two nodes never co-occur within the window.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk import pmi
    >>> path = np.array([[0, 1], [1, 2], [2, 3]])
    >>> pmi(path, window=1).round(3)
    array([[ -inf, 1.099,  -inf,  -inf],
           [1.099,  -inf, 0.405,  -inf],
           [ -inf, 0.405,  -inf, 1.099],
           [ -inf,  -inf, 1.099,  -inf]])
    """
    check_positive("negative", negative)
    ratio = cooccurrence_ratio(graph, window, method=method, teleport=teleport, dtype=dtype)
    ratio /= negative
    with np.errstate(divide="ignore"):
        return np.log(ratio, out=ratio)


def cooccurrence_ratio(
    graph: Graph,
    window: int,
    *,
    method: str = "auto",
    teleport: float = 0.0,
    dtype: DTypeLike = np.float64,
) -> np.ndarray:
    r"""Return :math:`\tfrac{1}{T} \sum_{k=1}^T P^k \tilde D^{-1}`, whose logarithm is :math:`M_T`.

    An entry is the probability that two nodes co-occur within the window, relative to what it
    would be if they were independent. Parameters are those of :func:`pmi`.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk.matrices import cooccurrence_ratio
    >>> path = np.array([[0, 1], [1, 2], [2, 3]])
    >>> stationary = np.array([1, 2, 2, 1]) / 6
    >>> cooccurrence_ratio(path, window=3) @ stationary
    array([1., 1., 1., 1.])
    """
    check_count("window", window, 1)
    check_choice("method", method, ("auto", "sparse", "spectral"))
    check_precision(dtype)
    walk = symmetric_walk(graph, teleport)
    if method == "auto":
        products = (window - 1) * walk.steps.nnz
        share = products / walk.n_nodes**2
        method = "sparse" if share < _SPARSE_WHILE_BELOW[is_compiled()] else "spectral"
    powers = _powers_sparse if method == "sparse" else _powers_spectral
    ratio = scale_symmetric(powers(walk, window, dtype), (1 / walk.null).astype(dtype))
    ratio /= window
    if method == "spectral":
        np.maximum(ratio, np.finfo(ratio.dtype).eps, out=ratio)
        if walk.jump is None:
            _restore_zeros(ratio, walk.steps, window)
    return ratio


def truncated_cooccurrence_ratio(
    graph: Graph,
    window: int,
    rank: int,
    *,
    teleport: float = 0.0,
    dtype: DTypeLike = np.float64,
) -> np.ndarray:
    r"""Return the low-rank approximation of :func:`cooccurrence_ratio` that NetMF uses.

    The ``rank`` largest eigenvalues :math:`\lambda` of :math:`\tilde P` are kept, and those whose
    window average :math:`\tfrac{1}{T} \sum_{k=1}^T \lambda^k` is negative count as zero.

    Parameters
    ----------
    graph, window, teleport, dtype
        As for :func:`pmi`.
    rank : int
        How many eigenpairs, from 1 to one less than the number of nodes.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk.matrices import truncated_cooccurrence_ratio
    >>> path = np.array([[0, 1], [1, 2], [2, 3]])
    >>> truncated_cooccurrence_ratio(path, window=10, rank=1).round(6)
    array([[1., 1., 1., 1.],
           [1., 1., 1., 1.],
           [1., 1., 1., 1.],
           [1., 1., 1., 1.]])
    """
    check_count("window", window, 1)
    check_precision(dtype)
    walk = symmetric_walk(graph, teleport)
    n_nodes = walk.n_nodes
    check_count("rank", rank, 1, n_nodes - 1, f" for a graph of {n_nodes} nodes")
    require_dense(n_nodes, 1.2, dtype, "the truncated PMI matrix")
    values, vectors = walk_spectrum(walk, rank)
    weights = np.maximum(_sum_of_powers(values, window) / window, 0.0)
    factor = (vectors * np.sqrt(weights) / walk.null[:, None]).astype(dtype)
    return np.asarray(factor @ factor.T)


def limiting_pmi(
    graph: Graph, *, teleport: float = 0.0, dtype: DTypeLike = np.float64
) -> np.ndarray:
    r"""Return the limiting PMI matrix, eq. (1).

    .. math::

        M_\infty = v_G\, D^{-1/2} (\tilde L^+ - I) D^{-1/2} + \mathbf 1 \mathbf 1^\top
                 = \tilde D^{-1/2} (\tilde Z - I) \tilde D^{-1/2}

    with :math:`\tilde Z` the :func:`~infwalk.laplacian.fundamental_matrix`, which holds the
    all-ones term already. On a bipartite graph, where :math:`T M_T` oscillates, this is the limit
    of its averages over :math:`T`.

    Parameters
    ----------
    graph : sparse matrix or array, ndarray, networkx graph, or edge array
        As for :func:`infwalk.as_adjacency`; connected, unless there are jumps.
    teleport : float, default=0.0
        The share of uniform jumps among the steps; see :func:`infwalk.walk.symmetric_walk`.
    dtype : {"float64", "float32"}, default="float64"
        Precision of the work and of the result.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk import limiting_pmi
    >>> from infwalk.laplacian import degrees
    >>> triangle_with_tail = np.array([[0, 1], [1, 2], [0, 2], [2, 3]])
    >>> M = limiting_pmi(triangle_with_tail)
    >>> np.allclose(M @ degrees(triangle_with_tail), 0)
    True
    """
    walk = symmetric_walk(graph, teleport)
    matrix = shifted_inverse(walk, walk.null, dtype)
    _diagonal(matrix)[:] -= 1
    return scale_symmetric(matrix, (1 / walk.null).astype(dtype))


def limiting_pmi_rank3(graph: Graph) -> np.ndarray:
    r"""Return the limiting PMI matrix by way of the unnormalized Laplacian, eq. (6).

    .. math::

        M_\infty = \mathbf 1 \mathbf 1^\top + v_G \big(
            (I - \mathbf 1 \tilde d^\top) L^+ (I - \tilde d \mathbf 1^\top) - D^{-1} \big)

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk import limiting_pmi
    >>> from infwalk.matrices import limiting_pmi_rank3
    >>> triangle_with_tail = np.array([[0, 1], [1, 2], [0, 2], [2, 3]])
    >>> np.allclose(limiting_pmi_rank3(triangle_with_tail), limiting_pmi(triangle_with_tail))
    True
    """
    adjacency = as_adjacency(graph)
    matrix = sherman_morrison_pinv(adjacency)
    _diagonal(matrix)[:] -= 1 / degrees(adjacency)
    matrix *= degrees(adjacency).sum()
    matrix += 1
    return matrix


def finite_pmi(graph: Graph, window: int, *, form: str = "series") -> np.ndarray:
    r"""Return :math:`M_T` by the closed forms of eq. (4), with ``b = 1``.

    Parameters
    ----------
    graph, window
        As for :func:`pmi`.
    form : {"series", "remainder"}, default="series"
        The first form sums the geometric series,
        :math:`\tilde P \tilde L^+ (I - \tilde P^T)`; the second shows what is left over from the
        limit, :math:`\tilde L^+ (I - \tilde P^{T+1}) - I`.

    Returns
    -------
    ndarray of shape (n_nodes, n_nodes)
        Where two nodes never co-occur the exact value is ``-inf``; here cancellation leaves that,
        or a number below -20. Use :func:`pmi` for anything but comparing the two.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk import pmi
    >>> from infwalk.matrices import finite_pmi
    >>> triangle_with_tail = np.array([[0, 1], [1, 2], [0, 2], [2, 3]])
    >>> exact = pmi(triangle_with_tail, window=5)
    >>> np.allclose(finite_pmi(triangle_with_tail, 5, form="series"), exact)
    True
    >>> np.allclose(finite_pmi(triangle_with_tail, 5, form="remainder"), exact)
    True
    """
    check_count("window", window, 1)
    check_choice("form", form, ("series", "remainder"))
    adjacency = as_adjacency(graph)
    require_dense(adjacency.shape[0], 3, np.float64, "the finite-window PMI matrix")
    walk = symmetric_transition(adjacency)
    pinv = laplacian_pinv(adjacency, normalized=True)
    remainder = pinv
    for _ in range(window if form == "series" else window + 1):
        remainder = walk @ remainder
    matrix = pinv - remainder
    if form == "series":
        matrix = walk @ matrix
    else:
        _diagonal(matrix)[:] -= 1
    scale_symmetric(matrix, 1 / symmetric_walk(adjacency).null)
    ratio = 1 + (matrix if form == "series" else matrix + 1) / window
    with np.errstate(divide="ignore"):
        return np.log(np.maximum(ratio, 0, out=ratio), out=ratio)


def approximate_pmi(graph: Graph, window: float, *, ramp: float = EPS) -> np.ndarray:
    r"""Return the approximation of :math:`M_T` from its limit, eq. (5).

    It is :math:`\log R_\epsilon(1 + M_\infty / T)`, see :func:`infwalk.log_ramp`.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk import pmi
    >>> from infwalk.matrices import approximate_pmi
    >>> triangle = np.array([[0, 1], [1, 2], [0, 2]])
    >>> errors = [abs(approximate_pmi(triangle, T) - pmi(triangle, T)).max() for T in (5, 20)]
    >>> print(", ".join(f"{error:.6f}" for error in errors))
    0.004819, 0.000000
    """
    matrix = limiting_pmi(graph)
    return log_ramp(matrix, window, ramp, out=matrix)


def _diagonal(matrix: np.ndarray) -> np.ndarray:
    """A writable view of the diagonal."""
    return matrix.ravel()[:: matrix.shape[0] + 1]


def _powers_sparse(walk: Walk, window: int, dtype: DTypeLike) -> np.ndarray:
    """The sum of P~^k for k = 1..T by Horner's rule, a block of columns at a time."""
    n_nodes = walk.n_nodes
    require_dense(n_nodes, 1.2, dtype, "the PMI matrix")
    walk = walk.astype(dtype)
    total = np.empty((n_nodes, n_nodes), dtype=dtype)
    for first in range(0, n_nodes, _COLUMNS):
        columns = np.arange(first, min(first + _COLUMNS, n_nodes))
        block = walk.columns(columns)
        spare = np.empty_like(block)
        for _ in range(window - 1):
            block[columns, columns - first] += 1
            recur(walk, block, spare, 1.0, 0.0, 0.0)
            block, spare = spare, block
        total[columns] = block.T
    return mirror_upper(total)


def _powers_spectral(walk: Walk, window: int, dtype: DTypeLike) -> np.ndarray:
    """The sum of P~^k for k = 1..T through the eigenpairs of P~."""
    require_dense(walk.n_nodes, 4, dtype, "the PMI matrix by the full spectrum")
    values, vectors = linalg.eigh(
        walk.astype(dtype).columns(), overwrite_a=True, check_finite=False
    )
    values[-1] = 1  # exactly, or its rounding error would grow with the window
    return mirror_upper((vectors * _sum_of_powers(values, window)) @ vectors.T)


def _sum_of_powers(values: np.ndarray, window: int) -> np.ndarray:
    """x + x^2 + ... + x^T by doubling: no division, so nothing is lost near x = 1."""
    power, total = values.copy(), values.copy()
    for bit in bin(window)[3:]:
        total, power = total * (1 + power), power * power
        if bit == "1":
            total, power = values * (1 + total), power * values
    return total


def _restore_zeros(ratio: np.ndarray, adjacency: sparse.csr_array, window: int) -> None:
    """Tell pairs that never co-occur, which are exactly zero, from pairs lost in rounding."""
    if window == 1:
        _diagonal(ratio)[adjacency.diagonal() == 0] = 0
    order, parents = breadth_first_order(adjacency, 0, directed=False)
    depth = np.zeros(len(order), dtype=int)
    for node in order[1:]:
        depth[node] = depth[parents[node]] + 1
    diameter_at_most = 2 * depth.max()
    if window < diameter_at_most:
        apart = dijkstra(adjacency, directed=False, unweighted=True, limit=window)
        ratio[np.isinf(apart)] = 0
