"""Docstrings agree with signatures: names, order and defaults."""

import importlib
import inspect
import pkgutil
import re

import numpy
import pytest

import coterie

PACKAGES = [
    importlib.import_module(module.name)
    for module in pkgutil.walk_packages(coterie.__path__, "coterie.")
    if not any(part.startswith("_") for part in module.name.split("."))
    and not module.name.startswith("coterie.cli")
]


def public(package):
    """Yield the classes and functions of a package."""
    for name in getattr(package, "__all__", ()):
        thing = getattr(package, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            yield thing


OBJECTS = sorted(
    {thing for package in PACKAGES for thing in public(package)},
    key=lambda thing: f"{thing.__module__}.{thing.__name__}",
)
METHODS = [
    (thing, name)
    for thing in OBJECTS
    if inspect.isclass(thing)
    for name, value in vars(thing).items()
    if inspect.isfunction(value) and not name.startswith("_")
]


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


def check(thing):
    """Compare a docstring with the signature: names, their order, defaults."""
    parameters = dict(inspect.signature(thing).parameters)
    parameters.pop("self", None)
    told = dict(documented(inspect.getdoc(thing)))
    assert list(told) == list(parameters)
    for name, kind in told.items():
        default = parameters[name].default
        match = re.search(r"default=(.+)$", kind)
        if match:
            assert eval(match[1], {"numpy": numpy}) == default, name
        elif default is not inspect.Parameter.empty and repr(default) != "<factory>":
            assert kind == "ignored" or callable(default), f"{name} has a default"


@pytest.mark.parametrize("thing", OBJECTS, ids=lambda thing: thing.__name__)
def test_parameters_and_defaults(thing):
    doc = inspect.getdoc(thing) or ""
    assert doc, "no docstring"
    if inspect.isclass(thing) and not any(True for _ in documented(doc)):
        # Records tell their attributes; protocols, errors and bases have methods only.
        fields = list(getattr(thing, "__dataclass_fields__", ()))
        lines = sections(doc).get("Attributes", [])
        heads = [line.split(" : ")[0].split(", ") for line in lines if line[:1] != " "]
        named = [name for names in heads for name in names]
        assert [name for name in named if name in fields] == fields
    elif inspect.signature(thing).parameters:
        check(thing)


@pytest.mark.parametrize(
    ("owner", "name"), METHODS, ids=[f"{t.__name__}.{name}" for t, name in METHODS]
)
def test_methods(owner, name):
    method = getattr(owner, name)
    assert inspect.getdoc(method), "no docstring"
    if any(True for _ in documented(inspect.getdoc(method))):
        check(method)


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


@pytest.mark.parametrize("thing", OBJECTS, ids=lambda thing: thing.__name__)
def test_public_objects_have_an_example(thing):
    assert ">>> " in inspect.getdoc(thing)
    assert "%(" not in inspect.getdoc(thing)
