"""Tools that read an AnnData object and write their results into it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from coterie._catalog import find
from coterie._validation import clone
from coterie.answers import explain
from coterie.ensemble import Ensemble
from coterie.integrations.scanpy._annotation import (
    annotate,
    label_columns,
    representation,
)
from coterie.metrics import member_quality
from coterie.systems import combine as combine_labels

__all__ = ["combine", "consensus"]

_AUTO = "auto"


def consensus(
    adata: Any,
    system: Any = "ensemble",
    *,
    n_clusters: int | str,
    use_rep: str = "X_pca",
    key_added: str = "coterie",
    random_state: Any = 0,
    n_jobs: int | None = None,
    copy: bool = False,
    **params: Any,
) -> Any:
    """Cluster observations by an ensemble of clusterings.

    Clusters are numbered by size, as scanpy's are, and can be shown by
    ``sc.pl.umap(adata, color=["coterie", "coterie_confidence"])``.

    Parameters
    ----------
    adata : AnnData
        Annotated data.
    system : str or estimator, default="ensemble"
        A name (``coterie methods --kind system`` lists them), or a system, whose own
        parameters are kept except the number of clusters and the seed. "ensemble" is
        :class:`~coterie.EnsembleClustering`, a panel of several kinds of clusterer.
    n_clusters : int or "auto"
        Number of clusters; "auto" lets :func:`coterie.choose_k` choose, which counts
        only clearly separated groups and so finds few cell types.
    use_rep : str, default="X_pca"
        What to cluster: a key of ``adata.obsm``, or "X" for ``adata.X``.
    key_added : str, default="coterie"
        The key under which the result is stored.
    random_state : int, RandomState, Generator, SeedSequence or None, default=0
        Makes the result reproducible.
    n_jobs : int or None, default=None
        Members computed in parallel; -1 = all cores; None = the system's setting.
    copy : bool, default=False
        Whether to return an annotated copy instead of writing into ``adata``.
    **params : any
        Parameters of the system, such as ``n_members``.

    Returns
    -------
    AnnData or None
        The copy, if ``copy``. These are set:

        - ``adata.obs[key_added]``: the cluster, a category ("0" is the largest);
        - ``adata.obs[key_added + "_confidence"]``: the vote for it, 0 to 1;
        - ``adata.obs[key_added + "_second"]`` and ``"_margin"``: the runner-up, and by
          how much the votes for the two differ (not for "large");
        - ``adata.uns[key_added]``: ``params``, all parameters of the system; for a
          panel also ``kinds``, the weight of each kind of clusterer on each view and
          its agreement with the result; with ``n_clusters="auto"`` also ``choice``, the
          reasons for the number.

    Examples
    --------
    >>> import numpy as np, anndata
    >>> import coterie.integrations.scanpy as ct
    >>> rng = np.random.default_rng(0)
    >>> cells = rng.normal(size=(60, 5)) + 9 * np.repeat([[0], [1], [2]], 20, axis=0)
    >>> adata = anndata.AnnData(cells)
    >>> ct.tl.consensus(adata, n_clusters=3, use_rep="X", n_members=10)
    >>> adata.obs["coterie"].value_counts().to_dict()
    {'0': 20, '1': 20, '2': 20}
    """
    who = "tl.consensus"
    X = representation(adata, use_rep, who)
    model = _system(system, who)
    if n_jobs is not None:
        params["n_jobs"] = n_jobs
    model.set_params(n_clusters=n_clusters, random_state=random_state, **params)
    model.fit(X)
    settings = {k: v for k, v in model.get_params(deep=False).items() if k != "n_jobs"}
    facts: dict[str, Any] = {
        "params": {"system": type(model).__name__, "use_rep": use_rep, **settings},
        "n_clusters": model.n_clusters_,
    }
    kinds = explain(model).kinds
    if kinds:
        facts["kinds"] = {**kinds, "notes": list(model.notes_)}
    choice = getattr(model, "k_choice_", None)
    if choice is not None:
        facts["choice"] = {
            "n_clusters": choice.n_clusters,
            "sentence": choice.sentence,
            "p_value": float(choice.p_value),
            "votes": dict(choice.votes),
        }
    adata = adata.copy() if copy else adata
    annotate(adata, key_added, model.consensus_, facts)
    return adata if copy else None


def combine(
    adata: Any,
    keys: Iterable[str],
    *,
    n_clusters: int | str = "auto",
    consensus: Any = None,
    weighter: Any = "auto",
    use_rep: str | None = None,
    key_added: str = "coterie",
    random_state: Any = 0,
    copy: bool = False,
) -> Any:
    """Combine existing clusterings in ``adata.obs``, such as Leiden's.

    An observation with missing labels in some columns is placed by the others; one
    without any label gets none.

    Parameters
    ----------
    adata : AnnData
        Annotated data.
    keys : iterable of str
        Columns of ``adata.obs``, a clustering in each.
    n_clusters : int or "auto", default="auto"
        Number of clusters; "auto" tries each number from the smallest to the largest of
        a column, and takes the consensus that agrees best with the columns (mean NMI,
        the objective of Strehl and Ghosh).
    consensus : consensus function, its name, or None, default=None
        ``coterie methods`` lists the names; None is LWEA for up to 20,000 observations
        and LWGP beyond.
    weighter : weighter, its name, "auto" or None, default="auto"
        Computes the weights of columns and their clusters; "auto" is the weighter of
        the consensus function's own paper.
    use_rep : str or None, default=None
        The data, for methods that use them: a key of ``adata.obsm`` or "X".
    key_added : str, default="coterie"
        The key under which the result is stored.
    random_state : int, RandomState, Generator, SeedSequence or None, default=0
        Makes the result reproducible.
    copy : bool, default=False
        Whether to return an annotated copy instead of writing into ``adata``.

    Returns
    -------
    AnnData or None
        The copy, if ``copy``. The same columns of ``obs`` are set as by
        :func:`consensus`; ``adata.uns[key_added]`` holds ``params``, ``members`` (the
        NMI of each column with the result) and, with ``n_clusters="auto"``, ``choice``
        (the mean NMI at each number).

    Examples
    --------
    >>> import numpy as np, pandas as pd, anndata
    >>> import coterie.integrations.scanpy as ct
    >>> obs = pd.DataFrame({"coarse": list("aaabbb"), "fine": list("xxyzzz")})
    >>> adata = anndata.AnnData(np.zeros((6, 1)), obs=obs.set_index(obs.index.map(str)))
    >>> ct.tl.combine(adata, ["coarse", "fine"], n_clusters=2)
    >>> adata.obs["coterie"].tolist()
    ['0', '0', '0', '1', '1', '1']
    """
    who = "tl.combine"
    columns = label_columns(adata, keys, who)
    ensemble = Ensemble(columns)
    X = None if use_rep is None else representation(adata, use_rep, who)
    placed = np.asarray((ensemble.labels >= 0).any(axis=1))
    if not placed.all():
        ensemble = Ensemble(list(ensemble.labels[placed].T), ensemble.members)
        X = None if X is None else X[placed]
    result: Any = combine_labels(
        ensemble,
        n_clusters,
        consensus,
        weighter=weighter,
        X=X,
        random_state=random_state,
        return_result=True,
    )
    choice = None
    if n_clusters == _AUTO:
        found = result.details
        choice = {"k": found["k_tried"], "mean_nmi": found["mean_nmi"]}
    facts = {
        "params": {
            "keys": list(columns.columns),
            "n_clusters": n_clusters,
            "consensus": "auto" if consensus is None else consensus,
            "weighter": "none" if weighter is None else weighter,
            "use_rep": use_rep,
            "random_state": random_state,
        },
        "n_clusters": int(result.labels.max()) + 1,
        "members": {
            "key": list(columns.columns),
            "n_clusters": ensemble.n_clusters_per_member,
            "nmi": member_quality(result.labels, ensemble),
        },
        "choice": choice,
    }
    adata = adata.copy() if copy else adata
    annotate(adata, key_added, result, facts, placed)
    return adata if copy else None


def _system(system: Any, who: str) -> Any:
    if isinstance(system, str):
        return find(system, {"system"}).load()()
    if hasattr(system, "fit") and hasattr(system, "get_params"):
        return clone(system)
    raise TypeError(
        f"{who} expects system as a name such as 'ensemble' or a system of coterie, "
        f"got {system!r}."
    )
