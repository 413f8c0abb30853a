"""advise: what it sees, what it says, and where its figures come from."""

import re
import sys
from pathlib import Path

import igraph
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits, load_iris, load_wine, make_moons

import coterie
from coterie import _figures
from coterie._catalog import entries, find
from coterie._figures import FEW, LABELS, MANY, ROWS, TRIALS
from coterie.advice import Advice
from coterie.generation import RandomKMeans

ROOT = Path(__file__).parents[2]
WHICH = ROOT / "docs" / "which.md"
RESULTS = ROOT / "experiments" / "results"


@pytest.fixture(scope="module")
def figures():
    """Return the experiment that measures the figures."""
    sys.path.insert(0, str(ROOT))
    try:
        from experiments import figures
    finally:
        sys.path.remove(str(ROOT))
    return figures


def test_the_figures_are_those_of_the_experiments(figures):
    text = Path(_figures.__file__).read_text()
    assert figures.rewritten(text) == text, "python -m experiments.figures"


@pytest.mark.parametrize("trial", [FEW, MANY])
def test_the_figures_are_in_the_report(trial):
    report = (ROOT / _figures.report(trial)).read_text()
    section = report.split(f"\n## {TRIALS[trial].study}: ")[1].split("\n## ")[0]
    row = re.search(r"^\| panel \| raw \|.*$", section, re.M).group(0)
    own_ari, finished = (row.split(" | ")[at] for at in (6, 7))
    figure = ROWS[trial, "ensemble"]
    assert float(own_ari) == figure.ari
    assert int(finished.split("/")[0]) == figure.n_sets


def test_the_reports_exist():
    for trial in TRIALS:
        assert (ROOT / _figures.report(trial)).is_file()


def test_few_features():
    X, _ = make_moons(100, random_state=0)
    advice = coterie.advise(X, 2)
    assert advice.use == "ensemble"
    assert advice.facts == ("100 samples, 2 features.",)
    assert f"{ROWS[FEW, 'ensemble'].ari:.2f}" in advice.sentence
    assert advice.avoid[0].startswith("MDEC and MBNEnsemble, which sample features")
    assert "force equal sizes" in advice.avoid[1]
    assert [line.split(",")[0] for line in advice.instead] == ["USENC"]


def test_many_features():
    advice = coterie.advise(load_digits().data, 10)
    assert f"{ROWS[MANY, 'ensemble'].ari:.2f}" in advice.sentence
    assert [line.split(",")[0] for line in advice.instead] == ["MDEC", "C2SWCE"]
    assert not any("MDEC" in line for line in advice.avoid)
    assert advice.shell == "coterie cluster data.csv -k 10 -o labels.csv"


def test_the_line_of_code_runs():
    X = load_iris().data
    advice = coterie.advise(X, 3)
    labels = eval(advice.python, {"coterie": coterie, "X": X})
    assert len(np.unique(labels)) == 3
    labels = RandomKMeans(8).generate(X, seed=0).labels
    advice = coterie.advise(labels, 3)
    answer = eval(advice.python, {"coterie": coterie, "labels": labels})
    assert answer.shape == (150,)


def test_loud_columns_are_named():
    advice = coterie.advise(load_wine(as_frame=True).data)
    assert advice.facts[1] == "Scales differ: proline has 99.8% of the variance."
    assert "both as they are and standardised" in advice.sentence
    assert "Single systems on the columns as they are: proline" in advice.avoid[-1]


def test_tables_and_missing_values():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(
        {"a": [1.5, None, 2.5, 3.5], "b": list("xyxy"), "c": [0.1, 0.2, 0.4, 0.3]}
    )
    advice = coterie.advise(table, 2)
    seen = " ".join(advice.facts)
    assert "4 samples, 3 features" in seen
    assert "1 column of text" in seen
    assert "8.3% of the values are missing" in seen
    assert not advice.instead  # no other system takes them
    assert advice.avoid[-1].startswith("Other systems")


def test_many_rows(monkeypatch, tmp_path):
    monkeypatch.setattr("coterie.advice._advise.BLOCK_ROWS", 50)
    X = np.random.default_rng(0).normal(size=(60, 2))
    assert coterie.advise(X).use == "large"
    np.save(tmp_path / "X.npy", X[:40])
    advice = coterie.advise(tmp_path / "X.npy", 2, file="X.npy")
    assert advice.use == "large"
    assert advice.python == "coterie.LargeEnsembleClustering(2).fit('X.npy').labels_"
    assert "read block by block" in advice.facts[0]


def test_labels_are_recognised():
    members = RandomKMeans(10).generate(load_iris().data, seed=0)
    for given in (members, members.labels, list(members.labels.T)):
        advice = coterie.advise(given, 3)
        assert advice.use == "lwea"
        assert advice.facts[0].startswith("10 labelings of 150 samples")
    assert f"{ROWS[LABELS, 'ptgp'].ari:.2f}" in advice.sentence
    assert "kind='data'" in advice.facts[-1]  # a guess
    assert len(coterie.advise(members, 3).facts) == 1  # no guess
    assert coterie.advise(members.labels, 3, kind="data").use == "ensemble"


