"""MAT files as MATLAB writes them."""

from pathlib import Path

import h5py
import numpy as np
import scipy.io
import scipy.sparse as sp


def write_5(path: Path, **content) -> None:
    """Write version 5; lists become cells of text."""
    cells = {
        name: np.array(value, dtype=object)[:, None]
        if isinstance(value, list)
        else value
        for name, value in content.items()
    }
    scipy.io.savemat(path, cells)


def write_73(path: Path, **content) -> None:
    """Write version 7.3: columns as rows, classes and sparsity as attributes."""
    with h5py.File(path, "w", userblock_size=512) as file:
        references = file.create_group("#refs#")
        for name, value in content.items():
            if sp.issparse(value):
                value = value.tocsc()
                group = file.create_group(name)
                group.attrs["MATLAB_class"] = np.bytes_("double")
                group.attrs["MATLAB_sparse"] = np.uint64(value.shape[0])
                group["data"], group["ir"] = value.data, value.indices
                group["jc"] = value.indptr
            elif isinstance(value, list):
                cells = np.empty((1, len(value)), dtype=h5py.ref_dtype)
                for i, text in enumerate(value):
                    codes = np.array([[ord(letter)] for letter in text], np.uint16)
                    letters = references.create_dataset(f"{name}{i}", data=codes)
                    letters.attrs["MATLAB_class"] = np.bytes_("char")
                    cells[0, i] = letters.ref
                file.create_dataset(name, data=cells, dtype=h5py.ref_dtype)
                file[name].attrs["MATLAB_class"] = np.bytes_("cell")
            else:
                kind = {"f": "double", "b": "logical", "i": "int64"}[value.dtype.kind]
                stored = value.astype(np.uint8) if kind == "logical" else value
                file[name] = stored.T
                file[name].attrs["MATLAB_class"] = np.bytes_(kind)
    head = b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(512, b"\0")
    with path.open("r+b") as raw:
        raw.write(head)
