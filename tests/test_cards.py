"""Cards in notebooks: what they say, and that they are small, safe and never fail."""

import base64
import re
import time
import zlib
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest
import sklearn
from sklearn.datasets import make_blobs
from stand_ins import k_choice, panel

import coterie
from coterie import Ensemble, EnsembleClustering
from coterie._cards import MOST_ROWS, Card, html_of, matrix
from coterie.choice import KChoice
from coterie.consensus import EAC, ConsensusResult
from coterie.ensemble import BlockEnsemble, Member
from coterie.ensemble._blocks import MemoryBlocks
from coterie.generation import RandomKMeans
from coterie.systems import Comparison

SCRIPT = "<script>alert(1)</script>"
MOST_BYTES = 20_000
X, Y = make_blobs(90, centers=3, cluster_std=3.0, random_state=0)


def parsed(html):
    """Return the card as a tree; raises if an element is not closed."""
    return ElementTree.fromstring(html)


def words(html):
    """Return the visible text."""
    tree = parsed(html)
    for style in tree.findall(".//style"):
        style.text = ""
    return " ".join(" ".join(tree.itertext()).split())


def rows(html):
    """Return the cells of the table's body as text."""
    body = parsed(html).find(".//tbody")
    return [["".join(cell.itertext()) for cell in row] for row in body]


def a_choice(**changes):
    values = vars(k_choice())
    null_curves = {"pac": np.full((19, 3), 0.4)}
    return KChoice(**{**values, "null_curves": null_curves, "settings": {}, **changes})


def a_comparison(n_methods=3, **changes):
    names = tuple(f"method{i}" for i in range(n_methods))
    results = {name: ConsensusResult(np.array([0, 0, 1, 1])) for name in names}
    values = {
        "methods": names,
        "results": results,
        "scores": {"agreement": np.linspace(0.2, 0.9, n_methods)},
        "seconds": np.geomspace(0.01, 10, n_methods),
        "similarity": np.ones((n_methods, n_methods)),
        "failed": {},
    }
    return Comparison(**{**values, **changes})


@pytest.fixture(scope="module")
def model():
    return panel(X)


@pytest.fixture(scope="module")
def cards(model):
    things = [model, model.ensemble_, model.consensus_, a_choice(), a_comparison(12)]
    return [thing._repr_html_() for thing in things]


def test_every_card_has_a_table_a_picture_and_a_line_to_type(cards):
    for html in cards:
        tree = parsed(html)
        assert tree.get("class") == "coterie-card"
        for name in ("table", "figure/svg", "pre"):
            assert tree.find(f".//{name}") is not None, (name, words(html))


def test_cards_suit_light_and_dark_pages(cards):
    for html in cards:
        style = parsed(html).find("style").text
        assert "prefers-color-scheme: dark" in style
        assert 'data-jp-theme-light="false"' in style
        assert "vscode-dark" in style
        # text has no colour of its own: it takes that of the page
        assert set(re.findall(r"[^-]color: (\w+)", style)) == {"inherit"}


def test_cards_are_small_and_load_nothing(cards):
    for html in cards:
        assert len(html.encode()) < MOST_BYTES
        assert "<script" not in html
        assert not re.search(r"(src|href)=\"(?!data:)", html)


