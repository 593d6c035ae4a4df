r"""Random-walk matrices and Laplacians of a graph, their pseudoinverses and their spectra.

With :math:`A` the adjacency matrix, :math:`d` its row sums (the degrees), :math:`D` the diagonal
matrix of :math:`d` and :math:`v_G = \sum_i d_i` the volume:

- :math:`P = D^{-1} A` is the random walk, :math:`\tilde P = D^{-1/2} A D^{-1/2}` its symmetric
  form;
- :math:`L = D - A` and :math:`\tilde L = I - \tilde P` are the two Laplacians.

A self-loop counts its weight once in the degree, so it cancels in :math:`L` but not in
:math:`\tilde L`. Where a function takes ``teleport``, the graph is the one with jumps of
:func:`infwalk.walk.symmetric_walk`, and may be in several pieces.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import DTypeLike
from scipy import linalg, sparse
from scipy.linalg import LinAlgError, LinAlgWarning
from scipy.sparse.linalg import LinearOperator

from infwalk._utils.memory import on_all_cores, require_dense, row_blocks
from infwalk._utils.parameters import check_count, check_precision
from infwalk.graph import Graph, as_adjacency
from infwalk.linalg.eigen import MAX_PRODUCTS, leading_eigenpairs
from infwalk.walk import Walk, divided, symmetric_walk

WARN_ABOVE = 1e-4
"""Estimated relative error of an inverse at which a warning is given."""

RAISE_ABOVE = 0.1
"""Estimated relative error of an inverse at which it is refused: no digit of it would be right."""

_TILE = 256


def degrees(graph: Graph) -> np.ndarray:
    """Return the weighted degrees :math:`d`, the row sums of the adjacency matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk.laplacian import degrees
    >>> degrees(np.array([[2.0, 1.0], [1.0, 0.0]]))
    array([3., 1.])
    """
    return np.asarray(as_adjacency(graph).sum(axis=1))


def transition_matrix(graph: Graph) -> sparse.csr_array:
    r"""Return :math:`P = D^{-1} A`, whose rows are the steps of the random walk.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk.laplacian import transition_matrix
    >>> transition_matrix(np.array([[2.0, 1.0], [1.0, 0.0]])).toarray().round(3)
    array([[0.667, 0.333],
           [1.   , 0.   ]])
    """
    adjacency = as_adjacency(graph)
    return divided(adjacency, adjacency.sum(axis=1), np.ones(adjacency.shape[0]))


def symmetric_transition(graph: Graph) -> sparse.csr_array:
    r"""Return :math:`\tilde P = D^{-1/2} A D^{-1/2}`, similar to :math:`P` and symmetric.

    Its leading eigenvector is known: :math:`w_1 = \sqrt{d / v_G}`, with eigenvalue 1.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk.laplacian import degrees, symmetric_transition
    >>> triangle_with_tail = np.array([[0, 1], [1, 2], [0, 2], [2, 3]])
    >>> w_1 = np.sqrt(degrees(triangle_with_tail) / 8)
    >>> np.allclose(symmetric_transition(triangle_with_tail) @ w_1, w_1)
    True
    """
    return symmetric_walk(graph).steps


def laplacian(graph: Graph, *, normalized: bool = False) -> sparse.csr_array:
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
    adjacency = as_adjacency(graph)
    if normalized:
        identity = sparse.eye_array(adjacency.shape[0], format="csr")
        return sparse.csr_array(identity - symmetric_transition(adjacency))
    return sparse.csr_array(sparse.diags_array(adjacency.sum(axis=1)) - adjacency)


def fundamental_matrix(
    graph: Graph, *, teleport: float = 0.0, dtype: DTypeLike = np.float64
) -> np.ndarray:
    r"""Return :math:`\tilde Z = (\tilde L + w_1 w_1^\top)^{-1} = \tilde L^+ + w_1 w_1^\top`, dense.

    This is the symmetric form of the fundamental matrix of the walk,
    :math:`(I - P + \mathbf 1 \tilde d^\top)^{-1} = D^{-1/2} \tilde Z D^{1/2}`. The matrix that is
    inverted is positive definite with eigenvalues in :math:`[1 - \lambda_2, 2]`, so a Cholesky
    inverse does it, in place and without a cut-off.

    Parameters
    ----------
    graph : sparse matrix or array, ndarray, networkx graph, or edge array
        As for :func:`infwalk.as_adjacency`; connected, unless there are jumps.
    teleport : float, default=0.0
        The share of uniform jumps among the steps; see :func:`infwalk.walk.symmetric_walk`.
    dtype : {"float64", "float32"}, default="float64"
        Precision of the work and of the result.

    Raises
    ------
    scipy.linalg.LinAlgError
        If the graph is so ill conditioned that no digit would be right in this precision. Below
        that, a :class:`scipy.linalg.LinAlgWarning` tells when few digits are.

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
    return shifted_inverse(walk, walk.null, dtype)


