"""The data that a system takes: numbers, or tables that are encoded."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie._tables import TableEncoder
from coterie._validation import check_array, reject_text, validate_data

_FINITE = {False: True, True: "allow-nan"}


def numbers(
    system: Any, X: Any, *, reset: bool, accept_sparse: bool, accept_missing: bool
) -> Any:
    """Return the data as floats, or raise an error that names what is no number.

    Parameters
    ----------
    system : system
        Remembers number and names of the columns.
    X : array, sparse matrix or frame
    reset : bool
        Whether it is fitted.
    accept_sparse : bool
    accept_missing : bool
        Whether NaN is accepted.
    """
    who = type(system).__name__
    reject_text(X, who)
    try:
        return validate_data(
            system,
            X,
            accept_sparse="csr" if accept_sparse else False,
            dtype=[np.float64, np.float32],
            ensure_all_finite=_FINITE[accept_missing],
            reset=reset,
        )
    except ValueError as error:
        if "contains NaN" not in str(error):
            raise
        raise ValueError(
            f"{who} expects complete data, but the input X contains NaN (missing "
            "values). Remove those rows or columns, or impute the values, as with "
            "sklearn.impute.SimpleImputer. EnsembleClustering takes data with missing "
            "values as they are."
        ) from None


def encoded(system: Any, encoder: TableEncoder, X: Any, *, reset: bool) -> np.ndarray:
    """Return a table as numbers, NaN where a value is missing.

    Parameters
    ----------
    system : system
        Remembers number and names of the columns of the table.
    encoder : TableEncoder
        Fitted.
    X : frame or array of objects
    reset : bool
        Whether the system is fitted.
    """
    validate_data(system, X, reset=reset, skip_check_array=True)
    return check_array(
        encoder.transform(X),
        dtype=np.float64,
        ensure_all_finite="allow-nan",
        input_name="X",
        estimator=type(system).__name__,
    )