def test_the_lines_to_type_run(model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    things = {
        "model": model,
        "ensemble": model.ensemble_,
        "result": model.consensus_,
        "found": a_comparison(),
    }
    for thing in things.values():
        code = parsed(thing._repr_html_()).find("pre").text
        exec(code, {"coterie": coterie, "X": X, **things})
    assert (tmp_path / "report.html").exists()


def test_a_result_tells_sizes_and_confidence():
    labels = np.repeat([0, 1, 2], [5, 3, 2])
    confidence = np.repeat([0.9, 0.4, 0.7], [5, 3, 2])
    margin = np.repeat([0.8, 0.2, 0.05], [5, 3, 2])
    html = ConsensusResult(labels, confidence, margin=margin)._repr_html_()
    assert "ConsensusResult: 3 clusters of 10 samples" in words(html)
    assert "mean confidence 0.71, 2 doubtful samples" in words(html)
    found = [[row[0], row[1], row[3]] for row in rows(html)]
    assert found == [["0", "5", "0.90"], ["1", "3", "0.40"], ["2", "2", "0.70"]]


def test_clusters_that_members_confuse_are_joined():
    labels = np.repeat([0, 1, 2], 10)
    second = np.repeat([1, 0, 0], 10)
    margin = np.repeat([0.4, 0.6, 1.0], 10)  # 2 is as sure as can be
    html = ConsensusResult(labels, 1 - margin / 2, second, margin)._repr_html_()
    titles = [line.find("title").text for line in parsed(html).iter("line")]
    assert titles == ["50% of the smaller cluster's votes"]  # (0.3 + 0.2) * 10 / 10


def test_labels_with_gaps_are_joined_as_they_are_named():
    labels = np.repeat([0, 7], 10)
    second = np.repeat([7, 0], 10)
    html = ConsensusResult(labels, None, second, np.zeros(20))._repr_html_()
    assert len(list(parsed(html).iter("line"))) == 1
    assert [row[0] for row in rows(html)] == ["0", "7"]


def test_a_million_samples_and_500_clusters():
    rng = np.random.default_rng(0)
    labels = np.append(rng.integers(500, size=999_000), np.full(1000, 321))
    labels = labels.astype(np.int32)
    sure = rng.random(labels.size)
    second = (labels + 1) % 500
    result = ConsensusResult(labels, sure, second, sure - 0.3)
    start = time.process_time()
    html = result._repr_html_()
    assert time.process_time() - start < 1.0  # 0.04 s on an idle machine
    assert len(html.encode()) < MOST_BYTES
    found = rows(html)
    assert len(found) == MOST_ROWS + 1
    assert found[0][0] == "321"
    assert found[-1][0].startswith("and 490 smaller, with 9")


def test_a_wide_ensemble_is_shown_by_some_samples_and_members():
    rng = np.random.default_rng(0)
    labels = rng.integers(9, size=(20_000, 600)).astype(np.int32)
    members = tuple(Member(params={"kind": f"kind {j}"}) for j in range(600))
    ensemble = Ensemble._from_coded(labels, np.arange(601) * 9, members)
    html = ensemble._repr_html_()
    assert "core" not in vars(ensemble)  # which would take seconds
    assert len(html.encode()) < MOST_BYTES
    assert "600 members on 20,000 samples" in words(html)
    assert "How often 64 of the samples" in words(html)
    assert rows(html)[-1] == ["and 590 more"]


def test_the_picture_of_an_ensemble_is_its_consensus_matrix():
    html = matrix(np.array([[1.0, 0.0], [np.nan, 0.5]]), 100)
    data = base64.b64decode(parsed(html).get("href").split(",")[1])
    assert data.startswith(b"\x89PNG")
    length = int.from_bytes(data[data.index(b"IDAT") - 4 :][:4], "big")
    lines = zlib.decompress(data[data.index(b"IDAT") + 4 :][:length])
    assert list(lines) == [0, 15, 0, 0, 0, 8]  # each line begins with its filter


def test_members_have_their_names_and_missing_labels_are_told():
    ensemble = Ensemble({"ward": [0, 0, 1, 1], SCRIPT: ["a", "b", "b", None]})
    html = ensemble._repr_html_()
    assert "1 label missing" in words(html)
    assert rows(html) == [["ward", "2"], [SCRIPT, "2"]]


def test_an_ensemble_on_disk_is_not_read():
    class Guarded(MemoryBlocks):
        def load(self, number):
            raise AssertionError("read")

    blocks = Guarded([np.zeros((4, 2), dtype=np.int8)])
    ensemble = BlockEnsemble(blocks, np.array([0, 4]), sizes=[2, 3])
    assert "2 members on 4 samples" in words(ensemble._repr_html_())
    assert "<table" in ensemble._repr_html_()


def test_a_choice_shows_votes_and_the_curve():
    html = a_choice()._repr_html_()
    assert "KChoice: 3 clusters Three <clusters>, and quite sure." in words(html)
    assert "with 19 reference data sets that have no clusters" in words(html)
    assert rows(html) == [
        ["1", "-", "delta_area"],
        ["2", "0.200", ""],
        ["3", "0.010", "pac"],
        ["4", "-", ""],
    ]
    assert parsed(html).find(".//polygon") is not None  # the references
    assert "EnsembleClustering(3)" in html


def test_a_choice_of_no_clusters_suggests_none():
    html = a_choice(n_clusters=1)._repr_html_()
    assert "no clusters" in words(html)
    assert "EnsembleClustering" not in html


def test_a_choice_among_many_shows_the_ten_that_matter():
    k = np.arange(2, 42)
    curve = np.linspace(0, 1, k.size)
    html = a_choice(
        n_clusters=30,
        k_values=k,
        curves={"separation": curve},
        p_values=np.full(k.size, 0.05),
        votes={"separation": 30, "pac": 41},
    )._repr_html_()
    shown = [row[0] for row in rows(html)]
    assert {"30", "41"} < set(shown)
    assert shown[-1] == "and 30 more"
    assert len(html.encode()) < MOST_BYTES


def test_a_comparison_marks_the_best_and_tells_what_failed():
    html = a_comparison(failed={"slow": f"too large {SCRIPT}"})._repr_html_()
    bold = ["".join(b.itertext()) for b in parsed(html).iter("b")]
    assert bold == ["0.900"]
    assert f"slow has no result: too large {SCRIPT}" in words(html)
    assert len(list(parsed(html).iter("circle"))) == 3


def test_many_methods_with_long_names_stay_small():
    html = a_comparison(400)._repr_html_()
    assert len(html.encode()) < MOST_BYTES
    assert rows(html)[-1] == ["and 390 more"]


def test_a_fitted_system_shows_a_card_in_every_way(model):
    html = model._repr_html_()
    assert "EnsembleClustering: 3 clusters of 90 samples" in words(html)
    assert "12 members of 3 kinds" in words(html)
    bundle = model._repr_mimebundle_()
    assert bundle["text/html"] == html
    assert bundle["text/plain"] == repr(model)


def test_an_unfitted_system_keeps_the_diagram_of_sklearn():
    html = EnsembleClustering(3)._repr_mimebundle_()["text/html"]
    assert "sk-container" in html
    assert "coterie-card" not in html


def test_sklearn_can_turn_html_off(model):
    with sklearn.config_context(display="text"):
        assert not hasattr(model, "_repr_html_")
        assert set(model._repr_mimebundle_()) == {"text/plain"}


def test_a_chosen_k_and_notes_are_told():
    class Noted(EnsembleClustering):
        notes_ = ("first", SCRIPT, "third " + "x" * 500, "fourth")

    model = Noted(2, generator=RandomKMeans(3), consensus=EAC(), random_state=0)
    model.fit(X).k_choice_ = SimpleNamespace(sentence="Two, perhaps.")
    text = words(model._repr_html_())
    assert "Two, perhaps. first <script>alert(1)</script> " in text
    assert "third" not in text


ODD = {
    "none": ConsensusResult(np.empty(0, dtype=np.int32)),
    "one sample": ConsensusResult(np.zeros(1, dtype=np.int32), np.ones(1)),
    "noise": ConsensusResult(np.array([-1, 0, 0, 1])),
    "text": ConsensusResult(np.array(["a", SCRIPT, "a"])),
    "huge labels": ConsensusResult(np.array([0, 10**12])),
    "unknown confidence": ConsensusResult(np.array([0, 1]), np.full(2, np.nan)),
    "no runner-up": ConsensusResult(
        np.array([0, 1]), np.ones(2), np.array([-1, 99]), np.full(2, np.nan)
    ),
    "no margin": ConsensusResult(np.array([0, 1]), np.ones(2), np.array([1, 0])),
    "lists": ConsensusResult([0, 1, 1]),
    "one label": Ensemble([[0]]),
    "one member": Ensemble([[0, 0, 1, 2]]),
    "odd name": Ensemble([[0, 1, 1]], [Member(name=SCRIPT)]),
    "nothing to choose": a_choice(
        n_clusters=1, k_values=np.empty(0, int), curves={}, votes={}, p_values=[]
    ),
    "no curve": a_choice(curves={"pac": np.full(3, np.nan)}, null_curves={}),
    "broken choice": a_choice(p_values=None, sentence=SCRIPT),
    "one method": a_comparison(1),
    "no score": a_comparison(3, scores={}),
    "unknown scores": a_comparison(3, scores={"agreement": np.full(3, np.nan)}),
    "no method": a_comparison(0),
}


@pytest.mark.filterwarnings("ignore:All-NaN:RuntimeWarning")
@pytest.mark.parametrize("name", ODD)
def test_odd_results_never_raise(name):
    html = ODD[name]._repr_html_()
    assert len(html.encode()) < MOST_BYTES
    assert "<script" not in html
    parsed(html)


def test_what_fails_is_shown_as_text():
    class Broken:
        def __repr__(self):
            return f"Broken {SCRIPT}"

    class Mute(Broken):
        def __repr__(self):
            raise RuntimeError

    def fail(thing):
        raise ValueError

    assert parsed(html_of(fail, Broken())).text == f"Broken {SCRIPT}"
    assert "Mute object at" in parsed(html_of(fail, Mute())).text


def test_everything_in_a_card_is_escaped():
    html = Card(SCRIPT, [SCRIPT], notes=[SCRIPT], code=[SCRIPT]).to_html()
    assert "<script" not in html
    assert words(html) == " ".join([SCRIPT] * 4)