def laplacian_pinv(
    graph: Graph,
    *,
    normalized: bool = False,
    teleport: float = 0.0,
    dtype: DTypeLike = np.float64,
) -> np.ndarray:
    r"""Return the dense pseudoinverse :math:`L^+`, or with ``normalized`` :math:`\tilde L^+`.

    The null vector of either Laplacian is known, so the pseudoinverse is an ordinary inverse of a
    rank-one shift: with :math:`u = \mathbf 1 / \sqrt n` and any :math:`c > 0`,
    :math:`L^+ = (L + c\,u u^\top)^{-1} - c^{-1} u u^\top`. No singular value decomposition and no
    cut-off is involved.

    Parameters
    ----------
    graph : sparse matrix or array, ndarray, networkx graph, or edge array
        As for :func:`infwalk.as_adjacency`; connected, unless there are jumps.
    normalized : bool, default=False
        Whether to invert :math:`\tilde L` in place of :math:`L`.
    teleport : float, default=0.0
        The share of uniform jumps among the steps; see :func:`infwalk.walk.symmetric_walk`.
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
        return add_rank_one(shifted_inverse(walk, walk.null, dtype), -null, null)
    inverse_degrees = 1.0 / walk.degrees
    harmonic_sum = inverse_degrees.sum()
    # D^-1/2 (L + c u u') D^-1/2 = L~ + g g' with |g| = 1 when c is the harmonic mean degree.
    root = np.sqrt(inverse_degrees)
    pinv = scale_symmetric(
        shifted_inverse(walk, root / np.sqrt(harmonic_sum), dtype), root.astype(dtype)
    )
    pinv -= pinv.dtype.type(harmonic_sum / walk.n_nodes**2)
    return pinv


def sherman_morrison_pinv(graph: Graph) -> np.ndarray:
    r"""Return :math:`D^{-1/2} \tilde L^+ D^{-1/2}` by way of the unnormalized :math:`L^+`.

    The paper's variant of the Sherman-Morrison formula (after Meyer, 1973) gives it as
    :math:`(I - \mathbf 1 \tilde d^\top) L^+ (I - \tilde d \mathbf 1^\top)`, with
    :math:`\tilde d = d / v_G`. It is a second route to the same matrix, here to be compared with
    the direct one.

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
    adjacency = as_adjacency(graph)
    stationary = symmetric_walk(adjacency).null ** 2
    pinv = laplacian_pinv(adjacency)
    image = pinv @ stationary
    pinv += stationary @ image
    pinv -= image
    pinv -= image[:, None]
    return pinv


def spectrum(graph: Graph) -> np.ndarray:
    r"""Return all eigenvalues of :math:`\tilde P` (those of :math:`P`), largest first.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk.laplacian import spectrum
    >>> triangle = np.ones((3, 3)) - np.eye(3)
    >>> spectrum(triangle).round(6)
    array([ 1. , -0.5, -0.5])
    """
    walk = symmetric_transition(graph)
    require_dense(walk.shape[0], 2, np.float64, "the full spectrum of the walk")
    return linalg.eigvalsh(walk.toarray(), overwrite_a=True, check_finite=False)[::-1]


def fiedler_value(graph: Graph) -> float:
    r"""Return :math:`\lambda_2`, the second largest eigenvalue of :math:`\tilde P`.

    The paper calls it the Fiedler eigenvalue; :math:`1 - \lambda_2` is the smallest non-zero
    eigenvalue of :math:`\tilde L`.

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk.laplacian import fiedler_value
    >>> round(fiedler_value(np.ones((4, 4)) - np.eye(4)), 6)
    -0.333333
    """
    return float(leading_spectrum(graph, 1, skip_first=True)[0][0])


def leading_spectrum(
    graph: Graph,
    n_pairs: int,
    *,
    skip_first: bool = False,
    teleport: float = 0.0,
    tol: float | None = None,
    random_state: Any = 0,
) -> tuple[np.ndarray, np.ndarray]:
    r"""Return the largest eigenvalues of :math:`\tilde P` and their eigenvectors.

    Only sparse products are used, so this goes where no dense matrix fits.

    Parameters
    ----------
    graph : sparse matrix or array, ndarray, networkx graph, or edge array
        As for :func:`infwalk.as_adjacency`; connected, unless there are jumps.
    n_pairs : int
        How many, counted from the top of the spectrum (not by magnitude).
    skip_first : bool, default=False
        Whether to leave out the known pair :math:`(1, w_1)`.
    teleport : float, default=0.0
        The share of uniform jumps among the steps; see :func:`infwalk.walk.symmetric_walk`.
    tol, random_state
        As for :func:`infwalk.linalg.eigen.leading_eigenpairs`.

    Returns
    -------
    values : (n_pairs,) array, largest first
    vectors : (n_nodes, n_pairs) array

    Examples
    --------
    >>> import numpy as np
    >>> from infwalk.laplacian import leading_spectrum
    >>> values, _ = leading_spectrum(np.ones((4, 4)) - np.eye(4), 2)
    >>> values.round(6)
    array([ 1.      , -0.333333])
    """
    return walk_spectrum(
        symmetric_walk(graph, teleport),
        n_pairs,
        skip_first=skip_first,
        tol=tol,
        random_state=random_state,
    )


