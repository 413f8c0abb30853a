"""MDEC and its baselines by the number of members (Figs. 2 to 4)."""

import numpy as np

from experiments._mdec_data import HELD
from experiments._runs import RunLog
from experiments._tables import markdown

FORMS = ("MDEC-HC", "MDEC-SC", "MDEC-BG")
RIVALS = (*("SSCSPA", "SSHGPA", "SSMCLA", "KCC", "PTGP", "SEC", "ECC", "LWGP", "SPCE"),)
MEASURES = {"nmi": "nmi_max", "ari": "ari"}  # the paper's name -> the log's
TABLES = ("tables", "default")
SIZES = (20, 40, 60, 80, 100, 150, 200, 250, 300)
SHOWN = (20, 100, 300)  # of each data set by itself


def section(log: RunLog) -> str:
    """Return NMI and ARI of all methods with 20 to 300 members (Figs. 2 to 4)."""
    last = f"M={SIZES[-1]}"
    names = [n for n in HELD if log.values("curves", n, last, "KCC", "ari").size]
    if not names:
        return _forms_by_size(log)
    methods = (*FORMS, *RIVALS)
    parts = []
    for metric, measure in MEASURES.items():
        rows = [
            (
                method,
                *(
                    f"{np.mean([v.mean() for v in found]):.1f}"
                    for m in SIZES
                    if (
                        found := [
                            log.values("curves", n, f"M={m}", method, measure)
                            for n in names
                        ]
                    )
                ),
            )
            for method in methods
        ]
        figure = {"nmi": "Fig. 4(a), NMI", "ari": "Fig. 4(b), ARI"}[metric]
        parts.append(
            f"### {figure}, mean over the data sets\n\n"
            + markdown(("method", *(f"M={m}" for m in SIZES)), rows)
        )
    return (
        "## Members: 20 to 300 (Figs. 2 to 4)\n\nThe first M of the same 300 members, "
        f"on {len(names)} data sets: {', '.join(names)}. The paper prints pictures; it "
        "says that its three forms stay high for all M, and above all nine baselines "
        "on the mean.\n\n"
        + "\n\n".join([*parts, *(_by_data(log, names, m) for m in MEASURES)])
    )


def _by_data(log: RunLog, names: list[str], metric: str) -> str:
    """Return one metric by data set with few, 100 and many members."""

    def told(name: str, method: str) -> str:
        found = (
            log.values("curves", name, f"M={m}", method, MEASURES[metric])
            for m in SHOWN
        )
        return " / ".join(f"{values.mean():.1f}" for values in found)

    methods = (*FORMS, *RIVALS)
    last = f"M={SIZES[-1]}"
    rows = [
        (
            name,
            log.values("curves", name, last, "KCC", "ari").size,
            *(told(name, method) for method in methods),
        )
        for name in names
    ]
    figure = {"nmi": "Fig. 2: NMI", "ari": "Fig. 3: ARI"}[metric]
    sizes = " / ".join(map(str, SHOWN))
    return f"### {figure} with {sizes} members\n\n" + markdown(
        ("data", "seeds", *methods), rows
    )


def _forms_by_size(log: RunLog) -> str:
    """Return the forms alone by the number of members, from older runs."""
    sizes = (10, 20, 30, 40, 50, 60, 70, 80, 90, 150, 200, 250, 300)
    parts = []
    for chosen, n_made in ((sizes[:9], 100), (sizes[9:], 300)):
        variants = [("size", f"M={m}") for m in chosen]
        names = [
            n
            for n in HELD
            if all(log.values(s, n, v, "MDEC-HC", "ari").size for s, v in variants)
        ]
        if not names:
            continue
        rows = []
        for study, variant in (*variants, TABLES):
            row = ["M=100" if study == TABLES[0] else variant]
            for measure in MEASURES.values():
                for form in FORMS:
                    means = [
                        log.values(study, n, variant, form, measure).mean()
                        for n in names
                    ]
                    row.append(f"{np.mean(means):.2f}")
            rows.append(row)
        head = [f"{form[5:]} {metric.upper()}" for metric in MEASURES for form in FORMS]
        parts.append(
            f"The first M of the same {n_made} members on {len(names)} data sets: "
            f"{', '.join(names)}.\n\n{markdown(('setting', *head), rows)}"
        )
    return (
        "## Ensemble size (Fig. 4)\n\nRuns of older code, without the baselines; the "
        "task `sizes` has all twelve methods with 20 to 300 members. The paper prints "
        "pictures.\n\n" + "\n\n".join(parts)
    )
