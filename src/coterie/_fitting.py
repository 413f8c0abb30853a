"""A fit that fails leaves the old model as it was."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any, TypeVar

Model = TypeVar("Model")


def unfitted(model: Model) -> Model:
    """Return a copy of an estimator without its fitted attributes."""
    other = copy(model)
    for name in list(vars(other)):
        if name.endswith("_") or name.startswith("_fit"):
            del vars(other)[name]
    return other


def fit_whole(model: Model, fit: Callable[[Any], None]) -> Model:
    """Fit an unfitted copy, then give its state to the model: all of it, or nothing."""
    fresh = unfitted(model)
    fit(fresh)
    vars(model).clear()
    vars(model).update(vars(fresh))
    return model
