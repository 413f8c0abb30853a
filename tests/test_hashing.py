"""The hash of data: everything that is data counts, the layout does not."""

import numpy as np
import scipy.sparse as sp

from coterie._hashing import digest

X = np.random.default_rng(0).random((5000, 3))


def test_layout_does_not_count():
    apart = np.repeat(X, 2, axis=1)[:, ::2]
    assert digest(X) == digest(np.asfortranarray(X)) == digest(apart)


def test_everything_else_does():
    other = X.copy()
    other[4999, 2] += 1e-15
    S = sp.csr_matrix(X > 0.5, dtype=float)
    moved = sp.csr_matrix((S.data, S.indices[::-1], S.indptr), shape=S.shape)
    different = [
        digest(X), digest(other), digest(X.astype(np.float32)), digest(X.ravel()),
        digest(X[::-1]), digest(S), digest(moved), digest(S.astype(int)),
        digest("a", "b"), digest("ab"), digest(digest(X), "a"),
    ]  # fmt: skip
    assert len(set(different)) == len(different)
