"""Compile the kernels before the gallery is run, so that its seconds are those of work.

numba keeps what it compiled, so this takes a minute once and some seconds afterwards.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np


def use_everything_once(_app: Any) -> None:
    """Run what the examples use on a few samples."""
    import coterie
    from coterie._catalog import entries
    from coterie.applications import communities, segment_image
    from coterie.weighting import AgreementWeighter

    X = np.random.default_rng(0).normal(size=(60, 4))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # so few samples have no clusters
        for entry in entries("system"):
            model = entry.load()(n_clusters=2, random_state=0).fit(X)
        model = coterie.EnsembleClustering(n_clusters="auto", random_state=0).fit(X)
        model.predict_confidence(X)
        coterie.explain(model).samples["item_consensus"]
        methods = ["lwea", "lwgp", "eac", "kcc", "vote", "mcla", "core-mc"]
        coterie.compare(model.ensemble_, 2, methods, X=X)
        AgreementWeighter().weigh(model.ensemble_)
        large = np.random.default_rng(0).normal(size=(1200, 20))  # other ways are taken
        many = coterie.EnsembleClustering(3, random_state=0).fit(large)
        many.recut(4)
        many.predict(large)
        coterie.combine(many.ensemble_.labels, 3, "eac")
        segment_image(np.random.default_rng(0).random((50, 40, 3)))
        communities([(0, 1), (1, 2), (2, 3)], random_state=0)


def setup(app: Any) -> dict[str, bool]:
    """Come before the gallery."""
    app.connect("builder-inited", use_everything_once, priority=200)
    return {"parallel_read_safe": True}
