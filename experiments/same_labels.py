"""Do two commits of coterie give the same labels?

``python experiments/same_labels.py write OUT.json`` runs every system, consensus
function, generator and single clusterer on three data sets with fixed seeds and writes
digests of the labels. Run it in a checkout of each commit (``PYTHONPATH=src``); then
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


def tried(function, *args) -> str:
    try:
        return digest(np.asarray(function(*args), dtype=np.int64))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def run(out: dict) -> None:
    for title, (X, _, k) in data().items():
        for name, found in answers(title, X, k):
            out[f"{title} {name}"] = found


def answers(title, X, k):
    """Yield what was asked, and a digest of the answer."""
    import coterie
    from coterie._catalog import entries
    from coterie.generation import RandomKMeans

    def combined(name):
        return coterie.combine(members, k, name, X=X, random_state=0)

    members = RandomKMeans(12).generate(X, seed=1)
    for entry in entries("consensus", "baseline"):
        if entry.name not in SLOW or title != "digits":
            yield f"combine {entry.name}", tried(combined, entry.name)
    for entry in entries("generator"):
        if entry.name not in {"clusterers", "networks", "sampled"}:
            generator = entry.load()(4)
            found = tried(lambda part: part.generate(X, seed=2).labels, generator)
            yield f"generate {entry.name}", found
    for entry in entries("clusterer"):
        model = entry.load()(k, random_state=0)
        yield f"cluster {entry.name}", tried(model.fit_predict, X)
    for name, model in all_systems(k):
        yield f"system {name}", tried(model.fit_predict, X)
        yield f"predict {name}", tried(model.predict, X[::7])
        yield f"recut {name}", tried(recut, model, k - 1, X)


def all_systems(k):
    from coterie._catalog import entries

    for entry in entries("system"):
        for form in FORMS.get(entry.name, [{}]):
            model = entry.load()(k, random_state=0)
            known = model.get_params(deep=False)
            few = {name: value for name, value in SMALL.items() if name in known}
            if entry.name == "ensemble":  # it had no such parameter before 0.1.0
                few.pop("n_members", None)
            if entry.name == "mbn-e" and "n_models" not in known:
                few["n_members"] = SMALL["n_models"]
            said = ", ".join(f"{n}={v}" for n, v in form.items())
            new = {RENAMED[n]: v for n, v in form.items() if n not in known}
            old = {n: v for n, v in form.items() if n in known}
            yield f"{entry.name}({said})", model.set_params(**few, **old, **new)


def recut(model, k, X):
    try:
        return model.recut(k).labels_
    except ValueError:
        return model.recut(
            k, X
        ).labels_  # before 0.1.0 some systems asked for the data again


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
