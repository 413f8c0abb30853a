"""What a release needs: bounds, classifiers, the workflow and the citation agree."""

import re
from pathlib import Path

import pytest

import coterie
from coterie._papers import PAPERS

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def project():
    toml = pytest.importorskip("tomllib")  # Python 3.11
    return toml.loads((ROOT / "pyproject.toml").read_text())["project"]


@pytest.fixture(scope="module")
def workflow():
    yaml = pytest.importorskip("yaml")
    path = ROOT / ".github" / "workflows" / "ci.yml"
    if not path.exists():
        pytest.skip("the source distribution has no workflow")
    return yaml.safe_load(path.read_text())["jobs"]


def commands(job):
    return " ".join(step["run"] for step in job["steps"] if "run" in step)


def test_every_dependency_has_a_lower_bound(project):
    extras = project["optional-dependencies"]
    named = [*project["dependencies"], *(r for rs in extras.values() for r in rs)]
    own = [r for r in named if r.startswith("coterie[")]
    assert all(re.match(r"[\w-]+(\[\w+\])?>=\d", r) for r in named if r not in own)
    (every,) = own
    listed = set(re.search(r"\[(.*)\]", every)[1].split(","))
    assert listed == set(extras) - {"all", "dev", "docs", "release"}


def test_one_package_has_one_lower_bound(project):
    bounds = {}
    for requirements in project["optional-dependencies"].values():
        for requirement in [*requirements, *project["dependencies"]]:
            if match := re.match(r"([\w-]+)(?:\[\w+\])?>=([\d.]+)", requirement):
                bounds.setdefault(match[1], set()).add(match[2])
    assert {name: b for name, b in bounds.items() if len(b) > 1} == {}


def test_the_workflow_tries_every_python_and_the_lowest_versions(project, workflow):
    classified = re.findall(
        r"Python :: (3\.\d+)", "\n".join(project["classifiers"])
    )  # fmt: skip
    matrix = workflow["tests"]["strategy"]["matrix"]
    assert matrix["python"] == classified
    lowest = [c for c in matrix["include"] if c["resolution"] == "lowest-direct"]
    assert [c["python"] for c in lowest] == [classified[0]]
    assert project["requires-python"] == f">={classified[0]}"


def test_the_workflow_is_the_gate_and_more(workflow):
    assert "make test" in (ROOT / ".ci" / "run").read_text()
    assert commands(workflow["gate"]) == ".ci/run"
    assert "pytest" in commands(workflow["tests"])
    assert "make docs" in commands(workflow["docs"])
    assert "uv build" in commands(workflow["wheel"])


def test_the_citation():
    yaml = pytest.importorskip("yaml")
    cff = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert {"cff-version", "message", "title", "authors"} <= set(cff)
    assert cff["cff-version"] == "1.2.0"
    assert cff["type"] == "software"
    assert cff["version"] == coterie.__version__
    assert cff["license"] == "BSD-3-Clause"
    known = {paper.doi for paper in PAPERS.values()}
    for work in cff["references"]:
        assert {"type", "title", "authors", "year"} <= set(work)
        assert all("family-names" in author for author in work["authors"])
        assert work["doi"] in known if "doi" in work else work["identifiers"]


def test_the_page_on_citing_names_known_papers():
    page = (ROOT / "docs" / "cite.md").read_text()
    known = {paper.doi for paper in PAPERS.values()}
    cited = re.findall(r"\(https://doi\.org/([^)]+)\)", page)
    assert cited
    assert set(cited) <= known
