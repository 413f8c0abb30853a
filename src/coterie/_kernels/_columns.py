"""Some columns of a matrix."""

from coterie._kernels._jit import kernel


@kernel
def take_columns(X, columns, out):
    """Copy some columns, row by row."""
    for i in range(X.shape[0]):
        row, taken = X[i], out[i]
        for t in range(columns.shape[0]):
            taken[t] = row[columns[t]]
