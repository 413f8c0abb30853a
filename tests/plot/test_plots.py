"""Every plot takes axes and returns them, with what it shows."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from stand_ins import k_choice, panel

from coterie import SPCE, EnsembleClustering, explain, plot
from coterie.generation import RandomKMeans
from coterie.plot._data import _DATA

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from matplotlib.figure import Figure  # noqa: E402

X, Y = make_blobs(90, n_features=4, centers=3, cluster_std=2.0, random_state=0)
NAMES = sorted(set(plot.__all__) - {"cluster_colors", "data"})
OF_CHOICE = {"cdf", "delta_area", "pac", "tracking"}
OF_KINDS = {"kinds", "seen_by"}


@pytest.fixture(scope="module")
def model():
    return SPCE(3, n_members=6, random_state=0).fit(X)


@pytest.fixture(scope="module")
def choice():
    return k_choice()


@pytest.fixture(scope="module")
def of_kinds():
    return panel(X)


def test_each_plot_has_its_numbers():
    assert set(NAMES) == set(_DATA)
    with pytest.raises(ValueError, match="Did you mean sample_map"):
        plot.data("samplemap")


@pytest.mark.parametrize("name", NAMES)
def test_axes_in_axes_out(name, model, choice, of_kinds):
    ax = Figure().add_subplot()
    source = of_kinds if name in OF_KINDS else model
    source = choice if name in OF_CHOICE else source
    assert getattr(plot, name)(source, ax=ax) is ax
    assert ax.get_title()
    ax.figure.canvas.draw()


@pytest.mark.parametrize("name", NAMES)
def test_without_axes_there_is_a_figure(name, model, choice, of_kinds):
    from matplotlib import pyplot

    source = of_kinds if name in OF_KINDS else model
    source = choice if name in OF_CHOICE else source
    ax = getattr(plot, name)(source)
    assert ax.figure.axes
    pyplot.close(ax.figure)


def test_sampling_is_said(model):
    for draw in (plot.consensus_matrix, plot.sample_map, plot.silhouette):
        ax = draw(model, max_samples=20, ax=Figure().add_subplot())
        assert "(20 of 90 samples)" in ax.get_title()


def test_annotations(model):
    given = {"class": Y, "size": X[:, 0], "word": np.array(list("abc"))[Y]}
    ax = plot.consensus_matrix(model, annotations=given, ax=Figure().add_subplot())
    assert {"cluster", *given} <= {text.get_text() for text in ax.texts}
    band = ax.images[2].get_array()[0]  # after the matrix and the clusters
    order = plot.data("consensus_matrix", model)["samples"]
    for c in range(3):
        assert len({tuple(color) for color in band[Y[order] == c]}) == 1


def test_one_cluster_one_member_and_few_samples():
    tiny = explain([[0, 0, 1]], [0, 0, 0])
    for name in NAMES:
        if name not in OF_CHOICE | OF_KINDS | {"self_paced_weights"}:
            ax = Figure().add_subplot()
            getattr(plot, name)(tiny, ax=ax)
            ax.figure.canvas.draw()


def test_numbers_of_kinds_are_written(of_kinds):
    ax = plot.kinds(of_kinds, ax=Figure().add_subplot())
    texts = [text.get_text() for text in ax.texts]
    assert texts.count("1") >= 6  # the diagonal
    assert {"weight", "steadiness", "with result"} <= set(texts)
    ax = plot.seen_by(of_kinds, ax=Figure().add_subplot())
    bold = [text for text in ax.texts if text.get_fontweight() == "bold"]
    data = plot.data("seen_by", of_kinds)
    assert len(bold) == data["seen"].sum()
    texts = [text.get_text() for text in ax.texts]
    assert [text for text in texts if " of 6" in text] == [
        f"{seen} of 6" for seen in data["seen"]
    ]


def test_many_clusters():
    model = EnsembleClustering(
        25, generator=RandomKMeans(6, n_clusters=(20, 40)), random_state=0
    ).fit(X)
    for draw in (plot.sample_map, plot.alluvial, plot.cluster_consensus):
        draw(model, ax=Figure().add_subplot()).figure.canvas.draw()


def test_no_clusters_marks_no_k():
    ax = plot.pac(k_choice(n_clusters=1), ax=Figure().add_subplot())
    assert "chosen" not in {text.get_text() for text in ax.texts}
