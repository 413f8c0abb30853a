"""The bottom layer of graphs that hands on sampled columns of the similarity."""

import numpy as np
import pytest
import scipy.sparse as sp

from coterie.applications import communities
from coterie.generation import BootstrapNetworks
from coterie.metrics import nmi

GROUP = np.repeat([0, 1, 2], 20)
RNG = np.random.default_rng(0)
UPPER = np.triu(RNG.random((60, 60)) < np.where(GROUP[:, None] == GROUP, 0.6, 0.03), 1)
B = sp.csr_matrix((UPPER | UPPER.T).astype(np.float64))


def test_samples_are_compared_by_the_columns_that_were_drawn():
    networks = BootstrapNetworks(
        1, 4, n_clusterings=7, metric="precomputed", bottom_layer="columns"
    )
    task = networks._task(B, 60)
    found = networks._by_columns(task, np.random.default_rng(5)).toarray()
    from coterie._linalg import draw_centroids

    draws = draw_centroids(60, 30, 7, np.random.default_rng(5))
    # the outputs of all clusterings side by side, as the paper has it
    X = np.concatenate([B.toarray()[:, draw] for draw in draws], axis=1)
    np.testing.assert_allclose(found, X @ X.T)


def test_communities_are_found_by_columns_too():
    found = communities(
        B, 3, method="mbn", bottom_layer="columns", classes=(3,), random_state=0
    )
    assert nmi(GROUP, found.labels) > 0.9


def test_columns_need_similarities():
    with pytest.raises(ValueError, match="samples the columns"):
        BootstrapNetworks(2, 4, bottom_layer="columns").generate(np.eye(9))
