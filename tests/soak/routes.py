"""Every estimator, by every route, against its definition computed by dense LAPACK in float64.

Bounds follow from the conditioning of the graph. The entries before the nonlinearity have an error
bound each; the nonlinearity is monotone, so it maps the ends of an interval to the ends of another
one; and eigenvalues err by no more than the norm of that (Weyl). The residual of each eigenpair of
the reference matrix is held to the same bound. Unlike a comparison of the Gram matrices
X diag(sign w) X^T, which are ambiguous where the cut goes through a repeated eigenvalue, this needs
no spectral gap; where there is one, it bounds their difference (Davis and Kahan).

A documented error or warning in place of a result is right too, if the graph gives a reason.
"""

import traceback
import warnings
from collections import Counter
from functools import cached_property, partial

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.linalg import LinAlgWarning
from sklearn.exceptions import ConvergenceWarning

import infwalk
from infwalk.embedding import SMALL_COMPONENTS
from infwalk.linalg import chebyshev, dense, eigen, filtered
from infwalk.nonlinearity import EPS, TIES, unit_rows
from tests.helpers.graphs import with_jumps
from tests.soak.graphs import Digraph, Graph, graphs, many_copies
from tests.soak.walks import MOST_ARCS, DirectedReference, Node2VecReference

GRAPHS_PER_CASE = 10

INVENTED = 1.1
"""With 90% of the columns no eigenvalue may exceed the largest of the whole matrix by more."""

RELATIVE = 1e-6
"""Largest relative error of an eigenvalue of L~^+ beside rounding."""

SLOW_FIT, SLOW_ROW = 3e4, 3e5
"""Nodes times the root of the condition from which columns, and single rows, are left out."""