def walk_spectrum(
    walk: Walk,
    n_pairs: int,
    *,
    skip_first: bool = False,
    tol: float | None = None,
    max_products: int = MAX_PRODUCTS,
    random_state: Any = 0,
) -> tuple[np.ndarray, np.ndarray]:
    """Return what :func:`leading_spectrum` does, for a walk that is there already.

    After ``max_products`` block products it is content with what there is, and warns.
    """
    n_nodes = walk.n_nodes
    check_count("n_pairs", n_pairs, 1, n_nodes - 1, f" for a graph of {n_nodes} nodes")
    null = walk.null[:, None] * (1.0 if skip_first else 0.0)

    # Shifted by 2 the spectrum lies in [1, 3], so largest means largest in magnitude, and the
    # skipped pair, moved to 0, comes last.
    def shifted(x: np.ndarray) -> np.ndarray:
        x = x.reshape(n_nodes, -1)
        return walk @ x + 2.0 * x - 3.0 * null * (null.T @ x)

    operator = LinearOperator(walk.steps.shape, matvec=shifted, matmat=shifted, dtype=np.float64)
    values, vectors = leading_eigenpairs(
        operator, n_pairs, tol=tol, max_products=max_products, random_state=random_state
    )
    return values - 2.0, vectors


def scale_symmetric(matrix: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Multiply ``matrix[i, j]`` by ``scale[i] * scale[j]``, in place."""

    def scale_rows(rows: slice) -> None:
        matrix[rows] *= scale[rows, None] * scale

    on_all_cores(scale_rows, row_blocks(matrix))
    return matrix


def add_rank_one(matrix: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Add ``left[i] * right[j]`` to ``matrix[i, j]``, in place."""

    def add_to_rows(rows: slice) -> None:
        matrix[rows] += left[rows, None] * right

    on_all_cores(add_to_rows, row_blocks(matrix))
    return matrix


def mirror_upper(matrix: np.ndarray) -> np.ndarray:
    """Copy the upper triangle onto the lower one, in place."""
    n = matrix.shape[0]

    def mirror_rows(i: int) -> None:
        diagonal = matrix[i : i + _TILE, i : i + _TILE]
        diagonal[...] = np.triu(diagonal) + np.triu(diagonal, 1).T
        for j in range(i + _TILE, n, _TILE):
            matrix[j : j + _TILE, i : i + _TILE] = matrix[i : i + _TILE, j : j + _TILE].T

    on_all_cores(mirror_rows, range(0, n, _TILE))
    return matrix


def shifted_inverse(walk: Walk, shift: np.ndarray, dtype: DTypeLike) -> np.ndarray:
    """Return (L~ + shift shift^T)^-1 for a unit vector that is not orthogonal to w_1."""
    check_precision(dtype)
    require_dense(walk.n_nodes, 1.1, dtype, "inverting the Laplacian")
    shift = shift.astype(dtype)
    matrix = add_rank_one(np.zeros((walk.n_nodes, walk.n_nodes), dtype), shift, shift)
    if walk.jump is not None:
        jump = walk.jump.astype(dtype)
        add_rank_one(matrix, -jump, jump)
    steps = walk.steps.tocoo()
    matrix[steps.coords] -= steps.data
    matrix.ravel()[:: walk.n_nodes + 1] += 1
    return _cholesky_inverse(matrix)


def _cholesky_inverse(matrix: np.ndarray) -> np.ndarray:
    """Invert a symmetric positive definite matrix of norm at most 3, in place."""
    potrf, potri = linalg.get_lapack_funcs(("potrf", "potri"), (matrix,))
    # LAPACK wants columns; a symmetric matrix is its own transpose.
    factor, info = potrf(matrix.T, lower=True, overwrite_a=True, clean=False)
    if info:
        _check_conditioning(np.inf, matrix.dtype)
    inverse = mirror_upper(potri(factor, lower=True, overwrite_c=True)[0].T)
    norms = on_all_cores(
        lambda rows: float(np.abs(inverse[rows]).sum(axis=1).max()), row_blocks(inverse)
    )
    _check_conditioning(max(norms) * float(np.finfo(matrix.dtype).eps), matrix.dtype)
    return inverse


def _check_conditioning(relative_error: float, dtype: np.dtype[Any]) -> None:
    if relative_error < WARN_ABOVE:
        return
    remedy = (
        'Use dtype="float64"'
        if dtype == np.float32
        else "Look for edges whose weights are many orders of magnitude below the others"
    )
    message = (
        f"the Laplacian is ill conditioned: an estimated relative error of {relative_error:.0e} "
        f"in {dtype}. {remedy}"
    )
    if relative_error >= RAISE_ABOVE:
        raise LinAlgError(message)
    warnings.warn(message, LinAlgWarning, stacklevel=2)
