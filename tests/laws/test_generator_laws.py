"""Laws that every generator in the catalog keeps."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import make_blobs

from coterie._catalog import entries
from coterie.exceptions import DegenerateMemberWarning
from coterie.generation import RandomKMeans

MODELS = [KMeans(3, n_init=1), AgglomerativeClustering(4), KMeans(5, n_init=1)]
X, Y = make_blobs(90, n_features=6, centers=3, random_state=0)


def make(entry, n_members=3, **params):
    if entry.name == "clusterers":
        return entry.load()(MODELS, **params)
    if entry.name == "sigma-grid":  # its narrowest kernels say nothing of the data
        params.setdefault("sigmas", (1.0, 0.5, 5.0))
    if entry.name == "incomplete":  # without missing values it is the generator inside
        return entry.load()(RandomKMeans(n_members, **params))
    return entry.load()(n_members, **params)


every = pytest.mark.parametrize(
    "entry", entries("generator"), ids=lambda entry: entry.name
)
# The clusters of networks belong to drawn samples, and have no means; members that see
# transformed data have none among the samples.
WITHOUT_MEANS = {"networks", "network-kmeans", "panel"}
# How many clusters its members have follows from the depth of the networks, and from
# the resolution of the communities.
WITHOUT_N_CLUSTERS = {"leiden", "networks"}


@every
def test_a_seed_fixes_all_whatever_n_jobs_is(entry):
    generator = make(entry)
    serial = generator.generate(X, seed=7, n_jobs=1)
    for n_jobs in (1, 2, -1):
        again = generator.generate(X, seed=7, n_jobs=n_jobs)
        np.testing.assert_array_equal(again.labels, serial.labels)
        for a, b in zip(serial.members, again.members, strict=True):
            assert dict(a.params) == dict(b.params)
            np.testing.assert_array_equal(a.centers, b.centers)


@every
def test_members_do_not_depend_on_how_many_there_are(entry):
    if entry.name == "clusterers":
        pytest.skip("its members are listed")
    few = make(entry, 2).generate(X, seed=3)
    many = make(entry, 5).generate(X, seed=3)
    np.testing.assert_array_equal(many.labels[:, : few.n_members], few.labels)


@every
def test_a_seed_sequence_is_not_used_up(entry):
    seed = np.random.SeedSequence(5)
    first = make(entry).generate(X, seed=seed)
    np.testing.assert_array_equal(
        make(entry).generate(X, seed=seed).labels, first.labels
    )


@every
def test_global_random_state_is_not_touched(entry):
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    make(entry).generate(X, seed=0)
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


@every
def test_generate_has_no_memory(entry):
    generator = make(entry)
    before = dict(vars(generator))
    generator.generate(X, seed=0)
    assert vars(generator) == before


@every
def test_centers_are_where_members_put_their_samples(entry):
    if entry.name in WITHOUT_MEANS:
        pytest.skip("its clusters have no means")
    ensemble = make(entry).generate(X, seed=1)
    for j, member in enumerate(ensemble.members):
        k = ensemble.n_clusters_per_member[j]
        view = member.view(X)
        assert member.centers.shape == (k, view.shape[1])
        own = np.linalg.norm(view - member.centers[ensemble.labels[:, j]], axis=1)
        far = np.linalg.norm(
            view - member.centers[(ensemble.labels[:, j] + 1) % k], axis=1
        )
        assert own.mean() < far.mean()


@every
@pytest.mark.parametrize(
    "data",
    [
        X.astype(np.float32),
        np.asfortranarray(X),
        np.repeat(X, 2, axis=1)[:, ::2],
        (X * 10).astype(np.int8),
        X.tolist(),
        np.hstack([X, np.ones((90, 2))]),
        np.repeat(X[:30], 3, axis=0),
    ],
    ids=["float32", "fortran", "strided", "int8", "list", "constant", "duplicates"],
)
def test_data_of_many_kinds(entry, data):
    ensemble = make(entry).generate(data, seed=0)
    assert ensemble.n_samples == 90
    assert not ensemble.has_missing


@every
def test_read_only_data(entry):
    data = X.copy()
    data.flags.writeable = False
    make(entry).generate(data, seed=0)


@every
def test_sparse_data(entry):
    generator = make(entry)
    if entry.name == "clusterers":
        generator = entry.load()([KMeans(3, n_init=1), KMeans(4, n_init=1)])
    data = sp.csr_matrix(np.abs(X))
    if not generator.accepts_sparse:
        with pytest.raises(TypeError, match="dense data is required"):
            generator.generate(data)
        return
    ensemble = generator.generate(data, seed=0)
    assert ensemble.n_samples == 90
    if entry.name not in WITHOUT_MEANS:
        assert all(isinstance(m.centers, np.ndarray) for m in ensemble.members)


@every
def test_one_sample(entry):
    generator = make(entry)
    if entry.name == "clusterers":
        generator = entry.load()([KMeans(1, n_init=1)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateMemberWarning)
        ensemble = generator.generate([[1.0, 2.0]], seed=0)
    np.testing.assert_array_equal(ensemble.labels, 0)


@every
def test_progress_is_told(entry):
    told = []
    make(entry).generate(
        X, seed=0, progress=lambda done, total: told.append((done, total))
    )
    total = 3 if entry.name != "sampled" else 4  # one block of rows
    assert told == [(done, total) for done in range(1, total + 1)]


@every
@pytest.mark.parametrize(
    ("data", "text"),
    [
        ([[1.0, np.nan], [0, 1]], "NaN"),
        ([[1.0, np.inf], [0, 1]], "infinity"),
        ([["a", "b"], ["c", "d"]], "could not convert string"),
        (np.empty((0, 3)), "0 sample"),
        (np.empty((3, 0)), "0 feature"),
        ([1.0, 2.0], "Expected 2D array"),
    ],
    ids=["nan", "inf", "text", "empty", "no features", "1-D"],
)
def test_bad_data(entry, data, text):
    if make(entry).accepts_missing and text == "NaN":
        assert make(entry).generate(data, seed=0).has_missing
        return
    with pytest.raises(ValueError, match=text):
        make(entry).generate(data, seed=0)


@every
def test_bad_parameters(entry):
    generator = make(entry, on_error="ignore")
    who = type(getattr(generator, "generator", generator)).__name__
    with pytest.raises(ValueError, match=f"'on_error' parameter of {who} must be"):
        generator.generate(X)
    if entry.name != "clusterers":
        with pytest.raises(ValueError, match=f"'n_members' parameter of {who} must be"):
            make(entry, 0).generate(X)
    if entry.name not in {"clusterers", *WITHOUT_N_CLUSTERS}:
        with pytest.raises(ValueError, match=r"range \(low, high\) .* got \(5, 3\)"):
            make(entry, n_clusters=(5, 3)).generate(X)
        with pytest.raises(ValueError, match="up to 900 clusters, but there are only"):
            make(entry, n_clusters=(2, 900)).generate(X)
