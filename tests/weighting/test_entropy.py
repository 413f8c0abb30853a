import numpy as np
import oracles
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from coterie import Ensemble
from coterie.weighting import EntropyWeighter

matrices = arrays(
    np.int64,
    st.tuples(st.integers(2, 15), st.integers(1, 5)),
    elements=st.integers(-1, 3),
).filter(lambda labels: bool((labels >= 0).any(axis=0).all()))


@given(matrices, st.sampled_from([0.2, 0.4, 1.0, 3]))
def test_eci_equals_the_definition(labels, theta):
    ensemble = Ensemble(list(labels.T))
    weights = EntropyWeighter(theta).weigh(ensemble)
    expected = oracles.eci(ensemble.labels, theta)
    np.testing.assert_allclose(weights.clusters, expected, rtol=1e-12)


def test_members_of_very_many_clusters():
    # 400 x 400 clusters: too many for a table of pairs, so lists are used.
    rng = np.random.default_rng(0)
    labels = np.column_stack([rng.permutation(400), rng.permutation(400) // 2])
    labels = np.column_stack([labels, rng.integers(300, size=400)])
    ensemble = Ensemble(labels)
    expected = oracles.eci(ensemble.labels, 0.4)
    np.testing.assert_allclose(
        EntropyWeighter().weigh(ensemble).clusters, expected, rtol=1e-12
    )


@pytest.mark.parametrize("theta", [0, -1.0, "a", None])
def test_bad_theta(theta):
    with pytest.raises(
        ValueError, match="'theta' parameter of EntropyWeighter must be"
    ):
        EntropyWeighter(theta).weigh([[0, 1]])
