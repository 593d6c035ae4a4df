"""Embeddings learned from samples of a graph: DeepWalk, node2vec and LINE.

The estimators need the extra ``infwalk[sampling]``, which installs gensim and numba. Random walks
and their co-occurrence counts need neither.
"""

from infwalk.sampled.deepwalk import DeepWalk, Node2Vec
from infwalk.sampled.line import LINE
from infwalk.sampled.walks import cooccurrence_counts, random_walks

__all__ = ["LINE", "DeepWalk", "Node2Vec", "cooccurrence_counts", "random_walks"]
