"""SPCE written plainly from the paper's equations, on n x n matrices.

A missing label (-1) takes a pair out of a member's loss, and the losses of the others
are multiplied by m over the number of members that assign both; a pair is certain if
its label rows are equal. Without missing labels this is the paper to the letter.
Members count ``weights`` times.
"""

import numpy as np
from scipy.sparse.csgraph import connected_components


class Oracle:
    """The connective matrices and what is fixed."""

    def __init__(self, labels, weights=None):
        labels = np.asarray(labels)
        self.n, self.m = labels.shape
        self.w = np.ones(self.m) if weights is None else np.asarray(weights, float)
        columns = labels.T
        self.O = np.array([np.outer(c >= 0, c >= 0) for c in columns], dtype=float)
        self.A = np.array([c[:, None] == c[None, :] for c in columns]) * self.O
        seen = np.tensordot(self.w, self.O, 1)  # (n, n)
        with np.errstate(divide="ignore", invalid="ignore"):
            self.f = np.where(seen > 0, self.w.sum() / seen, 0.0)
            S_hat = np.tensordot(self.w, self.A, 1) / seen  # Eq. 2
        self.S_hat = np.where(seen > 0, S_hat, 0.0)
        agree = (labels[:, None] == labels[None]).all(axis=2)  # the same label row
        apart = np.all(self.A == 0, axis=0)
        self.S_hat[agree], self.S_hat[apart] = 1.0, 0.0
        self.Omega = agree | apart

    def losses(self, S):
        """(S - S^(i))^2 of each member, (m, n, n)."""
        return self.f * self.O * (S - self.A) ** 2

    def W(self, S, alpha, lam):
        B = np.tensordot(self.w / alpha, self.losses(S), 1)
        with np.errstate(divide="ignore"):
            return np.minimum(lam / (2 * B), 1.0)  # Eq. 13

    def S(self, W, Y, alpha, rho, gamma):
        S = np.empty((self.n, self.n))
        for p in range(self.n):
            for q in range(self.n):
                if self.Omega[p, q]:
                    S[p, q] = self.S_hat[p, q]
                    continue
                share = self.f[p, q] * self.w / alpha * self.O[:, p, q]
                distance = np.sum((Y[p] - Y[q]) ** 2)
                C = (share @ self.A[:, p, q] - rho * distance / (2 * W[p, q] ** 2)) / (
                    share.sum()
                )  # Eq. 16
                tau = gamma / (share.sum() * W[p, q] ** 2)
                if np.sqrt(tau) > C:  # Eq. 17
                    S[p, q] = 0.0
                else:
                    S[p, q] = min(C, 1.0)
        return S

    def Y(self, S, c):
        values, vectors = np.linalg.eigh(laplacian(S))
        return values, vectors[:, :c]  # Eq. 18

    def residuals(self, S, W):
        return (self.losses(S) * W**2).sum(axis=(1, 2))

    def alpha(self, S, W):
        roots = np.sqrt(self.residuals(S, W))
        return roots / (self.w @ roots)  # Eq. 21

    def objective(self, S, W, Y, alpha, lam, gamma, rho):
        """Eq. 10, the trace counted twice as in Eq. 14."""
        return (
            self.w / alpha @ self.residuals(S, W)
            - lam * W.sum()
            + gamma * np.count_nonzero(S)
            + 2 * rho * np.trace(Y.T @ laplacian(S) @ Y)
        )


def laplacian(S):
    return np.diag(S.sum(axis=1)) - S


def age(r, m):
    return 2 * ((r - 1) ** 2 * r + r**2 * (1 - r)) * m**2  # Eq. 23


def spce(labels, c, theta, pace="self", weights=None):
    """Algorithm 1 with the rank test and the iterations of the authors' program."""
    oracle = Oracle(labels, weights)
    m = oracle.w.sum()
    gamma, rho = (m * theta) ** 2, 1.0
    S, alpha = oracle.S_hat.copy(), np.full(oracle.m, 1 / m)
    _, Y = oracle.Y(S, c)
    W = np.ones_like(S)
    for r in (0.9, 0.8, 0.7, 0.6, 0.5):
        if pace == "self" or (pace == "fixed" and r == 0.9):
            W = oracle.W(S, alpha, age(r, m))
        for i in range(20 if r == 0.5 else 5):
            S = oracle.S(W, Y, alpha, rho, gamma)
            before = Y
            values, Y = oracle.Y(S, c)
            alpha = np.maximum(oracle.alpha(S, W), np.finfo(float).eps)
            if values[:c].sum() > 1e-9:
                rho *= 2
            elif values[: c + 1].sum() < 1e-11:
                rho, Y = rho / 2, before
            elif i >= 1:
                break
    return S, connected_components(S > 0)[1]