@pytest.mark.parametrize("limit", [10, 1000])
def test_advice_for_labels_is_what_combine_does(limit, monkeypatch):
    monkeypatch.setattr("coterie.systems._defaults.LINKAGE_LIMIT", limit)
    members = RandomKMeans(10).generate(load_iris().data, seed=0)
    advice = coterie.advise(members, 3)
    assert advice.use == ("lwgp" if limit == 10 else "lwea")
    space = {"coterie": coterie, "labels": members}
    exec(f"found = {advice.python}", space)
    expected = coterie.combine(members, 3, consensus=advice.use)
    np.testing.assert_array_equal(space["found"], expected)


def test_the_sentence_on_ptgp_counts_what_the_field_found():
    runs = pd.read_csv(RESULTS / "field_runs.csv")
    runs = runs[runs.method.isin(["ptgp", "lwea"])]
    ari = runs.pivot_table(index="dataset", columns="method", values="ari")
    finished = runs[runs.method == "ptgp"].set_index("dataset").finished.astype(bool)
    more = (ari.ptgp - ari.lwea)[finished[finished].index]
    members = RandomKMeans(10).generate(load_iris().data, seed=0)
    counts = f"ahead on {(more > 0).sum()} and behind on {(more < 0).sum()}"
    assert counts in coterie.advise(members, 3).sentence


def test_members_of_several_kinds():
    members = coterie.EnsembleClustering(3, effort="quick", random_state=0)
    members.fit(load_iris().data)
    assert coterie.advise(members.ensemble_, 3).use == "council"


@pytest.mark.parametrize(
    "X",
    [
        load_digits().data,
        load_iris().data.round(),
        np.random.default_rng(0).integers(1, 6, (300, 4)),  # ratings
    ],
    ids=["digits", "rounded iris", "ratings"],
)
def test_whole_numbers_are_not_taken_for_labels(X):
    assert coterie.advise(X).use == "ensemble"


def test_graphs_and_images():
    graph = sp.random_array((40, 40), density=0.1, rng=np.random.default_rng(0))
    assert coterie.advise(graph + graph.T).use == "communities"
    assert coterie.advise(graph).facts == ("40 samples, 40 features, sparse.",)
    edges = pd.DataFrame({"Source": ["a", "b", "b"], "Target": ["b", "c", "d"]})
    for one in (edges, igraph.Graph(4, [(0, 1)])):
        advice = coterie.advise(one, file="my edges.csv")
        assert advice.facts == ("A graph of 4 nodes.",)
        assert advice.shell.startswith("coterie communities 'my edges.csv' -o")
    image = coterie.advise(np.zeros((6, 8, 3)), file="my photo.jpg")
    assert image.use == "segment"
    assert image.shell == "coterie segment 'my photo.jpg' -o segments.png"


def test_errors_say_what_to_do():
    with pytest.raises(ValueError, match=r"kind='image' or 'graph'"):
        coterie.advise(np.zeros(5))
    with pytest.raises(ValueError, match="'kind' parameter of advise"):
        coterie.advise(np.zeros((5, 2)), kind="table")


def test_it_prints_well():
    text = str(coterie.advise(load_wine().data, 3))
    assert all(len(line) <= 88 for line in text.splitlines())
    for head in ("seen", "Python", "shell", "figures", "or", "avoid"):
        assert f"\n  {head} " in text
    assert repr(Advice("x", "Use x.", ("1 sample.",), "x()", "x")).count("\n") == 3


class TestThePageWhichOne:
    def test_groups(self):
        page = WHICH.read_text()
        start, reason = page.split("## Start here")[1].split("## For a reason")
        reason = reason.split("\n## ")[0]
        for group, text in (("start", start), ("reason", reason)):
            listed = re.findall(r"^\| `([\w-]+)` \|([^|]*)\|", text, re.M)
            known = [(e.name, e.take_if) for e in entries(group=group)]
            assert sorted((n, t.strip()) for n, t in listed) == sorted(known)

    def test_figures(self):
        trials = WHICH.read_text().split("## The figures")[1].split("\n### ")[1:]
        found = {}
        for trial, text in zip((FEW, MANY, LABELS), trials, strict=True):
            for name, ari, default, n in re.findall(
                r"^\| `([\w-]+)` \| (\d\.\d{3}) \| (\d\.\d{3}) \| (\d+) \|", text, re.M
            ):
                found[trial, name] = (int(n), float(ari), float(default))
        assert found == {key: tuple(figure) for key, figure in ROWS.items()}

    def test_groups_are_complete(self):
        for entry in entries():
            assert bool(entry.take_if) == (entry.group != "research"), entry.name
        assert {e.name for e in entries(group="start")} == {"ensemble", "large", "lwea"}
        assert find("weac").group == "research"  # though its base is not
