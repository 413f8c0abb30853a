"""Objects that look like those of other parts, as small as can be."""

from types import SimpleNamespace

import numpy as np


def k_choice(**changes):
    """Return what ``choose_k`` would for k = 2, 3, 4, with 40 samples."""
    rng = np.random.default_rng(0)
    choice = {
        "n_clusters": 3,
        "k_values": np.array([2, 3, 4]),
        "curves": {"pac": np.array([0.3, 0.1, np.nan]), "delta_area": np.arange(3.0)},
        "votes": {"pac": 3, "delta_area": 1},
        "p_values": np.array([0.2, 0.01, np.nan]),
        "p_value": 0.01,
        "cdf_grid": np.linspace(0, 1, 101),
        "cdf": np.sort(rng.random((3, 101)), axis=1),
        "labels": np.array([rng.integers(k, size=40) for k in (2, 3, 4)]),
        "samples": np.arange(40),
        "sentence": "Three <clusters>, and quite sure.",
    }
    return SimpleNamespace(**{**choice, **changes})
