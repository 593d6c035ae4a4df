"""A soak test: random graphs, killed processes and damaged files, for as long as you let it run.

``make soak SOAK_MINUTES=60``, or ``python -m tests.soak --minutes 2 --seed 7`` from the root of the
repository. It prints how many cases of each kind it tried. Each part is one module:

- ``routes``: every estimator and every route against plain dense LAPACK, on graphs from ``graphs``;
  the walks that are not symmetric are in ``walks``;
- ``kills``: fits with ``scratch``, writers of embeddings, and the reproduction, killed at random
  moments and resumed;
- ``corruption``: random damage to every kind of file that we write.
"""
