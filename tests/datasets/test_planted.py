import numpy as np

from coterie.datasets import make_planted_ensemble
from coterie.metrics import ari


def test_without_noise_members_split_the_planted_partition():
    planted = make_planted_ensemble(
        90, n_clusters=3, split=2, noise=0.0, random_state=0
    )
    for column in planted.ensemble.labels.T:
        for cluster in np.unique(column):
            assert len(set(planted.truth[column == cluster])) == 1
    unsplit = make_planted_ensemble(
        90, n_clusters=3, split=1, noise=0.0, random_state=0
    )
    assert ari(unsplit.truth, unsplit.ensemble.labels[:, 0]) == 1.0


def test_missing_labels_leave_every_sample_at_least_one():
    planted = make_planted_ensemble(200, n_members=4, missing=0.9, random_state=0)
    assert (planted.ensemble.labels >= 0).any(axis=1).all()
    assert planted.ensemble.has_missing
