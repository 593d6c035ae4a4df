"""node2vec: its second-order walk, the limiting PMI matrix of that walk, and an embedding."""

from infwalk.second_order.embedding import InfiniteNode2Vec
from infwalk.second_order.limit import SecondOrderLimit, node2vec_limiting_pmi
from infwalk.second_order.walk import SecondOrderWalk, second_order_walk

__all__ = [
    "InfiniteNode2Vec",
    "SecondOrderLimit",
    "SecondOrderWalk",
    "node2vec_limiting_pmi",
    "second_order_walk",
]