class Reference:
    """A graph's walk and its matrices, each with a bound of the error of every entry.

    Rounding errors add up like random numbers: n of them give a multiple of sqrt(n) times the
    machine precision (Higham and Mary, 2019).
    """

    def __init__(self, A, teleport, dtype):
        self.exponent = 2 * (int(np.frexp(A.max())[1]) // 2)
        self.adjacency = np.ldexp(A, -self.exponent)
        if teleport:
            A = with_jumps(self.adjacency, teleport)
        self.n, d = len(A), A.sum(axis=1)
        # Powers of two are exact, and keep products of denormal degrees from losing digits.
        half = np.frexp(d)[1] // 2
        root = np.sqrt(np.ldexp(d, -2 * half))
        self.step = np.ldexp(A, -half[:, None] - half) / np.outer(root, root)
        self.null = np.sqrt(d / d.sum())
        self.degrees = d if teleport else np.ldexp(d, -self.exponent)
        self.dtype, self.eps = dtype, float(np.finfo(dtype).eps)
        self.own, self.rounding = (10 * np.sqrt(self.n) * eps for eps in (EPS, self.eps))
        self.tol, self.residual = eigen.TOL[np.dtype(dtype)], chebyshev.TOL[np.dtype(dtype)]

    @cached_property
    def spectrum(self):
        """The eigenpairs of P~, smallest first."""
        return np.linalg.eigh(self.step)

    @cached_property
    def condition(self):
        """The norm of the fundamental matrix."""
        return 1 / max(min(1, 1 - self.spectrum[0][-2]), EPS / 10)

    @cached_property
    def shifted_condition(self):
        """The norm of the inverse from which the dense L^+ is made."""
        shift = 1 / np.sqrt(self.degrees)
        shift /= np.linalg.norm(shift)
        matrix = np.eye(self.n) - self.step + np.outer(shift, shift)
        if not np.isfinite(matrix).all():
            return np.inf
        return max(self.condition, 1 / max(np.linalg.eigvalsh(matrix)[0], EPS / 10))

    def takes_long(self, limit):
        """Whether an iteration for the columns does: its steps grow with the root of this."""
        return np.isfinite(self.step).all() and self.n * np.sqrt(self.condition) > limit

    def normalized_pinv(self, condition, columns, own=False):
        """L~^+, and a bound of its error in norm; columns come from an iteration."""
        values, vectors = self.spectrum
        pinv = (vectors[:, :-1] / np.maximum(1 - values[:-1], EPS / 10)) @ vectors[:, :-1].T
        error = 0.0 if own else self.rounding * condition**2 + columns * self.residual * condition
        return pinv, error + self.own * self.condition**2

    def limit(self, columns=0):
        """M_infinity, eq. (1)."""
        pinv, error = self.normalized_pinv(self.condition, columns)
        scale = 1 / np.outer(self.null, self.null)
        return (pinv - np.eye(self.n)) * scale + 1, error * scale

    def plain_pinv(self, columns=0, own=False):
        """L^+ = J D^-1/2 L~^+ D^-1/2 J, in units of 2^-exponent; own leaves out infwalk's error."""
        condition = self.condition if columns else self.shifted_condition
        pinv, error = self.normalized_pinv(condition, columns, own)
        root, centre = 1 / np.sqrt(self.degrees), np.eye(self.n) - 1 / self.n
        reach = root + np.linalg.norm(root) / self.n  # J adds a mean
        return centre @ (pinv * np.outer(root, root)) @ centre, 4 * error * np.outer(reach, reach)

    def ratio(self, window, rank):
        """The matrix in the logarithm of eq. (2); with rank, by the leading eigenpairs of P~."""
        scale = 1 / np.outer(self.null, self.null)
        error = (window + 1) * (self.rounding + self.own)
        if rank is None:
            total = np.zeros_like(self.step)
            for _ in range(window):
                total = self.step @ (np.eye(self.n) + total)
            return total / window * scale, error * scale
        values, vectors = (pairs[..., -rank:] for pairs in self.spectrum)
        weights = np.maximum(sum(values**k for k in range(1, window + 1)) / window, 0)
        residual = 3 * eigen.TOL[np.dtype(float)] * np.sqrt(rank)
        gap = values[0] - self.spectrum[0][-rank - 1] - residual
        error += (window + 1) * residual + (4 * residual / gap if gap > 0 else np.inf)
        return (vectors * weights) @ vectors.T * scale, error * scale

    def truncated_limit(self, rank, exact_steps):
        """M_infinity with the powers of P~ above ``exact_steps`` by the leading eigenpairs."""
        values, vectors = (pairs[..., -rank:-1] for pairs in self.spectrum)
        weights = values ** (exact_steps + 1) / np.maximum(1 - values, EPS / 10)
        total = (vectors * weights) @ vectors.T
        for power in range(1, exact_steps + 1):
            total += np.linalg.matrix_power(self.step - np.outer(self.null, self.null), power)
        change = self.rounding + self.own
        if self.n > filtered._DENSE_UP_TO:
            change += filtered.TOL[self.dtype] * np.sqrt(rank)
        gaps = values - self.spectrum[0][:-rank].max(initial=-np.inf) - change
        turn = np.where(gaps > 0, np.abs(weights) / gaps, np.inf).max(initial=0)
        error = change * ((exact_steps + 2) * self.condition**2 + 4 * turn)
        scale = 1 / np.outer(self.null, self.null)
        return total * scale, error * scale


def monotone(function, M, error, eps):
    """An increasing function of a matrix, and the error bounds of its entries."""
    low, middle, high = function(M - error), function(M), function(M + error)
    return middle, np.maximum(high - middle, middle - low) + 4 * eps * np.abs(middle)


def above(c, M, error):
    """[x >= c]; entries within the error bounds, own or of c, are not clear: they err by 1."""
    return c <= M, (np.abs(M - c) <= error + error.max()).astype(float)


def log_ramp(window, ramp, x):
    return x if np.isinf(window) else np.log1p(np.maximum(ramp - 1, x / window))


def positive_log(x):
    return np.log(np.maximum(1, x))


def nonlinear(model, reference):
    """The matrix that a model factors and its rows for copies of all nodes, with error bounds."""
    columns, truncated = model.landmarks_, model._out_of_sample[0]
    by_columns = int(len(columns) < reference.n)
    if isinstance(model, infwalk.InfiniteWalk):
        function = partial(monotone, partial(log_ramp, model.window, model.ramp or 1.0))
        matrix, new = reference.limit(by_columns), reference.limit(columns=2)
        if truncated.rank is not None:
            matrix = new = reference.truncated_limit(truncated.rank, truncated.exact_steps)
    elif isinstance(model, infwalk.NetMF):
        function = partial(monotone, positive_log)
        matrix = new = reference.ratio(model.window, model.rank)
    else:
        matrix, (M, error) = reference.plain_pinv(by_columns), reference.plain_pinv(columns=2)
        new = M - np.diag(1 / reference.degrees), error
        entries = matrix[0][:, columns]
        c = np.quantile(entries, model.quantile, method="inverted_cdf")
        c -= TIES[np.dtype(model.dtype or "float64")] * np.abs(entries).mean()
        return above(c, *matrix), above(c, *new)
    return function(*matrix, reference.eps), function(*new, reference.eps)


def check_eigenvalues(values, M, error):
    expected = np.linalg.eigvalsh(M)
    expected = expected[np.argsort(-np.abs(expected))][: len(values)]
    excess = np.abs(np.abs(values) - np.abs(expected)) - error
    worst = int(np.argmax(excess))
    assert excess[worst] <= 0, (
        f"eigenvalue {worst} is {values[worst]:.10g} and should be {expected[worst]:.10g}, "
        f"within {error:.1e}"
    )


def check_pairs(values, X, rows, nodes, error):
    """Fail unless rows @ V = V[nodes] w for X = V sqrt|w|, V orthonormal; leave out rounding."""
    sound = np.abs(values) > 10 * error
    values, V = values[sound], X[:, sound] / np.sqrt(np.abs(values[sound]))
    residual = np.linalg.norm(rows @ V - V[nodes] * values, axis=0).max(initial=0)
    assert residual <= error, f"a pair has the residual {residual:.1e}; allowed {error:.1e}"
    skew = np.abs(V.T @ V - np.eye(len(values))).max(initial=0)
    allowed = 1e-9 + 100 * error / np.abs(values).min(initial=np.inf)
    assert skew <= allowed, f"columns are not orthogonal by {skew:.1e}; allowed {allowed:.1e}"


def compare_spectral(model, reference, values, X):
    """Compare an embedding without a nonlinearity."""
    if isinstance(model, infwalk.AdjacencySpectral):
        # A denormal eigenvalue is a multiple of the smallest number.
        M, error = reference.adjacency, np.ldexp(5e-324, -reference.exponent)
    elif not model.normalized:
        M, error = reference.plain_pinv()
        values, X = np.ldexp(values, 2 * reference.exponent), np.ldexp(X, reference.exponent)
    else:  # as the largest eigenvalues of P~, shifted to be positive, without the known one
        M, error = reference.step + 2 * np.eye(reference.n), 0.0
        M -= 3 * np.outer(reference.null, reference.null)
        expected = 1 / np.maximum(1 - reference.spectrum[0][-2 : -2 - len(values) : -1], EPS / 10)
        off = np.abs(values / expected - 1).max()
        allowed = RELATIVE + 4 * reference.own * reference.condition
        assert off <= allowed, f"relative error {off:.1e} of an eigenvalue; allowed {allowed:.1e}"
        X, values = X * np.sqrt((3 - 1 / values) / values), 3 - 1 / values
    if not isinstance(model, infwalk.LaplacianEigenmaps) or not model.normalized:
        values, X = np.ldexp(values, -reference.exponent), np.ldexp(X, -reference.exponent // 2)
    return compare_pairs(values, X, M, error, reference)


def compare_pairs(values, X, M, error, reference):
    norm = np.abs(M).sum(axis=1).max()
    eta = np.linalg.norm(error) + reference.rounding * norm
    if not eta < norm / 10:
        return "unresolved"
    eta += 4 * reference.tol * norm
    check_eigenvalues(values, M, eta)
    check_pairs(values, X, M, slice(None), 4 * eta)
    return "compared"


def compare_columns(values, X, C, error, reference):
    """Compare X = U sqrt(w) with columns C = U diag(w) V^T, scaled for their number."""
    scale = np.sqrt(reference.n / C.shape[1])
    C, norm = C * scale, np.linalg.norm(C * scale)
    eta = scale * np.linalg.norm(error) + (reference.rounding + 4 * reference.tol) * norm
    if not eta < norm / 10:
        return "unresolved"
    eta *= 3 * norm
    check_eigenvalues(values**2, C @ C.T, eta)
    Y = X * np.sqrt(values)  # U diag(w): pairs of small w count for less
    residual = np.linalg.norm(C @ (C.T @ Y) - Y * values**2, axis=0).max()
    assert residual <= 4 * eta * norm, f"residual {residual:.1e}; allowed {4 * eta * norm:.1e}"
    skew = np.abs(Y.T @ Y - np.diag(values**2)).max()
    assert skew <= 4 * eta, f"columns are not orthogonal by {skew:.1e}; allowed {4 * eta:.1e}"
    return "compared"


def compare_limit(model, reference, values, X):
    """Compare the embedding of a directed graph, or by node2vec's walk."""
    function = partial(log_ramp, model.window, model.ramp)
    M, error = monotone(function, *reference.limit(), reference.eps)
    if isinstance(model, infwalk.DirectedInfiniteWalk):
        # The eigenvalues of [[0, M], [M^T, 0]] are the singular values of M and their opposites.
        none, error = np.zeros_like(M), np.sqrt(2) * np.linalg.norm(error)
        M = np.block([[none, M], [M.T, none]])
        X, values = np.vstack(np.hsplit(X, 2)) / np.sqrt(2), model.singular_values_
        opposite = np.repeat([1, -1], reference.n)[:, None] * X
        X, values = np.hstack([X, opposite]), np.append(values, -values)
        order = np.argsort(-np.abs(values), kind="stable")
        X, values = X[:, order], values[order]
    return compare_pairs(values, X, M, error, reference)


def compare_entrywise(model, reference, values, X, A):
    """Compare an embedding of all or of sampled columns, and that of copies of its nodes."""
    (M, error), (rows, row_error) = nonlinear(model, reference)
    nodes = model.landmarks_
    if len(nodes) == reference.n:
        outcome = compare_pairs(values, X, M, error, reference)
    elif model._out_of_sample[0].rank is not None:
        outcome = compare_columns(values, X, M[:, nodes], error[:, nodes], reference)
    else:
        norm = np.linalg.norm(M[:, nodes])
        eta = np.linalg.norm(error[:, nodes]) + (reference.tol + np.sqrt(reference.rounding)) * norm
        outcome = "compared" if eta < norm / 10 else "unresolved"
        if outcome == "compared":
            check_pairs(values, X, M[:, nodes].T, nodes, eta)
        if outcome == "compared" and len(nodes) >= 0.9 * reference.n:
            largest = np.linalg.norm(M, 2)
            assert np.abs(values[0]) <= INVENTED * largest + eta, (
                f"eigenvalue {values[0]:.10g} from {len(nodes)} columns, where the matrix has the "
                f"norm {largest:.10g}"
            )
    if reference.takes_long(SLOW_ROW):
        return outcome
    some = np.setdiff1d(np.arange(reference.n), nodes)[:5] if len(nodes) < reference.n else [0, -1]
    new, alarm = attempt(lambda: model.transform_new(sparse.csr_array(A)[some]))
    if alarm is None:
        basis = np.abs(model._out_of_sample[-1].astype(float))
        expected = rows[some][:, nodes] @ model._out_of_sample[-1]
        allowed = row_error[some][:, nodes] @ basis
        allowed += reference.rounding * (np.abs(rows[some][:, nodes]) @ basis)
        excess = (np.abs(new - expected) - allowed)[np.isfinite(allowed)].max(initial=0)
        assert excess <= 0, f"the embedding of copies of nodes {some} is off by {excess:.1e}"
    return outcome


def attempt(function):
    """The result of a function, and its documented error or warning; any other one is raised."""
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        try:
            result = function()
        except (ValueError, MemoryError) as error:  # LinAlgError is a ValueError
            if "site-packages" in traceback.extract_tb(error.__traceback__)[-1].filename:
                raise AssertionError("an error of a library") from error
            return None, error
    for note in notes:
        known = issubclass(note.category, (ConvergenceWarning, LinAlgWarning))
        assert known, f"{note.message!r} in {note.filename}:{note.lineno}"
    return result, notes[0].message if notes else None


def check(estimator, graph, options):
    """Compare one fit with its reference, and say what came of it."""
    A, options = graph.adjacency, adapted(options, graph)
    unit = options.pop("unit_rows")
    model, dtype = getattr(infwalk, estimator)(**options), np.dtype(options.get("dtype", "f8"))
    if is_left_out(model, graph):
        return "left out"
    with np.errstate(all="ignore"):
        reference = reference_of(model, graph, dtype)
        if "landmarks" in options and reference.takes_long(SLOW_FIT):
            return "left out"
    found, alarm = attempt(lambda: model.fit(sparse.csr_array(A)))
    if alarm is not None:
        check_alarm(alarm, graph, model, reference)
        return "refused" if found is None else "warned"
    with np.errstate(all="ignore"):
        condition = condition_of(model, reference)
        assert reference.eps * condition < 10, f"silent at a condition of {condition:.0e}"
        values = model.singular_values_ if is_directed(model) else model.eigenvalues_
        assert model.embedding_.dtype == values.dtype == dtype
        X, values = model.embedding_.astype(float), values.astype(float)
        assert X.shape == (len(A), (1 + is_directed(model)) * options["n_components"])
        assert np.isfinite(X).all(), "the embedding is not finite"
        if isinstance(model, LIMITS):
            outcome = compare_limit(model, reference, values, X)
        elif hasattr(model, "landmarks_"):
            outcome = compare_entrywise(model, reference, values, X, A)
        else:
            outcome = compare_spectral(model, reference, values, X)
    if unit:
        expected = unit_rows(model.embedding_)
        found = model.set_params(unit_rows=True).fit(sparse.csr_array(A)).embedding_
        assert np.array_equal(found, expected), "unit_rows is not the division by the row norms"
    return outcome


LIMITS = infwalk.DirectedInfiniteWalk, infwalk.InfiniteNode2Vec


def is_directed(model):
    return isinstance(model, infwalk.DirectedInfiniteWalk)


def is_left_out(model, graph):
    """Whether the reference takes too long, or small components would not be seen by a rank."""
    if isinstance(model, infwalk.InfiniteNode2Vec):
        return np.count_nonzero(graph.adjacency) > MOST_ARCS
    n, smallest = len(graph.adjacency), np.bincount(graph.components).min()
    truncated = getattr(model, "rank", None) or getattr(model, "method", None) == "fast"
    sampled = truncated and isinstance(model, infwalk.InfiniteWalk) and model.landmarks
    return bool(sampled) and SMALL_COMPONENTS * model.n_components * smallest < n


def reference_of(model, graph, dtype):
    """The dense walk of a model; None if the graph has several components and it has no jumps."""
    teleport = getattr(model, "teleport", 0.0)
    if not (graph.connected or teleport):
        return None
    if is_directed(model):
        return DirectedReference(graph.adjacency, teleport)
    if isinstance(model, infwalk.InfiniteNode2Vec):
        return Node2VecReference(graph.adjacency, model.p, model.q)
    return Reference(graph.adjacency, teleport, dtype)


def adapted(options, graph):
    """Options that the graph allows: its size bounds some, and components need teleport."""
    n, options = len(graph.adjacency), dict(options)
    k = options["n_components"] = min(options["n_components"], n - 1)
    if "rank" in options:
        options["rank"] = min(options["rank"], n - 1)
    if "landmarks" in options:
        options["landmarks"] = int(np.clip(options["landmarks"] * n, k + 1, max(k + 1, n - 1)))
    if "teleport" in options and not graph.connected:
        options["teleport"] = max(options["teleport"], 0.01)
    return options


def check_alarm(alarm, graph, model, reference):
    """Fail if the graph gives no reason for an error or a warning."""
    if isinstance(alarm, (ConvergenceWarning, infwalk.graph.NotConnectedError)):
        assert isinstance(alarm, ConvergenceWarning) or not graph.connected
    elif graph.moderate:
        condition = condition_of(model, reference)
        digits = reference.eps * np.sqrt(reference.n) * condition
        assert digits > dense.WARN_ABOVE / 10, f"{alarm!r} at a condition of {condition:.0e}"


def condition_of(model, reference):
    """The norm of the inverse that a model is made from; 1 if it inverts nothing."""
    if isinstance(model, (infwalk.NetMF, infwalk.AdjacencySpectral)):
        return 1.0
    if getattr(model, "rank", None) == 1:  # only the known pair, whose part is exact
        return 1.0
    plain = isinstance(model, infwalk.BinarizedLaplacian) or not getattr(model, "normalized", True)
    return reference.shifted_condition if plain else reference.condition


SHARED = {
    "n_components": st.sampled_from([1, 2, 5, 20, 64, 64, 10**6]),
    "unit_rows": st.sampled_from([False, False, False, True]),
    "random_state": st.integers(0, 3),
}
TELEPORT = {"teleport": st.sampled_from([0.0, 0.0, 1e-6, 0.05, 0.9])}
SINGLE = {"dtype": st.just("float32")}
LANDMARKS = {"landmarks": st.sampled_from([0.1, 0.5, 0.9, 1.0])}
WALK = TELEPORT | {
    "window": st.sampled_from([0.5, 1, 10, 1000, 1e12, np.inf]),
    "ramp": st.sampled_from([EPS, 1.0]),
}
RANK = {"rank": st.sampled_from([1, 3, 16, 64]), "exact_steps": st.integers(0, 2)}
FAST = {key: WALK[key] for key in ("teleport", "window")} | {"method": st.just("fast")}
BIASES = {key: st.sampled_from([0.25, 0.5, 1.0, 2.0, 4.0]) for key in "pq"}
WINDOW = TELEPORT | {"window": st.sampled_from([1, 2, 10, 30])}
QUANTILE = TELEPORT | {"quantile": st.sampled_from([0.5, 0.8, 0.95, 0.99])}

ROUTES = {
    "InfiniteWalk": WALK,
    "InfiniteWalk in float32": WALK | SINGLE,
    "InfiniteWalk by landmarks": WALK | LANDMARKS,
    "InfiniteWalk by landmarks in float32": WALK | LANDMARKS | SINGLE,
    "InfiniteWalk by rank": WALK | RANK,
    "InfiniteWalk by rank and landmarks": WALK | RANK | LANDMARKS,
    "InfiniteWalk by the fast method": FAST | LANDMARKS | {"dtype": st.just("float64")},
    "InfiniteWalk by the fast method in float32": FAST | LANDMARKS | SINGLE,
    "DirectedInfiniteWalk": WALK,
    "InfiniteNode2Vec": {key: WALK[key] for key in ("window", "ramp")} | BIASES,
    "NetMF": WINDOW,
    "NetMF in float32": WINDOW | SINGLE,
    "NetMF by landmarks": WINDOW | LANDMARKS,
    "NetMF by rank": WINDOW | {"rank": st.sampled_from([1, 3, 16, 64])},
    "BinarizedLaplacian": QUANTILE,
    "BinarizedLaplacian in float32": QUANTILE | SINGLE,
    "BinarizedLaplacian by landmarks": QUANTILE | LANDMARKS,
    "LaplacianEigenmaps": TELEPORT,
    "LaplacianEigenmaps of many copies": TELEPORT | {"n_components": st.just(64)},
    "LaplacianEigenmaps, not normalized": TELEPORT | {"normalized": st.just(False)},
    "AdjacencySpectral": {},
}


def run(route, case_seed, n_graphs=GRAPHS_PER_CASE, shrink=False):
    """Compare fits on so many random graphs; count what came of them."""
    counts = Counter()
    kind = Digraph if route.startswith("Directed") else Graph
    small = route == "InfiniteNode2Vec"  # the reference is a matrix over the arcs
    strategy = many_copies() if "copies" in route else graphs(kind, small)
    phases = (Phase.generate, Phase.shrink) if shrink else (Phase.generate,)

    @seed(case_seed)
    @settings(
        max_examples=n_graphs,
        phases=phases,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
        print_blob=False,
    )
    @given(graph=strategy, options=st.fixed_dictionaries(SHARED | ROUTES[route]))
    def compare_one(graph, options):
        counts[check(route.split()[0].rstrip(","), graph, options)] += 1

    compare_one()
    return counts
