"""The same numbers as arrays and sparse matrices of all kinds."""

import numpy as np
import scipy.sparse

LAYOUTS = ["float64", "float32", "fortran", "readonly", "strided", "csr", "csr_array"]


def lay_out(X, layout):
    """Return the numbers in another type or order."""
    if layout == "float32":
        return X.astype(np.float32)
    if layout == "fortran":
        return np.asfortranarray(X)
    if layout == "readonly":
        X = X.copy()
        X.flags.writeable = False
        return X
    if layout == "strided":
        return np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3]
    if layout == "csr":
        return scipy.sparse.csr_matrix(X)
    if layout == "csr_array":
        return scipy.sparse.csr_array(X)
    return X
