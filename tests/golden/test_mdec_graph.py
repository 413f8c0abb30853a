"""The similarity graphs of the MDEC authors' program, number by number."""

import numpy as np
import pytest
import scipy.sparse

from coterie._linalg import density_graph


@pytest.mark.parametrize(
    ("reference", "data", "tolerance"),
    [
        # decimals of a text file: writing out the stored float32 restores them
        ("Yeoh02v1", "yeoh2002v1", 1e-12),
        # the program saw these data in float64, the stored ones are rounded
        ("MF", "multiple_features", 1e-7),
    ],
)
def test_graph(reference, data, tolerance, refs, real_data):
    name = f"affinity_{reference}_seed1_base0"
    expected = scipy.sparse.load_npz(refs / f"{name}.npz").tocsr()
    expected.sort_indices()
    drawn = np.load(refs / f"{name}_params.npz")
    X = np.load(real_data / f"{data}.npz")["X"].astype(str).astype(np.float64)
    X = X[:, drawn["features"]]
    k, mu = int(drawn["k"]), float(drawn["mu"])

    W = density_graph(X, k, mu).weights
    np.testing.assert_array_equal(W.indptr, expected.indptr)
    np.testing.assert_array_equal(W.indices, expected.indices)
    difference = np.abs(W.data - expected.data).max()
    assert difference <= tolerance * expected.max()

    single = density_graph(X.astype(np.float32), k, mu).weights
    common = (single > 0).multiply(W > 0)
    assert common.nnz > 0.999 * W.nnz
    assert abs((single - W).multiply(common)).max() < 1e-4 * expected.max()
