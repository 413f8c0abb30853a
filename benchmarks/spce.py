"""Self-paced consensus against the literal algorithm in NumPy, on the paper's data."""

from typing import NamedTuple

import numpy as np
from scipy.sparse.csgraph import connected_components
from sklearn.feature_extraction.text import TfidfTransformer

from benchmarks.harness import Case
from coterie.consensus import SelfPaced
from coterie.ensemble import Ensemble
from coterie.generation import RandomKMeans
from coterie.metrics import ari
from experiments._data import load

THETA = 0.3


class Members(NamedTuple):
    """Twenty k-means members and the known classes (for the score)."""

    ensemble: Ensemble
    y: np.ndarray

    @property
    def k(self) -> int:
        return len(np.unique(self.y))


def coil20() -> Members:
    data = load("coil20")
    generator = RandomKMeans(20, n_clusters=data.n_classes, init="random")
    return Members(generator.generate(data.X, seed=0), data.y)


def tdt2() -> Members:
    data = load("tdt2_30")
    X = TfidfTransformer(sublinear_tf=True).fit_transform(data.X).astype(np.float32)
    generator = RandomKMeans(20, n_clusters=data.n_classes, init="random")
    return Members(generator.generate(X, seed=0), data.y)


def ours(members: Members) -> np.ndarray:
    part = SelfPaced(THETA, components="found")
    return part.combine(members.ensemble, members.k, seed=0).labels


def literal(members: Members) -> np.ndarray:
    """Algorithm 1 on n x n matrices: m connective matrices, all eigenpairs."""
    labels, c = members.ensemble.labels, members.k
    m = labels.shape[1]
    A = np.array([column[:, None] == column for column in labels.T], dtype=float)
    S_hat = A.mean(axis=0)
    free = (S_hat > 0) & (S_hat < 1)
    S, alpha, rho = S_hat.copy(), np.full(m, 1 / m), 1.0
    gamma = (THETA * m) ** 2
    _, Y = eigenpairs(S, c)
    for r in (0.9, 0.8, 0.7, 0.6, 0.5):
        age = 2 * ((r - 1) ** 2 * r + r**2 * (1 - r)) * m**2
        B = sum((S - A[i]) ** 2 / alpha[i] for i in range(m))
        with np.errstate(divide="ignore"):
            W2 = np.minimum(age / (2 * B), 1) ** 2
        for t in range(20 if r == 0.5 else 5):
            total = (1 / alpha).sum()
            squares = (Y**2).sum(axis=1)
            D = np.maximum(squares[:, None] + squares - 2 * Y @ Y.T, 0)
            C = (np.tensordot(1 / alpha, A, 1) - rho * D / (2 * W2)) / total
            S = np.where(np.sqrt(gamma / (W2 * total)) <= C, np.clip(C, 0, 1), 0)
            S = np.where(free, S, S_hat)
            before = Y
            values, Y = eigenpairs(S, c)
            roots = np.sqrt([(W2 * (S - A[i]) ** 2).sum() for i in range(m)])
            alpha = np.maximum(roots / roots.sum(), 1e-16)
            if values[:c].sum() > 1e-9:
                rho *= 2
            elif values.sum() < 1e-11:
                rho, Y = rho / 2, before
            elif t > 0:
                break
    return connected_components(S > 0)[1]


def eigenpairs(S: np.ndarray, c: int) -> tuple[np.ndarray, np.ndarray]:
    values, vectors = np.linalg.eigh(np.diag(S.sum(axis=1)) - (S + S.T) / 2)
    return values[: c + 1], vectors[:, :c]


CASES = [
    Case(
        "spce",
        "SPCE, COIL20 (n = 1,440), 20 k-means members, theta = 0.3",
        coil20,
        {"coterie": ours, "NumPy, n x n": literal},
        lambda r: f"ARI of the two: {ari(r['coterie'], r['NumPy, n x n']):.5f}",
    ),
    Case(
        "spce-tdt2",
        "SPCE, TDT2 (n = 9,394, 30 classes), 20 k-means members, theta = 0.3",
        tdt2,
        {"coterie": ours},
        lambda r: f"{r['coterie'].max() + 1} components",
    ),
]
