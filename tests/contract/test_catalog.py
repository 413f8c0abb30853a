"""The catalog lists every public part, and says of it what its class says."""

import inspect
from dataclasses import replace
from pathlib import Path

import pytest

import coterie
from coterie import (
    _catalog_map,
    clusterers,
    consensus,
    experimental,
    generation,
    systems,
    weighting,
)
from coterie._catalog import (
    ENTRIES,
    KINDS,
    METHODS,
    entries,
    entry_of,
    find,
    map_text,
)
from coterie._papers import PAPERS
from coterie.consensus import LWEA, BaseConsensus
from coterie.systems._defaults import paper_weighter

FAMILIES = {
    "generator": (generation, "generate"),
    "weighter": (weighting, "weigh"),
    "consensus": (consensus, "combine"),
    "clusterer": (clusterers, "fit"),
    "system": (systems, "fit"),
}


def public_parts(package, verb):
    return {
        value
        for name in package.__all__
        if inspect.isclass(value := getattr(package, name))
        and hasattr(value, verb)
        and not name.startswith("Base")
    }


@pytest.mark.parametrize("kind", FAMILIES)
def test_every_public_part_is_listed(kind):
    kinds = METHODS if kind == "consensus" else {kind}
    package, verb = FAMILIES[kind]
    listed = [entry.load() for entry in entries(*kinds)]
    assert set(listed) == public_parts(package, verb) | public_parts(experimental, verb)
    assert len(listed) == len(set(listed))


def test_the_map_is_what_stands_on_the_classes():
    written = Path(_catalog_map.__file__).read_text()
    assert written == map_text(), "python -m coterie._catalog"


def test_every_part_speaks_for_itself():
    for entry in ENTRIES:
        own = vars(entry.load())
        assert {"name", "summary", "cost"} <= set(own), entry.home


def test_experimental_parts_are_in_no_family():
    marked = {entry.load().__name__ for entry in entries(experimental=True)}
    assert marked == set(experimental.__all__)
    for package, _ in FAMILIES.values():
        assert not marked & set(package.__all__)
    both = [*entries(experimental=True), *entries(experimental=False)]
    assert sorted(both, key=ENTRIES.index) == entries()


def test_a_subclass_keeps_the_facts_of_its_base():
    class Mine(LWEA):
        summary = "as LWEA, with a twist"

    assert entry_of(Mine).paper == find("lwea").paper
    assert entry_of(Mine).summary == "as LWEA, with a twist"
    assert isinstance(paper_weighter(Mine()), weighting.EntropyWeighter)


def test_an_own_part_need_say_nothing():
    class Mine(BaseConsensus):
        pass

    entry = entry_of(Mine)
    assert (entry.kind, entry.name, entry.paper, entry.doi) == ("consensus", "", "", "")
    assert paper_weighter(Mine()) is None
    Mine.paper = "Doe 2027, A consensus"
    assert entry_of(Mine).paper == "Doe 2027, A consensus"


def test_every_paper_is_of_a_part_and_known():
    keys = {entry.load().paper for entry in ENTRIES} - {None}
    assert keys == set(PAPERS)


def test_compare_leaves_experimental_methods_out_unless_named(monkeypatch):
    class Mine(LWEA):
        name = "mine"

    monkeypatch.setattr(experimental, "Mine", Mine, raising=False)
    entry = entry_of(Mine)
    home = "coterie.experimental:Mine"
    monkeypatch.setattr(
        "coterie._catalog.ENTRIES", (*ENTRIES, replace(entry, home=home))
    )
    members = [[0, 0, 1, 1], [0, 0, 1, 2]]
    assert "mine" not in coterie.compare(members, 2).methods
    assert coterie.compare(members, 2, ["mine"]).methods == ("mine",)


def test_names_are_unique_and_lower_case():
    for kinds in (METHODS, {"generator"}, {"weighter"}, {"clusterer"}, {"system"}):
        names = [entry.name for entry in entries(*kinds)]
        assert len(names) == len(set(names))
        assert all(name == name.lower() for name in names)


def test_a_method_and_a_system_may_share_a_name():
    assert find("spce").kind == "consensus"
    assert find("spce", {"system"}).kind == "system"


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_entries_are_complete(entry):
    assert entry.kind in KINDS
    assert entry.summary
    assert len(entry.summary) < 80
    assert entry.cost
    assert not entry.doi or entry.doi in inspect.getdoc(entry.load())
    weighter = paper_weighter(entry.load())
    if weighter is not None:
        assert weighter.gives_weights <= entry.load().uses_weights


def test_unknown_names_bring_near_ones():
    with pytest.raises(ValueError, match=r"Did you mean lwea.*\?$"):
        find("lwae", METHODS)
    with pytest.raises(ValueError, match=r"'xyz' is not a known name. Known are"):
        find("xyz")
