"""Print a digest of what each system and clusterer makes of fixed data, as JSON.

Run as a script, so that threads, engines and hash seeds can be set from outside:
``python digests.py ENGINE N_JOBS``.
"""

import hashlib
import json
import sys
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import make_blobs

import coterie
from coterie._catalog import entries

sys.path.insert(0, str(Path(__file__).parents[1]))
from laws.test_system_laws import make

# Far apart, so that rounding cannot move a sample to another cluster.
X, _ = make_blobs(
    [45, 30, 15], n_features=6, centers=8.0 * np.eye(3, 6), random_state=0
)


def digest(*parts):
    """Return a short hash of arrays."""
    found = hashlib.sha256()
    for part in parts:
        found.update(np.ascontiguousarray(part).tobytes())
    return found.hexdigest()[:16]


def digests(engine, n_jobs):
    """Return for each method the digest of its labels, and of all bits it computed."""
    found = {}
    with coterie.use_engine(engine):
        for entry in entries("system"):
            model = make(entry, 3, n_jobs=n_jobs).fit(X)
            labels = model.labels_
            bits = labels, model.confidence_, model.ensemble_.labels
            found[entry.name] = digest(labels), digest(*bits)
        for entry in entries("clusterer"):
            labels = entry.load()(3, random_state=0).fit(X).labels_
            found[f"{entry.name} alone"] = digest(labels), digest(labels)
    return found


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(digests(sys.argv[1], int(sys.argv[2]))))  # noqa: T201
