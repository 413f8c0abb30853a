"""The catalog lists every public part, and tells the truth about it."""

import inspect

import pytest

from coterie import clusterers, consensus, generation, systems, weighting
from coterie._catalog import ENTRIES, KINDS, METHODS, entries, find

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
    listed = [entry.load() for entry in entries(*kinds)]
    assert set(listed) == public_parts(*FAMILIES[kind])
    assert len(listed) == len(set(listed))


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
    weighter = entry.make_weighter()
    if weighter is not None:
        assert weighter.gives_weights <= entry.load().uses_weights


def test_unknown_names_bring_near_ones():
    with pytest.raises(ValueError, match=r"Did you mean lwea\? Known are: eac, lwea"):
        find("lwae", METHODS)
    with pytest.raises(ValueError, match=r"'xyz' is not a known name. Known are"):
        find("xyz")
