"""An ensemble as one NPZ file: arrays, and JSON for the rest, never pickle."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from coterie._atomic import write_atomically
from coterie._typing import LABEL_DTYPE
from coterie.ensemble._ensemble import Ensemble, Member

FORMAT = "coterie-ensemble"
VERSION = 1
_ARRAYS = ("features", "embedding", "centers", "feature_weights")


def save(ensemble: Ensemble, path: str | Path) -> None:
    """Write the ensemble; an existing file is replaced atomically."""
    path = Path(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(
            f"Ensemble.save cannot write {path}: the folder {path.parent} does "
            "not exist."
        )
    arrays = _arrays(ensemble)
    write_atomically(path, lambda file: np.savez_compressed(file, **arrays))


def to_bytes(labels: np.ndarray, member: Member) -> bytes:
    """Return one member as the bytes of such a file."""
    sizes = np.array([0, int(labels.max()) + 1], dtype=np.int64)
    file = io.BytesIO()
    one = Ensemble._from_coded(labels[:, None], sizes, (member,))
    np.savez(file, **_arrays(one))
    return file.getvalue()


def from_bytes(content: bytes) -> tuple[np.ndarray, Member]:
    """Return the member that :func:`to_bytes` wrote."""
    one = _read(io.BytesIO(content), "a member")
    return np.ascontiguousarray(one.labels[:, 0]), one.members[0]


def _arrays(ensemble: Ensemble) -> dict[str, Any]:
    small = np.min_scalar_type(-int(ensemble.labels.max()) - 1)
    arrays = {"labels": ensemble.labels.astype(small), "offsets": ensemble.offsets}
    members = []
    for j, member in enumerate(ensemble.members):
        members.append(
            {
                "name": member.name,
                "params": {k: _plain(v) for k, v in member.params.items()},
                "seed": member.seed,
            }
        )
        for name in _ARRAYS:
            if getattr(member, name) is not None:
                arrays[f"{name}_{j}"] = getattr(member, name)
    header = {"format": FORMAT, "version": VERSION, "members": members}
    header["notes"] = list(ensemble.notes)
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    return arrays


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, str | int | float | bool | type(None)):
        return value
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    return repr(value)


def load(path: str | Path) -> Ensemble:
    """Read an ensemble; a damaged or foreign file is a clear error."""
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"Ensemble.load: there is no file {path}.")
    # opened here: numpy leaves its own handle open if the file is not an archive
    with path.open("rb") as handle:
        return _read(handle, path)


def _read(handle: BinaryIO, path: str | Path) -> Ensemble:
    try:
        with np.load(handle, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except (zipfile.BadZipFile, zlib.error, ValueError, EOFError, OSError) as error:
        raise ValueError(
            f"Ensemble.load: {path} is damaged, or not a file that Ensemble.save wrote "
            f"({error})."
        ) from error
    header = _header(arrays, path)
    labels, offsets = arrays["labels"].astype(LABEL_DTYPE), arrays["offsets"]
    _check_consistent(labels, offsets, len(header["members"]), path)
    members = tuple(
        Member(
            name=entry["name"],
            params=entry["params"],
            seed=entry["seed"],
            **{name: arrays.get(f"{name}_{j}") for name in _ARRAYS},
        )
        for j, entry in enumerate(header["members"])
    )
    notes = tuple(map(str, header.get("notes", ())))
    return Ensemble._from_coded(labels, offsets, members, notes)


def _header(arrays: dict[str, np.ndarray], path: str | Path) -> dict[str, Any]:
    try:
        header = json.loads(arrays["header"].tobytes().decode())
        foreign = header.get("format") != FORMAT
    except (KeyError, ValueError, AttributeError):
        foreign, header = True, {}
    if foreign or not {"labels", "offsets"} <= set(arrays):
        raise ValueError(
            f"Ensemble.load: {path} is not an ensemble of coterie. For a plain label "
            "matrix use Ensemble(labels)."
        )
    if header["version"] > VERSION:
        raise ValueError(
            f"Ensemble.load: {path} has version {header['version']} of the format, "
            f"this coterie reads up to {VERSION}. Update coterie."
        )
    return header


def _check_consistent(
    labels: np.ndarray, offsets: np.ndarray, n_members: int, path: str | Path
) -> None:
    sizes = np.diff(offsets)
    fits = (
        labels.ndim == 2
        and labels.shape[1] == n_members
        and offsets.shape == (n_members + 1,)
        and labels.size > 0
        and bool((labels.max(axis=0) < sizes).all())
        and labels.min() >= -1
    )
    if not fits:
        raise ValueError(f"Ensemble.load: {path} is damaged: its parts do not fit.")
