"""What the report on SPCE says of its inputs, matrices, convergence and exactness."""

from pathlib import Path

import numpy as np

from experiments._runs import RunLog
from experiments._spce_data import HELD
from experiments._tables import figures, gain_table, markdown

PRINTED = Path(__file__).parent / "published" / "spce.csv"
FORMS = ("SPCE", "SPCE-fixW", "SPCE-W")
METRICS = ("acc", "nmi", "ari")
THETAS = tuple(t / 10 for t in range(10))
SETTINGS = {"kmeans": "k-means members", "spectral": "spectral members"}


def printed_figure(
    name: str, method: str, metric: str, setting: str
) -> dict[str, str] | None:
    for row in figures(PRINTED):
        found = (row["dataset"], row["method"], row["metric"])
        if found == (name, method, metric) and row["source"].endswith(setting):
            return row
    return None


def values_of(log: RunLog, setting: str, name: str, method: str, measure: str):
    return log.values(setting, name, "default", method, measure)


def inputs(log: RunLog) -> str:
    rows = []
    for name, held in HELD.items():
        printed = [
            printed_figure(name, "KM", metric, "kmeans") for metric in ("acc", "nmi")
        ]
        ours = [
            log.values("members", name, variant, "mean member", metric)
            for variant in ("raw", "unit")
            for metric in ("acc", "nmi")
        ]
        if all(values.size for values in ours) and all(printed):
            rows.append(
                (
                    name,
                    *(f"{row['mean']} ± {row['sd']}" for row in printed if row),
                    *(f"{values.mean():.1f}" for values in ours),
                    "unit rows" if held.unit else "raw",
                )
            )
    head = (
        *("data", "KM ACC printed", "KM NMI printed", "raw ACC", "raw NMI"),
        *("unit rows ACC", "unit rows NMI", "used"),
    )
    return (
        "## The data as they went in\n\nThe paper does not say how it prepared its "
        "data. Its row for single k-means runs (KM) fits rows of length one on some "
        "sets and raw data on others; the nearer of the two is used. SPCE's own "
        f"figures played no part in it.\n\n{markdown(head, rows)}"
    )


def spectra(log: RunLog) -> str:
    """Return single spectral clusterings with and without rows of length one."""
    rows = []
    for name in HELD:
        printed = [
            printed_figure(name, "SC", metric, "spectral") for metric in METRICS[:2]
        ]
        ours = [
            log.values("members", name, f"spectral {variant}", "mean member", metric)
            for variant in ("raw", "unit")
            for metric in METRICS[:2]
        ]
        if all(values.size for values in ours) and all(printed):
            given = [float(row["mean"]) for row in printed if row]
            means = [float(values.mean()) for values in ours]
            off = [
                sum(abs(a - b) for a, b in zip(given, means[at : at + 2], strict=True))
                for at in (0, 2)
            ]
            rows.append(
                (
                    *(
                        name,
                        *(f"{row['mean']} ± {row['sd']}" for row in printed if row),
                    ),
                    *(f"{mean:.1f}" for mean in means),
                    "as they are" if off[0] < off[1] else "length one",
                )
            )
    head = (
        *("data", "SC ACC printed", "SC NMI printed", "as they are ACC", "NMI"),
        *("length one ACC", "NMI", "nearer"),
    )
    return (
        "The paper does not say which spectral clustering it used either. Means of the "
        "90 spectral members with the rows of the eigenvectors as they are, or of "
        "length one (`SigmaGridSpectral(unit_rows=...)`); what is nearer on most sets "
        f"is used for all.\n\n{markdown(head, rows)}"
    )


def matrices(folder: Path) -> str:
    """Return how blurred the consensus matrices are (Fig. 1)."""
    path = folder / "spce_matrices.csv"
    if not path.exists():
        return ""
    found = {(row["dataset"], row["matrix"]): row["share"] for row in figures(path)}
    kinds = list(dict.fromkeys(matrix for _, matrix in found))
    names = list(dict.fromkeys(name for name, _ in found))
    rows = [
        (
            name,
            *(
                f"{100 * float(found[name, m]):.1f}" if (name, m) in found else "-"
                for m in kinds
            ),
        )
        for name in names
    ]
    plain, own = kinds[0], kinds[-2]
    gains = [100 * (float(found[n, own]) - float(found[n, plain])) for n in names]
    robust = [n for n in names if (n, "RSEC") in found]
    others = [100 * (float(found[n, own]) - float(found[n, "RSEC"])) for n in robust]
    table = gain_table(
        [(f"{own} instead of {plain}", gains), (f"{own} instead of RSEC", others)]
    )
    return (
        "## Fig. 1: consensus matrices\n\nThe paper shows matrices of K1b. Here is the "
        "share of the matrix, in percent and without the diagonal, that lies between "
        "samples of different classes; less is cleaner. Run 0, k-means members; RCE "
        "and MEC we do not have, and RSEC is cubic in the distinct rows of labels. "
        "Every mean is in `spce_matrices.csv`.\n\n"
        f"{markdown(('data', *kinds), rows)}\n\n"
        f"Differences in points (negative is cleaner):\n\n{table}"
    )


