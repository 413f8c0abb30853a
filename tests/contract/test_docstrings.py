"""Docstrings agree with signatures: names, order and defaults."""

import inspect
import re

import numpy
import pytest

import coterie
from coterie import (
    answers,
    applications,
    choice,
    clusterers,
    consensus,
    datasets,
    ensemble,
    generation,
    linalg,
    metrics,
    plot,
    reporting,
    systems,
    weighting,
)
from coterie.integrations.scanpy import tl

PACKAGES = [
    answers,
    applications,
    clusterers,
    choice,
    consensus,
    datasets,
    ensemble,
    generation,
    linalg,
    metrics,
    plot,
    reporting,
    systems,
    tl,
    weighting,
]
OBJECTS = sorted(
    {getattr(package, name) for package in PACKAGES for name in package.__all__},
    key=lambda thing: f"{thing.__module__}.{thing.__name__}",
)


def sections(doc):
    """Return the sections of a numpy docstring by their titles."""
    lines = doc.splitlines()
    marks = [i for i, line in enumerate(lines[1:], 1) if re.fullmatch(r"-{3,}", line)]
    titles = {lines[i - 1]: i + 1 for i in marks}
    starts = sorted([*titles.values(), len(lines) + 2])
    return {
        title: lines[start : starts[starts.index(start) + 1] - 2]
        for title, start in titles.items()
    }


def documented(doc):
    """Yield (name, type text) of each parameter."""
    for line in sections(doc).get("Parameters", []):
        if match := re.match(r"^(\*{0,2}\w[\w, *]*?)(?: : (.*))?$", line):
            for name in match[1].split(", "):
                yield name.strip("*"), match[2] or ""


@pytest.mark.parametrize("thing", OBJECTS, ids=lambda thing: thing.__name__)
def test_parameters_and_defaults(thing):
    doc = inspect.getdoc(thing) or ""
    assert doc, "no docstring"
    if not any(True for _ in documented(doc)):
        return
    signature = inspect.signature(thing)
    told = dict(documented(doc))
    assert list(told) == [name for name in signature.parameters if name != "self"]
    for name, kind in told.items():
        match = re.search(r"default=(.+)$", kind)
        if match:
            default = signature.parameters[name].default
            assert eval(match[1], {"numpy": numpy}) == default, name


CLASSES_WITH_PARAMETERS = [
    thing
    for thing in OBJECTS
    if inspect.isclass(thing)
    and hasattr(thing, "get_params")
    and not thing.__name__.startswith("Base")
]


@pytest.mark.parametrize("part", CLASSES_WITH_PARAMETERS, ids=lambda c: c.__name__)
def test_parts_document_every_parameter_with_its_default(part):
    parameters = inspect.signature(part).parameters
    told = dict(documented(inspect.getdoc(part)))
    assert list(told) == list(parameters)
    for name, parameter in parameters.items():
        if parameter.default is not inspect.Parameter.empty:
            assert "default=" in told[name], name


@pytest.mark.parametrize("part", CLASSES_WITH_PARAMETERS, ids=lambda c: c.__name__)
def test_parts_have_an_example(part):
    assert ">>> " in inspect.getdoc(part)
    assert "%(" not in inspect.getdoc(part)


@pytest.mark.parametrize("name", [n for n in coterie.__all__ if n != "__version__"])
def test_public_names_have_an_example(name):
    assert ">>> " in inspect.getdoc(getattr(coterie, name))
