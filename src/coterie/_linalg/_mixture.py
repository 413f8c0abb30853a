"""Mixtures of Gaussians by expectation-maximisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie._typing import LABEL_DTYPE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coterie._typing import LabelArray

_BLOCK = 4096  # samples assigned together
_NONE = 10 * np.finfo(np.float64).eps  # samples of an empty component


@dataclass(frozen=True, eq=False)
class Mixture:
    """A mixture of Gaussians with full covariances.

    Attributes
    ----------
    weights : (k,) array
    means : (k, d) array
    covariances : (k, d, d) array
    log_likelihood : float
        Mean over the samples, before the last step.
    n_iter : int
    """

    weights: NDArray[np.float64]
    means: NDArray[np.float64]
    covariances: NDArray[np.float64]
    log_likelihood: float = -np.inf
    n_iter: int = 0

    def assign(self, X: Any) -> LabelArray:
        """Return the most probable component of each sample."""
        coefficients = _coefficients(self)
        labels = np.empty(X.shape[0], dtype=LABEL_DTYPE)
        for s in range(0, X.shape[0], _BLOCK):
            terms = _terms(X[s : s + _BLOCK])
            labels[s : s + _BLOCK] = (terms @ coefficients).argmax(axis=1)
        return labels


def gaussian_mixture(
    X: Any,
    labels: Any,
    *,
    regularisation: float = 1e-6,
    max_iter: int = 100,
    tol: float = 1e-3,
) -> Mixture:
    r"""Fit a mixture of Gaussians, starting from a clustering.

    Expectation-maximisation raises the likelihood of the samples under

    .. math:: p(x) = \sum_c w_c \, \mathcal{N}(x; \mu_c, \Sigma_c + r I)

    with any covariances :math:`\Sigma_c`.

    Parameters
    ----------
    X : float64 array of shape (n, d)
        The samples. Features should have means near zero and variances near one: r is
        compared with these, and d should be small.
    labels : int array of shape (n,)
        The first clustering, without empty clusters.
    regularisation : float, default=1e-6
        The variance r.
    max_iter : int, default=100
        Maximum number of steps.
    tol : float, default=1e-3
        Gain in the mean log-likelihood below which the search ends.

    Notes
    -----
    The logarithm of a Gaussian density is linear in 1, x and the products of features,
    and so are the sums that give the next means and covariances. Both halves of a step
    are one product of matrices.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._linalg import gaussian_mixture
    >>> X = np.array([[-1.0], [-0.9], [-0.8], [0.9], [0.92]])
    >>> mixture = gaussian_mixture(X, [0, 0, 1, 1, 1])
    >>> mixture.weights.round(2), mixture.assign(X)
    (array([0.6, 0.4]), array([0, 0, 0, 1, 1], dtype=int32))
    """
    terms = _terms(X)
    belongs = np.zeros((X.shape[0], int(np.max(labels)) + 1))
    belongs[np.arange(X.shape[0]), labels] = 1.0
    d = X.shape[1]
    mixture = _maximise(terms, belongs, d, regularisation)
    before, n_iter = -np.inf, 0
    while n_iter < max_iter:
        n_iter += 1
        belongs = terms @ _coefficients(mixture)  # (n, k), log densities
        highest = belongs.max(axis=1, keepdims=True)
        belongs -= highest
        np.exp(belongs, out=belongs)
        sums = belongs.sum(axis=1, keepdims=True)
        likelihood = float(np.mean(np.log(sums) + highest))
        belongs /= sums
        mixture = _maximise(terms, belongs, d, regularisation)
        if abs(likelihood - before) < tol:
            break
        before = likelihood
    return Mixture(
        mixture.weights, mixture.means, mixture.covariances, likelihood, n_iter
    )


def _terms(X: Any) -> NDArray[np.float64]:
    """Return 1, the features and their products, (n, 1 + d + d (d + 1) / 2)."""
    n, d = X.shape
    rows, columns = np.triu_indices(d)
    terms = np.empty((n, 1 + d + rows.size))
    terms[:, 0] = 1.0
    terms[:, 1 : d + 1] = X
    np.multiply(X[:, rows], X[:, columns], out=terms[:, d + 1 :])
    return terms


def _maximise(terms: Any, belongs: Any, d: int, regularisation: float) -> Mixture:
    sums = belongs.T @ terms  # (k, 1 + d + d (d + 1) / 2)
    sizes = sums[:, :1] + _NONE
    means = sums[:, 1 : d + 1] / sizes
    rows, columns = np.triu_indices(d)
    upper = sums[:, d + 1 :] / sizes - means[:, rows] * means[:, columns]
    covariances = np.empty((len(sums), d, d))
    covariances[:, rows, columns] = upper
    covariances[:, columns, rows] = upper
    diagonal = np.arange(d)
    variances = np.maximum(covariances[:, diagonal, diagonal], 0.0)
    covariances[:, diagonal, diagonal] = variances + regularisation
    return Mixture(sizes[:, 0] / len(terms), means, covariances)


def _coefficients(mixture: Mixture) -> NDArray[np.float64]:
    """Return those of the terms in the logarithm of each weighted density, (terms, k).

    With the precision P, log w + log N(x; mu, S) is, but for a constant,
    log w - log|S| / 2 - mu'P mu / 2 + (P mu)'x - x'P x / 2.
    """
    d = mixture.means.shape[1]
    factors = np.linalg.cholesky(mixture.covariances)
    inverse = np.linalg.inv(factors)
    precisions = inverse.transpose(0, 2, 1) @ inverse  # (k, d, d)
    linear = (precisions @ mixture.means[:, :, None])[:, :, 0]
    roots = np.diagonal(factors, axis1=1, axis2=2)
    constant = np.log(mixture.weights) - np.log(roots).sum(axis=1)
    constant -= 0.5 * np.einsum("kd,kd->k", linear, mixture.means)
    constant -= 0.5 * d * np.log(2 * np.pi)
    rows, columns = np.triu_indices(d)
    products = np.where(rows == columns, -0.5, -1.0) * precisions[:, rows, columns]
    return np.concatenate([constant[:, None], linear, products], axis=1).T
