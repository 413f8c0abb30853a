"""Reading from AnnData objects, and writing into them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from coterie._validation import require
from coterie.consensus import ConsensusResult


def representation(adata: Any, use_rep: str, who: str) -> Any:
    """Return the data to cluster: ``adata.X``, or an entry of ``adata.obsm``."""
    if use_rep == "X":
        return adata.X
    if use_rep in adata.obsm:
        return adata.obsm[use_rep]
    advice = (
        "Run sc.pp.pca(adata) first"
        if use_rep == "X_pca"
        else f"There are: {_listed(adata.obsm.keys())}"
    )
    raise KeyError(
        f"{who}: adata.obsm has no {use_rep!r}. {advice}, or pass use_rep='X' for "
        "adata.X."
    )


def label_columns(adata: Any, keys: Any, who: str) -> Any:
    """Return columns of ``adata.obs``, or raise listing those that exist."""
    if isinstance(keys, str):
        raise TypeError(f"{who} expects keys as a list, got {keys!r}. Pass [{keys!r}].")
    keys = list(keys)
    if not keys:
        raise ValueError(f"{who} expects at least one key, got none.")
    absent = [key for key in keys if key not in adata.obs]
    if absent:
        near = difflib.get_close_matches(str(absent[0]), map(str, adata.obs), n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise KeyError(
            f"{who}: adata.obs has no {_listed(map(repr, absent))}.{hint} There are: "
            f"{_listed(adata.obs.columns)}."
        )
    return adata.obs[keys]


def annotate(
    adata: Any,
    key: str,
    result: ConsensusResult,
    facts: Mapping[str, Any],
    placed: np.ndarray | None = None,
) -> None:
    """Write labels, their confidence and their origin into ``obs`` and ``uns``.

    Parameters
    ----------
    adata : AnnData
    key : str
    result : ConsensusResult
    facts : mapping
        For ``uns``: plain values or mappings of these.
    placed : (n_obs,) bool array, optional
        The observations in ``result``; the others get no label.
    """
    pandas = require("pandas")
    n_obs = len(adata.obs)
    rows = np.arange(n_obs) if placed is None else np.flatnonzero(placed)
    names = _names_by_size(result.labels)
    categories = [str(c) for c in range(names.size)]
    codes = {key: names[result.labels]}
    votes = {f"{key}_confidence": result.confidence}
    if result.second is not None:
        second = np.where(result.second < 0, -1, names[result.second])
        codes[f"{key}_second"] = second
        votes[f"{key}_margin"] = result.margin
    else:
        for stale in {f"{key}_second", f"{key}_margin"} & set(adata.obs):
            del adata.obs[stale]
    for column, values in codes.items():
        spread = np.full(n_obs, -1)
        spread[rows] = values
        adata.obs[column] = pandas.Categorical.from_codes(spread, categories)
    for column, values in votes.items():
        spread = np.full(n_obs, np.nan)
        spread[rows] = values
        adata.obs[column] = spread
    adata.uns[key] = _storable(facts)


def _names_by_size(labels: np.ndarray) -> np.ndarray:
    """Return the new number of each cluster: 0 for the largest, as in scanpy."""
    order = np.argsort(-np.bincount(labels), kind="stable")
    names = np.empty_like(order)
    names[order] = np.arange(order.size)
    return names


def _storable(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return values that an H5AD file can store; None is left out."""
    stored: dict[str, Any] = {}
    for name, value in facts.items():
        if value is None:
            continue
        if isinstance(value, Mapping):
            stored[name] = _storable(value)
        elif isinstance(value, bool | int | float | str | np.ndarray):
            stored[name] = value
        elif isinstance(value, list | tuple):
            stored[name] = np.asarray(value)
        elif isinstance(value, np.generic):
            stored[name] = value.item()
        else:
            stored[name] = repr(value)
    return stored


def _listed(names: Iterable[Any], most: int = 20) -> str:
    shown = [str(name) for name in names]
    if len(shown) > most:
        shown = [*shown[:most], "..."]
    return ", ".join(shown) or "none"
