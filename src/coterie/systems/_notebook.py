"""What a system shows in a notebook."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

import coterie
from coterie._cards import html_of
from coterie.systems._card import system_card


class Shows(BaseEstimator):
    """Gives a card and ``report`` to a fitted system.

    Before ``fit``, scikit-learn's own diagram is shown.
    """

    def report(
        self, X: Any = None, path: str | Path = "report.html", **options: Any
    ) -> Path:
        """Write one HTML file that shows what was found and how certain it is.

        In a notebook, the file is also shown below the cell.

        Parameters
        ----------
        X : array, sparse matrix, frame or None, default=None
            The data, for the silhouette and the features that set clusters apart.
        path : str or Path, default="report.html"
            The file to write.
        **options : dict
            More keywords of :func:`coterie.report`, such as ``y`` and ``features``.

        Returns
        -------
        Path
        """
        check_is_fitted(self, "consensus_")
        # reports know systems, not the other way round: hence the public name
        return coterie.report(self, X, path, **options)

    def _repr_html_inner(self) -> str:  # what scikit-learn's _repr_html_ returns
        if hasattr(self, "consensus_"):
            return html_of(system_card, self)
        return super()._repr_html_inner()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        if hasattr(self, "consensus_") and get_config()["display"] == "diagram":
            return {"text/plain": repr(self), "text/html": self._repr_html_inner()}
        return super()._repr_mimebundle_(**kwargs)
