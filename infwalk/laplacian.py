r"""The two Laplacians of a graph, their pseudoinverses, and what is built from them.

:math:`L = D - A` and :math:`\tilde L = I - \tilde P`, with the notation of :mod:`infwalk.walk`. A
self-loop cancels in :math:`L` but not in :math:`\tilde L`. The null vector of either is known, so
that its pseudoinverse is an ordinary inverse of a rank-one shift: a Cholesky factorization, without
a singular value decomposition and without a cut-off. Equation numbers are those of the paper.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import DTypeLike
from scipy import sparse

from infwalk._utils.memory import require_dense
from infwalk._utils.parameters import check_choice, check_count, check_precision
from infwalk.graph import Graph
from infwalk.linalg import powers
from infwalk.linalg.dense import (
    add_rank_one,
    diagonal,
    inverse_rows,
    positive_definite_inverse,
    scale_symmetric,
)
from infwalk.walk import Walk, symmetric_walk


def laplacian(graph: Graph | Walk, *, normalized: bool = False) -> sparse.csr_array:
    r"""Return :math:`L = D - A`, or with ``normalized`` :math:`\tilde L = I - \tilde P`.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk.laplacian import laplacian
    >>> path = np.array([[0, 1], [1, 2], [2, 3]])
    >>> laplacian(path).toarray()
    array([[ 1., -1.,  0.,  0.],
           [-1.,  2., -1.,  0.],
           [ 0., -1.,  2., -1.],
           [ 0.,  0., -1.,  1.]])
    >>> laplacian(path) @ np.ones(4)
    array([0., 0., 0., 0.])
    """
    walk = symmetric_walk(graph)
    if normalized:
        identity = sparse.eye_array(walk.n_nodes, format="csr")
        return sparse.csr_array(identity - walk.transition.sparse)
    return sparse.csr_array(sparse.diags_array(walk.degrees) - walk.adjacency)


def fundamental_matrix(
    graph: Graph | Walk, *, teleport: float = 0.0, dtype: DTypeLike = np.float64
) -> np.ndarray:
    r"""Return :math:`\tilde Z = (\tilde L + w_1 w_1^\top)^{-1} = \tilde L^+ + w_1 w_1^\top`, dense.

    This is the symmetric form of the fundamental matrix of the walk (Kemeny and Snell),
    :math:`(I - P + \mathbf 1 \tilde d^\top)^{-1} = D^{-1/2} \tilde Z D^{1/2}`. The matrix that is
    inverted is positive definite with eigenvalues in :math:`[\min(1, 1 - \lambda_2), 2]`.

    Parameters
    ----------
    graph, teleport
        As for :func:`infwalk.walk.symmetric_walk`.
    dtype : {"float64", "float32"}, default="float64"
        Precision of the work and of the result.

    Raises
    ------
    scipy.linalg.LinAlgError
        If the graph is so ill conditioned that no digit would be right in this precision. Below
        that, a :class:`scipy.linalg.LinAlgWarning` says when few digits are.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk.laplacian import fundamental_matrix, laplacian_pinv
    >>> path = np.array([[0, 1], [1, 2], [2, 3]])
    >>> w_1 = np.sqrt(np.array([1, 2, 2, 1]) / 6)
    >>> Z = fundamental_matrix(path)
    >>> np.allclose(Z, laplacian_pinv(path, normalized=True) + np.outer(w_1, w_1))
    True
    """
    walk = symmetric_walk(graph, teleport)
    return _shifted_inverse(walk, walk.null, dtype)


def laplacian_pinv(
    graph: Graph | Walk,
    *,
    normalized: bool = False,
    teleport: float = 0.0,
    dtype: DTypeLike = np.float64,
) -> np.ndarray:
    r"""Return the dense pseudoinverse :math:`L^+`, or with ``normalized`` :math:`\tilde L^+`.

    With :math:`u = \mathbf 1 / \sqrt n` and any :math:`c > 0`,
    :math:`L^+ = (L + c\,u u^\top)^{-1} - c^{-1} u u^\top`.

    Parameters
    ----------
    graph, teleport
        As for :func:`infwalk.walk.symmetric_walk`.
    normalized : bool, default=False
        Whether to invert :math:`\tilde L` in place of :math:`L`.
    dtype : {"float64", "float32"}, default="float64"
        Precision of the work and of the result.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk.laplacian import laplacian, laplacian_pinv
    >>> path = np.array([[0, 1], [1, 2], [2, 3]])
    >>> L, L_pinv = laplacian(path).toarray(), laplacian_pinv(path)
    >>> np.allclose(L @ L_pinv @ L, L), np.allclose(L_pinv @ np.ones(4), 0)
    (True, True)
    """
    walk = symmetric_walk(graph, teleport)
    if normalized:
        null = walk.null.astype(dtype)
        return add_rank_one(_shifted_inverse(walk, walk.null, dtype), -null, null)
    check_precision(dtype)
    check_scale(walk.degrees, dtype)
    inverse_degrees = 1.0 / walk.degrees
    harmonic_sum = inverse_degrees.sum()
    # D^-1/2 (L + c u u') D^-1/2 = L~ + g g' with |g| = 1 when c is the harmonic mean degree.
    root = np.sqrt(inverse_degrees)
    pinv = scale_symmetric(
        _shifted_inverse(walk, root / np.sqrt(harmonic_sum), dtype), root.astype(dtype)
    )
    pinv -= pinv.dtype.type(harmonic_sum / walk.n_nodes**2)
    return pinv


def check_scale(degrees: np.ndarray, dtype: DTypeLike) -> None:
    """Refuse degrees for which :math:`L^+`, at most 1 / (10 eps min d), is out of range."""
    limits = np.finfo(dtype)
    lowest, highest = 1 / (limits.max * limits.eps), limits.eps / limits.tiny
    if not lowest <= degrees.min() <= highest:
        raise ValueError(
            f"the smallest degree must be in [{lowest:.0e}, {highest:.0e}] for the pseudoinverse "
            f"of the Laplacian in {np.dtype(dtype)}; got {degrees.min():.3g}. Multiply all weights "
            "by a constant: that divides the pseudoinverse by it"
        )


def sherman_morrison_pinv(graph: Graph | Walk) -> np.ndarray:
    r"""Return :math:`D^{-1/2} \tilde L^+ D^{-1/2}`, computed from the unnormalized :math:`L^+`.

    The paper's variant of the Sherman-Morrison formula (after Meyer, 1973) gives it as
    :math:`(I - \mathbf 1 \tilde d^\top) L^+ (I - \tilde d \mathbf 1^\top)`, with
    :math:`\tilde d = d / v_G`. It is a second route to the same matrix, to compare with the direct
    one.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk.laplacian import laplacian_pinv, sherman_morrison_pinv
    >>> path = np.array([[0, 1], [1, 2], [2, 3]])
    >>> root = np.sqrt(np.array([1, 2, 2, 1]))
    >>> direct = laplacian_pinv(path, normalized=True) / np.outer(root, root)
    >>> np.allclose(sherman_morrison_pinv(path), direct)
    True
    """
    walk = symmetric_walk(graph)
    stationary = walk.null**2
    pinv = laplacian_pinv(walk)
    image = pinv @ stationary
    pinv += stationary @ image
    pinv -= image
    pinv -= image[:, None]
    return pinv


def limiting_pmi_rank3(graph: Graph | Walk) -> np.ndarray:
    r"""Return the limiting PMI matrix by way of the unnormalized Laplacian, eq. (6).

    .. math::

        M_\infty = \mathbf 1 \mathbf 1^\top + v_G \big(
            (I - \mathbf 1 \tilde d^\top) L^+ (I - \tilde d \mathbf 1^\top) - D^{-1} \big)

    It is a second route to :func:`infwalk.matrices.limiting_pmi`, to compare with it.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk import limiting_pmi
    >>> from infwalk.laplacian import limiting_pmi_rank3
    >>> triangle_with_tail = np.array([[0, 1], [1, 2], [0, 2], [2, 3]])
    >>> np.allclose(limiting_pmi_rank3(triangle_with_tail), limiting_pmi(triangle_with_tail))
    True
    """
    walk = symmetric_walk(graph)
    matrix = sherman_morrison_pinv(walk)
    diagonal(matrix)[:] -= 1 / walk.degrees
    matrix *= walk.volume
    matrix += 1
    return matrix


def hitting_times(graph: Graph | Walk) -> np.ndarray:
    r"""Return the mean number of steps :math:`H(i, j)` from node i until the walk is at j.

    .. math:: H(i, j) = N_{jj} - N_{ij}, \qquad N = M_\infty + \tilde D^{-1}

    with :math:`M_\infty` the :func:`~infwalk.matrices.limiting_pmi`. The diagonal is zero; the mean
    time until a walk from j is back at j is :math:`v_G / d_j`.

    Parameters
    ----------
    graph : graph in any form, or Walk
        As for :func:`infwalk.as_adjacency`, connected.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk import hitting_times
    >>> path = np.array([[0, 1], [1, 2], [2, 3]])
    >>> H = hitting_times(path)  # from one end of a path to a node at distance k: k^2 steps
    >>> np.allclose(H[0], [0, 1, 4, 9])
    True
    """
    walk = symmetric_walk(graph)
    times = scale_symmetric(fundamental_matrix(walk), 1 / walk.null)
    return np.subtract(diagonal(times).copy(), times, out=times)


def commute_times(graph: Graph | Walk) -> np.ndarray:
    r"""Return the mean number of steps :math:`C(i, j) = H(i, j) + H(j, i)` to a node and back.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk import commute_times, hitting_times
    >>> triangle_with_tail = np.array([[0, 1], [1, 2], [0, 2], [2, 3]])
    >>> H = hitting_times(triangle_with_tail)
    >>> np.allclose(commute_times(triangle_with_tail), H + H.T)
    True
    """
    walk = symmetric_walk(graph)
    return effective_resistance(walk) * walk.volume


def effective_resistance(graph: Graph | Walk) -> np.ndarray:
    r"""Return the effective resistances :math:`R_{ij} = L^+_{ii} + L^+_{jj} - 2 L^+_{ij}`.

    An edge of weight w is a conductor of resistance 1 / w. :math:`v_G R` is the matrix of
    :func:`commute_times`. A self-loop changes the commute times but not the resistances.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk import effective_resistance
    >>> triangle = np.array([[0, 1], [1, 2], [0, 2]])
    >>> R = effective_resistance(triangle)  # one edge in parallel with two in series
    >>> np.allclose(R[0], [0, 2 / 3, 2 / 3])
    True
    """
    walk = symmetric_walk(graph)
    resistance = scale_symmetric(fundamental_matrix(walk), 1 / np.sqrt(walk.degrees))
    own = diagonal(resistance).copy()
    resistance *= -2
    resistance += own
    resistance += own[:, None]
    diagonal(resistance)[:] = 0
    return resistance


def kemeny_constant(graph: Graph | Walk) -> float:
    r"""Return Kemeny's constant, the mean hitting time of a node drawn from :math:`\tilde d`.

    .. math:: K = \sum_j \tilde d_j H(i, j) = \sum_{j \ge 2} \frac{1}{1 - \lambda_j}

    It is the same for every starting node :math:`i`.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk import hitting_times, kemeny_constant
    >>> path = np.array([[0, 1], [1, 2], [2, 3]])
    >>> np.allclose(hitting_times(path) @ [1 / 6, 1 / 3, 1 / 3, 1 / 6], kemeny_constant(path))
    True
    """
    return float(np.trace(fundamental_matrix(graph)) - 1)


def finite_pmi(graph: Graph | Walk, window: int, *, form: str = "series") -> np.ndarray:
    r"""Return :math:`M_T` by the closed forms of eq. (4), with ``b = 1``.

    Parameters
    ----------
    graph, window
        As for :func:`infwalk.matrices.pmi`.
    form : {"series", "remainder"}, default="series"
        The first form sums the geometric series,
        :math:`\tilde P \tilde L^+ (I - \tilde P^T)`; the second subtracts the remainder from the
        limit, :math:`\tilde L^+ (I - \tilde P^{T+1}) - I`.

    Returns
    -------
    ndarray of shape (n_nodes, n_nodes)
        Where two nodes never co-occur the exact value is ``-inf``; here cancellation leaves that,
        or a number below -20. Use it only to compare with :func:`infwalk.matrices.pmi`.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk import pmi
    >>> from infwalk.laplacian import finite_pmi
    >>> triangle_with_tail = np.array([[0, 1], [1, 2], [0, 2], [2, 3]])
    >>> exact = pmi(triangle_with_tail, window=5)
    >>> np.allclose(finite_pmi(triangle_with_tail, 5, form="series"), exact)
    True
    >>> np.allclose(finite_pmi(triangle_with_tail, 5, form="remainder"), exact)
    True
    """
    check_count("window", window, 1)
    powers.check_products(window)
    check_choice("form", form, ("series", "remainder"))
    walk = symmetric_walk(graph)
    require_dense(walk.n_nodes, 3, np.float64, "the finite-window PMI matrix")
    pinv = laplacian_pinv(walk, normalized=True)
    remainder = pinv
    for _ in range(window if form == "series" else window + 1):
        remainder = walk.transition @ remainder
    matrix = pinv - remainder
    if form == "series":
        matrix = walk.transition @ matrix
    else:
        diagonal(matrix)[:] -= 1
    scale_symmetric(matrix, 1 / walk.null)
    ratio = 1 + (matrix if form == "series" else matrix + 1) / window
    with np.errstate(divide="ignore"):
        return np.log(np.maximum(ratio, 0, out=ratio), out=ratio)


def _shifted_inverse(walk: Walk, shift: np.ndarray, dtype: DTypeLike) -> np.ndarray:
    """Return (L~ + shift shift^T)^-1 for a unit vector that is not orthogonal to w_1."""
    check_precision(dtype)
    n_matrices = inverse_rows(walk.n_nodes) / walk.n_nodes
    require_dense(walk.n_nodes, n_matrices, dtype, "inverting the Laplacian")
    shift = shift.astype(dtype)
    matrix = add_rank_one(np.zeros((walk.n_nodes, walk.n_nodes), dtype), shift, shift)
    if walk.transition.vector is not None:
        jump = walk.transition.vector.astype(dtype)
        add_rank_one(matrix, -jump, jump)
    steps = walk.transition.sparse.tocoo()
    matrix[steps.coords] -= steps.data
    diagonal(matrix)[:] += 1
    return positive_definite_inverse(matrix)
