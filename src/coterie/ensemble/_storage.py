"""An ensemble as one NPZ file: arrays, and JSON for the rest, never pickle."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np

from coterie._archives import open_arrays
from coterie._atomic import write_atomically
from coterie._structure import check_labels
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
    one = _read(content, "a stored member")
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
    return _read(path, str(path))


def _read(source: Path | bytes, path: str) -> Ensemble:
    what = f"Ensemble.load: {path}"
    with open_arrays(source, what) as file:
        if not {"header", "labels", "offsets"} <= set(file.claims):
            raise _foreign(what)
        header = _header(file.read("header"), what)
        labels, offsets = file.read("labels"), file.read("offsets")
        check_labels(labels, offsets, what)
        if labels.shape[1] != len(header["members"]):
            raise ValueError(
                f"{what} is damaged: it has {labels.shape[1]} columns of labels, but "
                f"{len(header['members'])} members."
            )
        members = tuple(
            Member(
                name=entry.get("name"),
                params=entry.get("params", {}),
                seed=entry.get("seed"),
                **{
                    name: file.read(f"{name}_{j}")
                    for name in _ARRAYS
                    if f"{name}_{j}" in file.claims
                },
            )
            for j, entry in enumerate(header["members"])
        )
    notes = tuple(map(str, header.get("notes", ())))
    labels, offsets = labels.astype(LABEL_DTYPE), offsets.astype(np.int64)
    return Ensemble._from_coded(labels, offsets, members, notes)


def _header(content: np.ndarray, what: str) -> dict[str, Any]:
    try:
        header = json.loads(content.tobytes().decode())
        known = header["format"] == FORMAT
        version, members = int(header["version"]), header["members"]
        sound = all(isinstance(entry, dict) for entry in members)
    except (KeyError, ValueError, TypeError, RecursionError):
        raise _foreign(what) from None
    if not known or not sound:
        raise _foreign(what)
    if version > VERSION:
        raise ValueError(
            f"{what} has version {version} of the format, this coterie reads up to "
            f"{VERSION}. Update coterie."
        )
    return header


def _foreign(what: str) -> ValueError:
    return ValueError(
        f"{what} is not an ensemble of coterie. For a plain label matrix use "
        "Ensemble(labels)."
    )
