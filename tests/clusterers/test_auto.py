"""Single clusterers choose their number of clusters as systems do."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from coterie.clusterers import GNMF, LSC, SCSRGF, SSC, USPEC, Genie

X, Y = make_blobs(60, centers=3, random_state=3)
NOISE = np.random.default_rng(0).random((40, 2))
each_clusterer = pytest.mark.parametrize(
    "clusterer",
    [
        GNMF(),
        LSC(n_landmarks=20),
        SCSRGF(n_subspaces=3, n_steps=5),
        SSC(),
        USPEC(),
        Genie(),
    ],
    ids=lambda clusterer: type(clusterer).__name__,
)


@pytest.mark.slow
@each_clusterer
def test_auto_is_the_answer_of_choose_k(clusterer):
    model = clusterer.set_params(n_clusters="auto", random_state=0).fit(X)
    assert model.n_clusters_ == model.k_choice_.n_clusters == 3
    labels = model.labels_
    assert labels.max() == 2
    model.set_params(n_clusters=3).fit(X)
    np.testing.assert_array_equal(model.labels_, labels)
    assert model.n_clusters_ == 3
    assert not hasattr(model, "k_choice_")


@pytest.mark.slow
@each_clusterer
def test_auto_may_be_one(clusterer):
    model = clusterer.set_params(n_clusters="auto", random_state=0).fit(NOISE)
    assert model.n_clusters_ == 1
    assert set(model.labels_) == {0}


def test_no_other_word_is_a_number():
    with pytest.raises(ValueError, match="'n_clusters' parameter of GNMF"):
        GNMF("many").fit(X)
