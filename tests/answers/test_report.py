"""The report as text: names escaped, nothing asked of the network, small."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs
from stand_ins import k_choice, panel

import coterie
from coterie import MBN, MDEC, SPCE, WOEC, Ensemble, EnsembleClustering
from coterie._hashing import digest
from coterie._html import tag
from coterie.answers import _figures
from coterie.answers._facts import Facts, contrast
from coterie.answers._page import embedded_json
from coterie.answers._words import on_kinds
from coterie.consensus import ConsensusResult
from coterie.ensemble import Member
from coterie.generation import RandomKMeans

X, Y = make_blobs(90, n_features=4, centers=3, cluster_std=5.0, random_state=0)
EVIL = "<script>alert('{{style}}')</script><img src=x onerror=alert(1)> & \u2028 \"'"


class Reader(HTMLParser):
    """Collects elements, addresses and what is shown."""

    def __init__(self):
        super().__init__()
        self.elements, self.texts, self.addresses, self.handlers = [], [], [], []

    def handle_starttag(self, name, attributes):
        self.elements.append(name)
        for key, value in attributes:
            if key in {"src", "href"}:
                self.addresses.append(value)
            if key.startswith("on"):
                self.handlers.append(key)

    def handle_data(self, text):
        self.texts.append(text)


def read(path):
    reader = Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    text = path.read_text(encoding="utf-8")
    found = re.search(r'id="data">(.*?)</script>', text, re.S)
    return reader, json.loads(found[1])


@pytest.fixture(scope="module")
def model():
    return EnsembleClustering(3, generator=RandomKMeans(6), random_state=0).fit(X)


@pytest.fixture(scope="module")
def choice():
    return k_choice()


def test_names_are_text(model, tmp_path):
    frame = pd.DataFrame(X, columns=[EVIL, "b", "</th>", "d"])
    frame.index = [EVIL, "</script>", *(f"s{i}" for i in range(88))]
    path = coterie.report(
        model,
        frame,
        tmp_path / "r.html",
        y=[EVIL, *Y[1:].astype(str)],
        title=EVIL,
        command=EVIL,
    )
    reader, data = read(path)
    assert reader.elements.count("script") == 2  # the data and the program
    assert "img" not in reader.elements
    assert not reader.handlers
    shown = "".join(reader.texts)
    assert shown.count(EVIL) >= 3  # title, column, command
    at = data["table"]["sample"].index(0)
    assert data["table"]["name"][at] == EVIL
    assert data["table"]["known_classes"][data["table"]["known_class"][at]] == EVIL


def test_nothing_is_asked_of_the_network(model, tmp_path):
    path = coterie.report(model, X, tmp_path / "r.html")
    reader, _ = read(path)
    for address in reader.addresses:
        assert address.startswith(("https://doi.org/", "#", "data:")), address
    links = reader.elements.count("a")
    assert links == sum(a.startswith("https://doi.org/") for a in reader.addresses)
    text = path.read_text(encoding="utf-8")
    assert "default-src 'none'" in text
    assert not re.search(r"@import|url\(|fetch\(|XMLHttpRequest|WebSocket", text)
    assert not re.search(r"\{\{\w+\}\}", text)
    assert "innerHTML" not in text


def test_numbers_are_those_of_explain(model, tmp_path):
    path = coterie.report(model, X, tmp_path / "r.html", y=Y)
    _, data = read(path)
    samples = coterie.explain(model).samples
    table = data["table"]
    at = np.array(table["sample"])
    assert sorted(at) == list(range(90))
    assert (np.diff(samples["margin"][at]) >= 0).all()  # the least sure first
    np.testing.assert_array_equal(table["cluster"], model.labels_[at])
    for name in ("confidence", "margin", "item_consensus", "difficulty"):
        found = np.array(table[name]) / 1000
        np.testing.assert_allclose(found, samples[name][at], atol=5.1e-4)
    counts = np.array(data["histograms"])
    np.testing.assert_array_equal(counts.sum(axis=1), np.bincount(model.labels_))
    member = data["alluvial"][0]
    flows = np.array(member["table"])
    labels = model.ensemble_.labels[:, member["member"]]
    for i, a in enumerate(member["clusters"]):
        for c in range(3):
            assert flows[i, c] == np.sum((labels == a) & (model.labels_ == c))


def test_samples_columns_and_members_are_counted_from_0(model, tmp_path):
    reader, data = read(coterie.report(model, X, tmp_path / "r.html"))
    for part in ("table", "map"):
        assert sorted(data[part]["sample"]) == list(range(90))
        assert data[part]["name"] is None
    assert sorted(map(int, data["matrix"]["name"])) == list(range(90))
    assert sorted(data["members"]["name"]) == [f"member {j}" for j in range(6)]
    columns = {text for text in reader.texts if re.fullmatch(r"column \d+", text)}
    assert columns == {f"column {j}" for j in range(4)}


def test_samples_keep_the_names_of_the_frame_that_was_clustered(tmp_path):
    frame = pd.DataFrame(X, index=[f"cell {i}" for i in range(90)])
    fitted = EnsembleClustering(3, generator=RandomKMeans(4), random_state=0).fit(frame)
    for given in (None, X, frame):
        table = read(coterie.report(fitted, given, tmp_path / "r.html"))[1]["table"]
        assert table["name"] == [f"cell {i}" for i in table["sample"]]


def test_words(model, choice, tmp_path):
    text = coterie.report(model, X, tmp_path / "r.html", y=Y, choice=choice).read_text()
    assert "EnsembleClustering found 3 clusters in 90 samples, from 6 clusterings" in (
        text
    )
    assert "Three &lt;clusters&gt;, and quite sure." in text
    assert f"agrees with this result on {model.predict_agreement_:.1%}" in text
    scores = coterie.metrics.score(Y.astype(str), model.labels_)
    assert f"NMI {scores['nmi_geometric']:.3f}, ARI {scores['ari']:.3f}" in text
    doubtful = int(np.sum(coterie.explain(model).samples["margin"] < 0.1))
    assert doubtful > 1
    assert f"{doubtful} samples ({doubtful / 90:.1%}) are doubtful" in text
    assert "10.1109/TCYB.2017.2702343" in text  # LWEA's paper
    assert "random_state=0" in text
    assert digest(X) in text


def test_words_on_new_samples_in_other_units(tmp_path):
    wide = X * [1, 1, 1e4, 1]
    model = EnsembleClustering(3, n_members=8, random_state=0).fit(wide)
    model._fit_trial = {"scaled neighbors": 1.0}  # whatever the trial says
    text = coterie.report(model, wide, tmp_path / "r.html").read_text()
    assert "by the nearest samples in standardised features" in text


def test_kinds(model, tmp_path):
    assert 'id="kinds"' not in coterie.report(model, X, tmp_path / "r.html").read_text()
    fitted = panel(X)
    path = coterie.report(fitted, X, tmp_path / "k.html")
    shown = "".join(read(path)[0].texts)
    assert "Which kinds of clustering agree" in shown
    assert "3 kinds of clustering on 2 views of the data make 6 groups" in shown
    table = re.findall(r'<table class="kinds">.*?</table>', path.read_text(), re.S)
    assert [part.count("<tr") for part in table] == [7, 4]
    seen = coterie.explain(fitted).by_kind.seen
    assert table[1].count('class="share seen"') == seen.sum()
    for n_seen in seen.sum(axis=1):
        assert f"{n_seen} of 6" in table[1]


def told(columns, result, names):
    """Return what is said of groups with these clusterings."""
    members = [Member(params={"kind": name}) for name in names]
    details = {
        "kind_labels": np.array(columns, dtype=np.int32).T,
        "kind_weights": np.full(len(names), 1 / len(names)),
        "kind_steadiness": np.ones(len(names)),
    }
    answer = ConsensusResult(np.array(result, dtype=np.int32), details=details)
    found = coterie.explain(Ensemble(columns, members), answer)
    facts = Facts.of(found, None, y=None, names=None, features=None, coordinates=None)
    return on_kinds(facts)[0]


def test_words_on_kinds():
    result = [0, 0, 0, 1, 1, 1, 2, 2, 2]
    merged = [0, 0, 0, 1, 1, 1, 1, 1, 1]
    text = told([result, merged, merged], result, ["genie", "gmm", "ward"])
    assert "All 3 groups see cluster 0." in text
    assert "Cluster 1 is seen only by genie: treat it with care." in text
    one = [0] * 9
    text = told([one, one], result, ["genie", "gmm"])
    assert "No group sees clusters 0, 1 and 2: do not rely on them." in text
    names = ["genie", "gmm", "ward", "kmeans", "leiden"]
    text = told([result, result, merged, merged, merged], result, names)
    assert "Cluster 2 is seen by 2 of 5 groups only" in text
    text = told([result] * 3 + [merged], result, names[:4])
    assert "At least 3 of 4 groups see clusters 0, 1 and 2." in text


def test_the_map_says_what_it_is(model, tmp_path):
    for coordinates, words in (
        (None, "t-SNE of the members' agreement"),
        ("pca", "Horizontal: principal component 1"),
        (X[:, :2], "Horizontal: x; vertical: y."),
    ):
        path = coterie.report(model, X, tmp_path / "r.html", coordinates=coordinates)
        assert words in read(path)[1]["map"]["note"]


def test_the_choice_of_the_system_is_found(choice, tmp_path):
    model = EnsembleClustering(3, generator=RandomKMeans(4), random_state=0).fit(X)
    path = coterie.report(model, X, tmp_path / "r.html")
    assert read(path)[1]["choice"] is None
    assert 'id="choice"' not in path.read_text()
    model.k_choice_ = choice
    _, data = read(coterie.report(model, X, tmp_path / "r.html"))
    assert data["choice"]["chosen"] == 3
    assert data["choice"]["curves"]["pac"] == [0.3, 0.1, None]
    assert data["choice"]["votes"] == {"pac": 3, "delta_area": 1}


@pytest.mark.parametrize(
    "system",
    [
        MDEC(3, n_members=6, random_state=0),
        SPCE(3, n_members=6, random_state=0),
        WOEC(3, n_members=6, random_state=0),
        MBN(3, n_clusterings=30, random_state=0),
        EnsembleClustering(1, generator=RandomKMeans(3), random_state=0),
    ],
    ids=lambda s: f"{type(s).__name__}{s.n_clusters}",
)
def test_every_system(system, tmp_path):
    reader, data = read(coterie.report(system.fit(X), X, tmp_path / "r.html"))
    assert type(system).__name__ in "".join(reader.texts)
    assert (data["paced"] is not None) == isinstance(system, SPCE)


def test_the_code_to_repeat_a_run_can_be_run(tmp_path):
    model = SPCE(3, n_members=6, random_state=4, n_jobs=2, progress=lambda *_: None)
    reader, _ = read(coterie.report(model.fit(X), X, tmp_path / "r.html"))
    (code,) = (text for text in reader.texts if ".fit(X)" in text)
    found: dict = {"X": X}
    exec(code, found)
    assert (found["model"].labels_ == model.labels_).all()


def test_labels_alone_with_holes(tmp_path):
    labels = np.column_stack([Y, np.where(Y == 1, -1, Y), Y // 2])
    result = coterie.combine(labels, 3, return_result=True)
    found = coterie.explain(labels, result)
    path = coterie.report(found, path=tmp_path / "r.html", parts=[coterie.MDEC()])
    reader, data = read(path)
    shown = "".join(reader.texts)
    assert "The members were combined into 3 clusters in 90 samples" in shown
    assert "What sets the clusters apart" not in shown
    assert data["silhouette"]["of"] == "consensus"


def test_sparse_data_and_constant_columns(tmp_path):
    data = np.abs(X).copy()
    data[:, 1] = 7.0
    model = EnsembleClustering(3, generator=RandomKMeans(4), random_state=0)
    model.fit(sp.csr_matrix(data))
    dense = coterie.report(model, data, tmp_path / "d.html").read_text()
    sparse = coterie.report(model, sp.csr_matrix(data), tmp_path / "s.html").read_text()
    table = re.compile(r'<table class="features">.*?</table>', re.S)
    assert table.search(dense)[0] == table.search(sparse)[0]


def test_contrast_is_the_share_between_clusters():
    found = contrast(X, Y, 4)
    for at, j in enumerate(found.features):
        groups = [X[c == Y, j] for c in range(3)]
        within = sum(np.sum((group - group.mean()) ** 2) for group in groups)
        total = np.sum((X[:, j] - X[:, j].mean()) ** 2)
        assert found.share[at] == pytest.approx(1 - within / total)
        means = [group.mean() for group in groups]
        np.testing.assert_allclose(found.means[at], means)
        z = (np.array(means) - X[:, j].mean()) / X[:, j].std()
        np.testing.assert_allclose(found.z[at], z)
    assert (np.diff(found.share) <= 0).all()


def test_a_hundred_thousand_samples_stay_small(tmp_path):
    rng = np.random.default_rng(0)
    n = 100_000
    truth = rng.integers(12, size=n)
    labels = np.where(rng.random((n, 12)) < 0.2, rng.integers(12, size=(n, 12)), 0)
    labels = (truth[:, None] + labels) % 12
    found = coterie.explain(labels, truth)
    names = [f"a sample with quite a long name {i:06d}" for i in range(n)]
    path = coterie.report(
        found, rng.random((n, 3)), tmp_path / "r.html", names=names, y=truth
    )
    assert path.stat().st_size < 10_000_000
    _, data = read(path)
    table = data["table"]
    shown = len(table["sample"])
    assert 50_000 < shown < n  # names take room: the least sure are kept
    margin = found.samples["margin"]
    assert margin[table["sample"]].max() <= np.sort(margin)[shown] + 1e-12
    assert len(data["map"]["x"]) == _figures.MAP_SAMPLES
    assert data["matrix"]["size"] == _figures.MATRIX_SAMPLES
    assert np.sum(data["histograms"]) == n


def test_errors(model, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"the folder .*none does not exist"):
        coterie.report(model, X, tmp_path / "none" / "r.html")
    with pytest.raises(ValueError, match="data with 10 samples for a result with 90"):
        coterie.report(model, X[:10], tmp_path / "r.html")
    with pytest.raises(ValueError, match="2 feature names for data with 4 columns"):
        coterie.report(model, X, tmp_path / "r.html", features=["a", "b"])
    with pytest.raises(ValueError, match="names for each of the 90 samples"):
        coterie.report(model, X, tmp_path / "r.html", names=["a"])
    assert not list(tmp_path.iterdir())


def test_embedding():
    text = embedded_json({"a": ["</script><!--", "\u2028", "é"], "b": None})
    assert "<" not in text
    assert "\u2028" not in text
    assert json.loads(text) == {"a": ["</script><!--", "\u2028", "é"], "b": None}
    with pytest.raises(ValueError, match="not JSON compliant"):
        embedded_json(float("nan"))
    assert tag("b", "<", tag("i", "&"), class_='"') == (
        '<b class="&quot;">&lt;<i>&amp;</i></b>'
    )
