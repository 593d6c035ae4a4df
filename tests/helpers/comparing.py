"""Measures of how far two results for the same thing are apart."""

import numpy as np


def relative_error(found, expected):
    """The largest difference as a share of the largest expected entry."""
    return np.abs(found - expected).max() / np.abs(expected).max()


def principal_angle(X, Y):
    """The largest angle, as its sine, between the spaces that two sets of columns span."""
    X, Y = np.linalg.qr(X)[0], np.linalg.qr(Y)[0]
    return np.linalg.norm(Y - X @ (X.T @ Y), 2)


def equal_up_to_signs(X, Y, tol):
    """Whether every column of X is that of Y, or its negative."""
    signs = np.sign(np.sum(X * Y, axis=0))
    return np.abs(X * signs - Y).max() <= tol * np.abs(Y).max()


def same_gram(X, Y, tol):
    """Whether X and Y agree up to a rotation or reflection."""
    return relative_error(X @ X.T, Y @ Y.T) <= tol
