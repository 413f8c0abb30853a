"""Do two commits of coterie give the same labels?

``python experiments/same_labels.py write OUT.json`` runs every system, consensus
function, generator and single clusterer on three data sets with fixed seeds and writes
digests of the labels. Run it once in a checkout of each commit (``PYTHONPATH=src``), then
``python experiments/same_labels.py compare OLD.json NEW.json`` lists what differs.
"""

import hashlib
import json
import sys
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.preprocessing import scale

SLOW = {"rsec"}  # minutes on the digits
FORMS = {
    "mdec": [{"consensus": form} for form in ("hc", "sc", "bg")],
    "c2swce": [{"consensus": form} for form in ("hc", "sc", "bg", "mc")],
    "spce": [{"pace": pace} for pace in ("self", "fixed", "none")],
    "woec": [{"consensus": form} for form in ("similarity", "bipartite", "meta")],
    "large": [{"consensus": form} for form in ("lwgp", "hbgf", "kcc", "sec", "vote")]
    + [{"members": "landmarks"}],
    "mbn-e": [
        {},
        {"fast": False},
        {"feature_sampling": False},
        {"selection": "vrc"},
        {"selection": "swc", "n_selected": 2},
        {"selection": "mmd", "n_selected": 2},
        {"partition": "kmeans"},
        {"n_views": 8},
    ],
    "ensemble": [{}, {"consensus": "lwgp"}, {"generator": "subspace"}],
}
RENAMED = {"members": "clusterer"}
SMALL = {"n_members": 8, "n_models": 5, "n_clusterings": 30, "n_landmarks": 60}


def data() -> dict:
    rng = np.random.default_rng(0)
    digits, classes = load_digits(return_X_y=True)
    some = np.sort(rng.choice(len(digits), 400, replace=False))
    wine, kinds = load_wine(return_X_y=True)
    iris, species = load_iris(return_X_y=True)
    return {
        "iris": (iris, species, 3),
        "wine": (scale(wine), kinds, 3),
        "digits": (digits[some], classes[some], 10),
    }


def digest(array) -> str:
    return hashlib.sha1(np.ascontiguousarray(array).tobytes()).hexdigest()[:12]


def tried(function) -> str:
    try:
        return digest(np.asarray(function(), dtype=np.int64))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def run(out: dict) -> None:
    import coterie
    from coterie._catalog import entries
    from coterie.generation import RandomKMeans

    for title, (X, _, k) in data().items():
        members = RandomKMeans(12).generate(X, seed=1)
        for entry in entries("consensus", "baseline"):
            if entry.name in SLOW and title == "digits":
                continue
            out[f"{title} combine {entry.name}"] = tried(
                lambda e=entry: coterie.combine(members, k, e.name, X=X, random_state=0)
            )
        for entry in entries("generator"):
            if entry.name in {"clusterers", "networks", "sampled"}:
                continue
            out[f"{title} generate {entry.name}"] = tried(
                lambda e=entry: e.load()(4).generate(X, seed=2).labels
            )
        for entry in entries("clusterer"):
            out[f"{title} cluster {entry.name}"] = tried(
                lambda e=entry: e.load()(k, random_state=0).fit_predict(X)
            )
        for name, model in all_systems(X, k):
            out[f"{title} system {name}"] = tried(lambda m=model: m.fit(X).labels_)
            out[f"{title} predict {name}"] = tried(lambda m=model: m.predict(X[::7]))
            out[f"{title} recut {name}"] = tried(
                lambda m=model: recut(m, k - 1, X).labels_
            )


def all_systems(X, k):
    from coterie._catalog import entries

    for entry in entries("system"):
        for form in FORMS.get(entry.name, [{}]):
            model = entry.load()(k, random_state=0)
            known = model.get_params(deep=False)
            few = {name: value for name, value in SMALL.items() if name in known}
            if entry.name == "mbn-e" and "n_models" not in known:
                few["n_members"] = SMALL["n_models"]
            said = ", ".join(f"{n}={v}" for n, v in form.items())
            new = {RENAMED[n]: v for n, v in form.items() if n not in known}
            old = {n: v for n, v in form.items() if n in known}
            yield f"{entry.name}({said})", model.set_params(**few, **old, **new)


def recut(model, k, X):
    try:
        return model.recut(k)
    except ValueError:
        return model.recut(k, X)  # before 0.1.0 some systems asked for the data again


def compare(old: dict, new: dict) -> int:
    shared = sorted({*old} & {*new})
    differ = [name for name in shared if old[name] != new[name]]
    for name in differ:
        print(f"differs: {name}: {old[name]} -> {new[name]}")
    for name in sorted({*old} ^ {*new}):
        print(f"only in {'the old' if name in old else 'the new'}: {name}")
    print(f"{len(shared) - len(differ)} of {len(shared)} the same")
    return len(differ)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if sys.argv[1] == "write":
        found: dict = {}
        run(found)
        Path(sys.argv[2]).write_text(json.dumps(found, indent=1))
    else:
        sys.exit(
            bool(compare(*(json.loads(Path(p).read_text()) for p in sys.argv[2:4])))
        )
