"""Systems warn once where another one is known to be better, and only there."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_wine
from sklearn.decomposition import PCA

import coterie
from coterie import MBN, MDEC, SPCE, USENC, WOEC, EnsembleClustering, MBNEnsemble
from coterie._figures import FEW, ROWS
from coterie.applications import segment_image
from coterie.exceptions import UnscaledDataWarning, UnsuitableMethodWarning

WINE = load_wine(as_frame=True).data
RAW = WINE.to_numpy()
DOUBTS = UnscaledDataWarning, UnsuitableMethodWarning


def doubts(act):
    """Return the doubts that are expressed during an action."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        act()
    return [w for w in caught if issubclass(w.category, DOUBTS)]


@pytest.mark.parametrize(
    "system",
    [
        MDEC(3, n_members=4, random_state=0),
        USENC(3, n_members=4, random_state=0),
        SPCE(3, n_members=4, random_state=0),
        EnsembleClustering(3, generator="kmeans", n_members=4, random_state=0),
        coterie.LargeEnsembleClustering(3, n_members=4, random_state=0),
    ],
    ids=lambda system: type(system).__name__,
)
def test_single_systems_name_the_loud_column(system):
    (doubt,) = doubts(lambda: system.fit(WINE))
    assert doubt.category is UnscaledDataWarning
    assert doubt.filename == __file__
    said = str(doubt.message)
    assert "proline has 99.8% of the variance: the other 12 hardly count" in said
    assert "StandardScaler().fit_transform(X)" in said
    assert "coterie.EnsembleClustering(3), whose panel tries both" in said
    assert not doubts(lambda: system.recut(2))


def test_no_doubts_about_scales_that_are_seen_to():
    quick = EnsembleClustering(3, effort="quick", random_state=0)
    assert not doubts(lambda: quick.fit(WINE))
    assert not doubts(lambda: WOEC(3, n_members=4, random_state=0).fit(WINE))
    usenc = USENC(3, n_members=4, random_state=0)
    assert not doubts(lambda: usenc.fit((RAW - RAW.mean(0)) / RAW.std(0)))
    assert not doubts(lambda: usenc.fit(PCA(6).fit_transform(RAW)))
    assert not doubts(lambda: usenc.fit(load_digits().data[:200]))


def test_components_of_cells_raise_no_doubts():
    anndata = pytest.importorskip("anndata")
    from coterie.integrations.scanpy import tl

    adata = anndata.AnnData(RAW.copy())
    adata.obsm["X_pca"] = PCA().fit_transform(RAW).astype(np.float32)
    assert not doubts(lambda: tl.consensus(adata, n_clusters=3, system=USENC(3)))


@pytest.mark.parametrize(
    ("system", "measured"),
    [
        (MDEC(2, n_members=4, random_state=0), "mdec"),
        (MBN(2, n_clusterings=10, random_state=0), "mbn-e"),
        (MBNEnsemble(2, n_members=2, n_clusterings=10, random_state=0), "mbn-e"),
    ],
    ids=["MDEC", "MBN", "MBNEnsemble"],
)
def test_methods_that_sample_features_say_that_these_are_few(system, measured):
    X = RAW[:, [0, 2, 3, 5]]
    (doubt,) = doubts(lambda: system.fit(X[:, :3]))
    said = str(doubt.message)
    assert said.startswith(f"{type(system).__name__} is poor on few features, and ")
    assert f"was {ROWS[FEW, measured].ari:.2f}" in said
    assert said.endswith("Use coterie.EnsembleClustering(2).")
    assert not doubts(lambda: system.fit(X))


def test_a_subclass_that_was_not_measured():
    class Mine(USENC):
        name = "mine"
        fewest_features = 5

    (doubt,) = doubts(lambda: Mine(2, n_members=4).fit(RAW[:, :2]))
    said = "Mine is poor on few features, and there are only 2. Use coterie.Ensemble"
    assert str(doubt.message).startswith(said)


def test_our_own_use_is_quiet():
    pytest.importorskip("skimage")
    grey = np.random.default_rng(0).random((12, 14))
    assert not doubts(lambda: segment_image(grey, 2, random_state=0))


class TestChooseK:
    def test_scales_are_looked_at(self):
        settings = {"k_range": range(2, 5), "n_null": 19, "random_state": 0}
        choice = coterie.choose_k(WINE, **settings)
        assert choice.n_clusters == 3
        assert choice.settings["standardize"] is True
        said = "Columns were standardised, as proline has 99.8% of the variance."
        assert choice.sentence.endswith(said)
        raw = coterie.choose_k(WINE, standardize=False, **settings)
        assert raw.settings["standardize"] is False
        assert "standardised" not in raw.sentence
        scaled = coterie.choose_k(RAW, standardize=True, **settings)
        np.testing.assert_array_equal(scaled.p_values, choice.p_values)
        assert "standardised" not in scaled.sentence  # as asked

    def test_auto_of_a_single_system(self):
        model = USENC("auto", n_members=4, random_state=0)
        (doubt,) = doubts(lambda: model.fit(WINE))
        assert doubt.category is UnscaledDataWarning
        assert model.n_clusters_ == 3
        assert model.k_choice_.settings["standardize"]

    def test_sparse_data_cannot_be_standardised(self):
        from scipy.sparse import csr_array

        with pytest.raises(ValueError, match=r"Pass standardize=False, or X.toarray"):
            coterie.choose_k(csr_array(RAW), standardize=True)
