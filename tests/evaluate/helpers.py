"""Labelled embeddings, and scikit-learn's solver for them."""

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier


def multilabel(n_nodes=300, n_features=8, n_labels=6, seed=0):
    """Noisy linear labels, from none to several per node, some rare."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_nodes, n_features))
    logits = X @ rng.standard_normal((n_features, n_labels)) + rng.logistic(size=(n_nodes, 1))
    return X, (logits > np.linspace(0.5, 5, n_labels)).astype(int)


def liblinear(C=1.0):
    return OneVsRestClassifier(LogisticRegression(solver="liblinear", C=C, tol=1e-9, max_iter=5000))
