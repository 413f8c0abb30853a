"""`--set NAME=VALUE`: parameters as the signatures of systems, parts, functions say."""

from __future__ import annotations

import ast
import difflib
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

# parameters with an option of their own
_OPTIONS = {"n_clusters": "-k", "random_state": "--seed", "n_jobs": "--jobs"}
_HIDDEN = {*_OPTIONS, "progress", "X", "k_range", "graph", "image", "n_communities"}
_HIDDEN |= {"n_segments", "estimator"}


def parse_settings(words: Sequence[str]) -> dict[str, Any]:
    """Return ``name=value`` of each word; values are Python literals, or else text."""
    named = {"none": "None", "true": "True", "false": "False"}
    found: dict[str, Any] = {}
    for word in words:
        name, sign, text = (part.strip() for part in word.partition("="))
        if not sign or not name:
            raise ValueError(f"--set expects NAME=VALUE such as n_init=5, got {word}.")
        try:
            found[name] = ast.literal_eval(named.get(text.lower(), text))
        except (ValueError, SyntaxError):
            found[name] = text
    return found


def known_parameters(function: Callable[..., Any]) -> list[str]:
    """Return the parameters of a class or a function that ``--set`` can set."""
    names = inspect.signature(function).parameters
    return [name for name in names if name not in _HIDDEN]


def check_settings(
    settings: Mapping[str, Any], function: Callable[..., Any], who: str
) -> Mapping[str, Any]:
    """Return the settings; raise for unknown names, suggesting similar ones."""
    known = known_parameters(function)
    for name in settings:
        if name in _OPTIONS:
            raise ValueError(f"--set {name}: use the option {_OPTIONS[name]} instead.")
        if name not in known:
            near = difflib.get_close_matches(name, known, n=3)
            hint = f"Did you mean {' or '.join(near)}? " if near else ""
            raise ValueError(
                f"--set {name}: {who} has no such parameter. {hint}It has "
                f"{', '.join(known)}."
            )
    return settings