def convergence(folder: Path) -> str:
    path = folder / "spce_convergence.csv"
    if not path.exists():
        return ""
    found = figures(path)
    rows = []
    for name in dict.fromkeys(row["dataset"] for row in found):
        steps = [row for row in found if row["dataset"] == name]
        last: dict[str, dict[str, str]] = {row["stage"]: row for row in steps}
        counts = " ".join(row["n_components"] for row in steps)
        ends = [f"{float(row['objective']):.4g}" for row in last.values()]
        rows.append((name, len(steps), counts, *ends))
    head = (
        *("data", "iterations", "components after each iteration"),
        *(f"objective after r = {r}" for r in (0.9, 0.8, 0.7, 0.6, 0.5)),
    )
    return (
        "## Fig. 2: convergence\n\nRun 0, theta = 0.3; every step is in "
        "`spce_convergence.csv`. Within an iteration the objective never rises; "
        "between iterations it may, as rho is doubled, and between stages, as the "
        "weights and lambda change. Where the number of components stays above the "
        "number of classes, rho is halved until it does nothing, and the last stage "
        "runs to its "
        f"20 iterations without a change.\n\n{markdown(head, rows)}"
    )


def exactness(folder: Path) -> str:
    path = folder / "spce_exactness.csv"
    if not path.exists():
        return ""
    found = figures(path)
    rows = []
    for holds, title in (
        (True, "holds throughout"),
        (False, "fails in some iteration"),
    ):
        group = [row for row in found if (row["n_inexact"] == "0") == holds]
        if group:
            same = [float(row["ari"]) == 1.0 for row in group]
            differences = [float(row["largest_difference"]) for row in group]
            rows.append(
                (
                    *(title, len(group), f"{max(differences):.1e}"),
                    *(f"{np.median(differences):.1e}", sum(same)),
                    f"{np.mean([float(row['ari']) for row in group]):.3f}",
                )
            )
    names = ", ".join(dict.fromkeys(row["dataset"] for row in found))
    head = (
        "the check",
        "cases",
        "largest difference of S",
        "median",
        "same components",
    )
    return (
        "## Distinct label rows against all samples\n\nThe collapsed problem beside "
        f"`exact=True` on {names}, k-means members, every theta: how much S differs, "
        "and whether its components are the same. Each case is in "
        f"`spce_exactness.csv`.\n\n{markdown((*head, 'mean ARI'), rows)}"
    )


def thresholds(folder: Path) -> str:
    """Return how often the components of S are those of a matrix that is cut once."""
    path = folder / "spce_thresholds.csv"
    if not path.exists():
        return ""
    found = figures(path)
    rows = []
    for setting, title in SETTINGS.items():
        for theta in THETAS[1:]:
            group = [
                row
                for row in found
                if (row["setting"], float(row["theta"])) == (setting, theta)
            ]
            if group:
                scores = [float(row["ari"]) for row in group]
                same = f"{sum(score == 1.0 for score in scores)} of {len(scores)}"
                cut = f"{max(1 - 0.09 / theta, 0):.2f}"
                rows.append((title, theta, cut, same, f"{np.mean(scores):.3f}"))
    return (
        "## What learning adds to a threshold\n\nThe components of S beside those of "
        "the co-association, cut once where SPCE cuts first: between samples on which "
        "a smaller share of the members than 1 - 0.09 / theta agrees. Two runs of each "
        "data set; each case is in `spce_thresholds.csv`. Where the components are the "
        "same, weights, pace and rank constraint change nothing. With 20 members and "
        "theta of 0.6 or 0.9 the cut falls on a share that occurs, and rounding "
        "decides about these pairs.\n\n"
        + markdown(
            ("members", "theta", "cut below", "same components", "mean ARI"), rows
        )
    )


def checks(log: RunLog) -> str:
    """Return in how many runs the collapse was not exact, by form and theta."""
    rows = []
    for setting, title in SETTINGS.items():
        for form in FORMS:
            told = []
            for theta in THETAS:
                counts = [
                    values_of(log, setting, name, f"{form} found {theta}", "n_inexact")
                    for name in HELD
                ]
                failed = np.concatenate(counts) > 0
                told.append(f"{failed.sum()} of {failed.size}")
            rows.append((title, form, *told))
    return (
        "How many runs of the tables fail the check in some iteration, by theta; these "
        "are the stars:\n\n" + markdown(("members", "form", *THETAS), rows)
    )
