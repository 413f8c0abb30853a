"""AnnData in, categories out, as scanpy's own tools have them."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.decomposition import PCA

import coterie
import coterie.integrations.scanpy as ct
from coterie._catalog import entries
from coterie.exceptions import FewerClustersWarning
from coterie.generation import RandomKMeans
from coterie.metrics import ari, nmi

anndata = pytest.importorskip("anndata")

SIZES = [60, 15, 25]
X, Y = make_blobs(SIZES, n_features=6, cluster_std=0.5, random_state=3)


def cells(**obs):
    names = [f"cell {i}" for i in range(len(Y))]
    adata = anndata.AnnData(X.astype(np.float32), obs=pd.DataFrame(obs, index=names))
    adata.obsm["X_pca"] = X[:, :4].copy()
    return adata


def test_consensus_writes_categories_numbered_by_size():
    adata = cells()
    assert ct.tl.consensus(adata, n_clusters=3, n_members=10) is None
    found = adata.obs["coterie"]
    assert isinstance(found.dtype, pd.CategoricalDtype)
    assert found.cat.categories.tolist() == ["0", "1", "2"]
    assert found.value_counts().loc[["0", "1", "2"]].tolist() == [60, 25, 15]
    assert ari(Y, found.astype(str)) == 1.0
    assert adata.obs["coterie_second"].cat.categories.tolist() == ["0", "1", "2"]
    assert (adata.obs["coterie_second"] != found).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    "sizes", [[300] * 3, [900, 60, 40], [400, 30, 30, 30]], ids=str
)
@pytest.mark.parametrize("draw", [0, 1])
def test_easy_cells_by_default(sizes, draw):
    points, y = make_blobs(sizes, n_features=10, random_state=draw)
    best = KMeans(len(sizes), n_init=10, random_state=0).fit_predict(points)
    assert ari(y, best) > 0.99
    adata = anndata.AnnData(points.astype(np.float32))
    adata.obsm["X_pca"] = PCA(5).fit_transform(points)
    ct.tl.consensus(adata, n_clusters=len(sizes))
    assert ari(y, adata.obs["coterie"].astype(str)) >= 0.95


def test_the_panel_is_kept():
    adata = cells()
    ct.tl.consensus(adata, n_clusters=3, n_members=12)
    found = adata.uns["coterie"]
    assert found["params"]["system"] == "EnsembleClustering"
    assert found["kinds"]["kind"].tolist() == ["spectral", "genie", "gmm"]
    assert found["kinds"]["weight"].sum() == pytest.approx(1.0)
    assert "Left out mdec, mbn and kmeans" in found["kinds"]["notes"][0]
    ct.tl.consensus(adata, "mdec", n_clusters=3, n_members=6)
    assert "kinds" not in adata.uns["coterie"]


def test_it_says_what_the_system_says():
    adata = cells()
    ct.tl.consensus(adata, "ensemble", n_clusters=3, random_state=5, key_added="e")
    model = coterie.EnsembleClustering(3, random_state=5).fit(X[:, :4])
    assert ari(model.labels_, adata.obs["e"].astype(int)) == 1.0
    np.testing.assert_array_equal(adata.obs["e_confidence"], model.confidence_)
    np.testing.assert_array_equal(adata.obs["e_margin"], model.consensus_.margin)
    names = dict(zip(model.labels_, adata.obs["e"], strict=True))
    second = [names[c] for c in model.consensus_.second]
    assert adata.obs["e_second"].tolist() == second


def test_more_than_ten_clusters_are_ordered_as_numbers():
    adata = cells()
    ct.tl.consensus(adata, "ensemble", n_clusters=12)
    assert adata.obs["coterie"].cat.categories.tolist() == [str(c) for c in range(12)]
    assert adata.obs["coterie"].value_counts(sort=False).is_monotonic_decreasing


@pytest.mark.parametrize("entry", entries("system"), ids=lambda entry: entry.name)
def test_every_system(entry):
    few = {"n_members": 6, "n_clusterings": 10, "n_landmarks": 20}
    known = entry.load()().get_params(deep=False)
    adata = cells(coterie_margin=np.zeros(100))  # of an earlier run
    params = {name: n for name, n in few.items() if name in known}
    ct.tl.consensus(adata, entry.name, n_clusters=3, **params)
    model = entry.load()(n_clusters=3, random_state=0, **params).fit(X[:, :4])
    assert ari(model.labels_, adata.obs["coterie"].astype(int)) == 1.0
    assert adata.obs["coterie_confidence"].between(0, 1).all()
    assert adata.obs["coterie_margin"].between(-1, 1).all()
    assert adata.uns["coterie"]["params"]["n_clusters"] == 3


def test_a_system_of_ones_own_keeps_its_parameters():
    system = coterie.EnsembleClustering(generator=RandomKMeans(7), consensus="hbgf")
    adata = cells()
    ct.tl.consensus(adata, system, n_clusters=3)
    params = adata.uns["coterie"]["params"]
    assert params["consensus"] == "hbgf"
    assert "n_members=7" in params["generator"]
    assert not hasattr(system, "labels_")
    with pytest.raises(TypeError, match="expects system as a name such as 'ensemble'"):
        ct.tl.consensus(adata, 3, n_clusters=3)
    with pytest.raises(ValueError, match="Did you mean mdec"):
        ct.tl.consensus(adata, "mdce", n_clusters=3)


def test_a_copy_leaves_the_original():
    adata = cells()
    other = ct.tl.consensus(adata, "ensemble", n_clusters=3, copy=True)
    assert "coterie" in other.obs
    assert "coterie" not in adata.obs
    assert "coterie" not in adata.uns
    other.obs["again"] = other.obs["coterie"]
    keys = ["coterie", "again"]
    fewer = ct.tl.combine(other, keys, n_clusters=2, key_added="c", copy=True)
    assert "c" in fewer.obs
    assert "c" not in other.obs


def test_representations():
    adata = cells()
    adata.X = sp.csr_matrix(np.abs(X))
    ct.tl.consensus(adata, "ensemble", n_clusters=3, use_rep="X")
    assert adata.uns["coterie"]["params"]["use_rep"] == "X"
    with pytest.raises(KeyError, match=r"no 'X_scvi'. There are: X_pca, or pass use"):
        ct.tl.consensus(adata, n_clusters=3, use_rep="X_scvi")
    del adata.obsm["X_pca"]
    with pytest.raises(KeyError, match=r"no 'X_pca'. Run sc.pp.pca\(adata\) first"):
        ct.tl.consensus(adata, n_clusters=3)


def test_combine_places_observations_that_some_columns_leave_out():
    coarse = pd.Categorical(np.where(Y == 0, "a", "b"))
    fine = pd.Series(Y.astype(object))
    fine[:5] = None
    adata = cells(
        coarse=coarse, fine=fine.to_numpy(), nowhere=pd.Categorical([None] * 100)
    )
    adata.obs.loc[adata.obs_names[[0, 7]], "coarse"] = None
    ct.tl.combine(adata, ["coarse", "fine"], n_clusters=3)
    labels = adata.obs["coterie"]
    assert labels.isna().tolist() == [True] + [False] * 99  # no column places the first
    assert np.isnan(adata.obs["coterie_confidence"].iloc[0])
    assert np.isnan(adata.obs["coterie_margin"].iloc[0])
    assert adata.obs["coterie_confidence"].iloc[1:].between(0, 1).all()
    assert nmi(Y[5:], labels.astype(str)[5:]) == 1.0
    with pytest.raises(ValueError, match=r"member 1 \(nowhere\) assigns no sample"):
        ct.tl.combine(adata, ["coarse", "nowhere"], n_clusters=3)


def test_combine_takes_the_number_that_agrees_best():
    rng = np.random.default_rng(0)
    columns = {}
    for j, k in enumerate([3, 3, 3, 5]):
        halves = rng.integers(2, size=Y.size)
        columns[f"c{j}"] = Y if k == 3 else Y * 2 + halves
    adata = cells(**columns)
    ct.tl.combine(adata, list(columns), key_added="auto")
    facts = adata.uns["auto"]
    assert facts["n_clusters"] == 3
    assert facts["choice"]["k"].tolist() == [3, 4, 5, 6]
    assert facts["choice"]["mean_nmi"].argmax() == 0
    for key, quality in zip(columns, facts["members"]["nmi"], strict=True):
        assert quality == pytest.approx(nmi(adata.obs[key], Y))


def test_combine_methods_weights_and_data():
    columns = {f"c{j}": (Y + j) % 3 for j in range(3)}
    adata = cells(**columns)
    keys = list(columns)
    ct.tl.combine(adata, keys, n_clusters=3, consensus="hbgf", weighter=None)
    assert adata.uns["coterie"]["params"]["weighter"] == "none"
    with pytest.raises(ValueError, match="needs the data X"):
        ct.tl.combine(adata, keys, n_clusters=3, consensus="wosp")
    ct.tl.combine(adata, keys, n_clusters=3, consensus="wosp", use_rep="X_pca")
    with pytest.warns(FewerClustersWarning, match="found 3 clusters, fewer than"):
        ct.tl.combine(adata, keys, n_clusters=4)


@pytest.mark.parametrize(
    ("keys", "kind", "text"),
    [
        ("leiden", TypeError, r"expects keys as a list, got 'leiden'. Pass \['leiden'"),
        ([], ValueError, "expects at least one key, got none"),
        (["leidn"], KeyError, r"no 'leidn'. Did you mean 'leiden'\? There are: leiden"),
        (["xyz", "leiden"], KeyError, r"no 'xyz'. There are: leiden"),
    ],
)
def test_wrong_keys(keys, kind, text):
    with pytest.raises(kind, match=text):
        ct.tl.combine(cells(leiden=Y), keys)


def test_the_answer_survives_a_file(tmp_path):
    adata = cells(first=Y, second=Y % 2)
    ct.tl.consensus(adata, n_clusters=3, n_members=5, key_added="a")
    ct.tl.combine(adata, ["first", "second"], consensus=coterie.consensus.LWEA())
    adata.write_h5ad(tmp_path / "cells.h5ad")
    again = anndata.read_h5ad(tmp_path / "cells.h5ad")
    pd.testing.assert_frame_equal(again.obs, adata.obs)
    for key in ("a", "coterie"):
        assert again.uns[key]["params"]["random_state"] == 0
        assert set(again.uns[key]["params"]) == set(adata.uns[key]["params"])
    assert again.uns["coterie"]["params"]["keys"].tolist() == ["first", "second"]
    assert not again.obsp.keys()


@pytest.mark.slow
def test_the_number_can_be_chosen(tmp_path):
    adata = cells()[::2].copy()
    ct.tl.consensus(adata, "ensemble", n_clusters="auto")
    facts = adata.uns["coterie"]
    assert facts["choice"]["n_clusters"] == facts["n_clusters"] == 3
    assert "3 clusters" in facts["choice"]["sentence"]
    adata.write_h5ad(tmp_path / "cells.h5ad")


def test_scanpy_colours_by_it():
    scanpy = pytest.importorskip("scanpy")
    adata = cells()
    adata.obsm["X_umap"] = X[:, :2].copy()
    ct.tl.consensus(adata, "ensemble", n_clusters=3)
    color = ["coterie", "coterie_confidence"]
    left, right, *_ = scanpy.pl.umap(adata, color=color, show=False)
    assert (left.get_title(), right.get_title()) == tuple(color)
    assert len(adata.uns["coterie_colors"]) == 3
