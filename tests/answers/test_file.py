"""The file of a report: a path everywhere, the page itself in a notebook."""

import pickle
from html.parser import HTMLParser
from pathlib import Path

import pytest
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError

import coterie
from coterie.answers import _file
from coterie.generation import RandomKMeans

X, _ = make_blobs(60, n_features=4, centers=3, random_state=0)


class Frame(HTMLParser):
    """Collects the attributes of each element; nothing is read inside ``srcdoc``."""

    def __init__(self, html):
        super().__init__()
        self.found = {}
        self.feed(html)

    def handle_starttag(self, name, attributes):
        self.found.setdefault(name, dict(attributes))


@pytest.fixture(scope="module")
def model():
    generator = RandomKMeans(4)
    return coterie.EnsembleClustering(3, generator=generator, random_state=0).fit(X)


@pytest.fixture
def path(model, tmp_path):
    return model.report(X, tmp_path / "a <b>.html", title="</iframe><b>bold</b>")


def test_a_report_is_a_path(path):
    assert isinstance(path, Path)
    assert path.is_file()
    assert path == Path(path)
    assert pickle.loads(pickle.dumps(path)) == path


def test_a_notebook_shows_the_page_in_a_sandbox(path):
    found = Frame(path._repr_html_()).found
    assert set(found) == {"div", "iframe", "p", "a"}
    assert found["iframe"]["srcdoc"] == path.read_text()
    allowed = set(found["iframe"]["sandbox"].split())
    assert "allow-scripts" in allowed
    assert "allow-same-origin" not in allowed  # with scripts, it would be no sandbox
    assert found["a"]["href"] == path.as_posix()


def test_a_large_page_is_named_only(path, monkeypatch):
    monkeypatch.setattr(_file, "MOST_BYTES", 1000)
    html = path._repr_html_()
    assert "iframe" not in html
    assert "Open the file: " in html
    assert "a &lt;b&gt;.html" in html


def test_what_is_no_report_shows_nothing(path):
    assert path.parent._repr_html_() is None
    path.unlink()
    assert path._repr_html_() is None


def test_the_method_writes_what_the_function_does(model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert model.report() == Path("report.html")
    assert "EnsembleClustering found 3 clusters" in Path("report.html").read_text()
    with pytest.raises(NotFittedError):
        coterie.EnsembleClustering(3).report()
