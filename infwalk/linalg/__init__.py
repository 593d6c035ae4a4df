"""Linear algebra that knows no graph.

- :mod:`~infwalk.linalg.eigen`: leading eigenpairs of a symmetric matrix by block Lanczos iteration;
- :mod:`~infwalk.linalg.operator`: a sparse matrix plus a rank-one term, with a fused product;
- :mod:`~infwalk.linalg.chebyshev`: columns of the pseudoinverse of I - A by Chebyshev iteration;
- :mod:`~infwalk.linalg.dense`: in-place Cholesky inverse and entrywise passes on all cores;
- :mod:`~infwalk.linalg.kernels`: loops compiled by numba, if it is installed.
"""
