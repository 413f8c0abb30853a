"""What WOEC's paper claims: paired t-tests, and gains with their errors."""

from collections.abc import Iterable

import numpy as np
from scipy.stats import ttest_rel

from experiments._runs import RunLog
from experiments._tables import gain_table, markdown
from experiments._woec_data import HELD, TOYS

FORMS = ("WOMC", "WOSP", "WOHB")
OTHERS = ("CSPA", "MCLA", "HBGF", "BCE", "WCC", "ECMC")
SIZES = (20, 40, 60)
SIGNIFICANT = 0.05  # level of the paper's paired t-tests


def tests(log: RunLog) -> str:
    """Return on how many data sets paired t-tests tell each form from each rival."""
    rows = []
    rivals = (*OTHERS, "mean member")
    for R in SIZES:
        for form in FORMS:
            row: list[object] = [R, form]
            for rival in rivals:
                found = [_verdict(log, name, R, form, rival) for name in HELD]
                counts = [found.count(sign) for sign in (1, 0, -1)]
                row.append(" / ".join(map(str, counts)))
            rows.append(tuple(row))
    toys = [
        (
            name,
            *(
                _word(_verdict(log, name, 40, form, r))
                for form in FORMS
                for r in OTHERS
            ),
            _word(_verdict(log, name, 40, "WOKMeans", "k-means")),
        )
        for name in TOYS
    ]
    head = ("data", *(f"{form} to {r}" for form in FORMS for r in OTHERS), "WOKMeans")
    return (
        "## Paired t-tests\n\nOver the seeds of each data set, two-sided, at "
        f"{SIGNIFICANT}, as in the paper, not corrected for their number: on how many "
        "data sets the form is better / not told apart / worse in ARI.\n\n"
        + markdown(("R", "form", *rivals), rows)
        + "\n\nThe toys (R = 40); WOKMeans against k-means:\n\n"
        + markdown(head, toys)
    )


def _verdict(log: RunLog, name: str, R: int, one: str, other: str) -> int | None:
    """Return 1 if the first is better by a paired t-test, -1 if worse, else 0."""
    run = ("tables", name, f"R={R}")
    a, b = (log.values(*run, method, "ari") for method in (one, other))
    n = min(a.size, b.size)  # both are by seed
    if n < 3:
        return None
    difference = a[:n] - b[:n]
    if np.ptp(difference) < 1e-12:
        return int(np.sign(np.round(difference[0], 12)))
    test = ttest_rel(a[:n], b[:n])
    return int(np.sign(difference.mean())) if test.pvalue < SIGNIFICANT else 0


def _word(verdict: int | None) -> str:
    return {1: "better", 0: "=", -1: "worse", None: "-"}[verdict]


def _best_of_each(best: dict[str, float]) -> str:
    """Say where one of the forms beats all rivals; takes the gains by data set."""
    behind = ", ".join(f"{n} ({gain:+.3f})" for n, gain in best.items() if gain <= 0)
    wins = sum(gain > 0 for gain in best.values())
    return (
        f"One of the forms has the highest mean on {wins} of {len(best)} data sets "
        f"(printed: on all but Breast, which we do not hold); not on {behind}."
    )


def _deviations(log: RunLog) -> str:
    """Say how the seeds' spread on Spambase shrinks with the members (Fig. 11)."""
    told = []
    for form in FORMS:
        few, many = (
            np.mean(
                [
                    log.values("size", "Spambase", f"R={R}", form, "ari").std(ddof=1)
                    for R in sizes
                ]
            )
            for sizes in ((5, 10, 20), (30, 60, 100))
        )
        told.append(f"{form} from {few:.3f} to {many:.3f}")
    return (
        "The deviation over seeds on Spambase, mean of R = 5, 10, 20 and of R = 30, "
        f"60, 100: {', '.join(told)} (printed: smaller beyond R = 20)."
    )


def claims(log: RunLog) -> str:
    """Return what each claim of the paper gains, with an error over data sets."""

    def means(name: str, method: str) -> float:
        values = log.values("tables", name, "R=40", method, "ari")
        return float(values.mean()) if values.size else np.nan

    def gains(names: Iterable[str], one: str, other: str) -> list[float]:
        found = [means(name, one) - means(name, other) for name in names]
        return [value for value in found if not np.isnan(value)]

    rows = []
    for form in FORMS:
        for names, where in ((HELD, "data sets"), (TOYS, "toys")):
            what = f"{form}, {where}: weights instead of none"
            rows.append((what, gains(names, form, f"{form} unweighted")))
    for names, where in ((HELD, "data sets"), (TOYS, "toys")):
        what = f"WOKMeans instead of k-means, {where}"
        rows.append((what, gains(names, "WOKMeans", "k-means")))
    pairs = (("WOSP", "CSPA"), ("WOMC", "MCLA"), ("WOHB", "HBGF"))
    for form, rival in pairs:
        rows.append((f"{form} instead of {rival}", gains(HELD, form, rival)))
    for form in FORMS:
        for rival in ("BCE", "WCC", "ECMC"):
            rows.append((f"{form} instead of {rival}", gains(HELD, form, rival)))
    for form in FORMS:
        rows.append((f"{form} above the mean member", gains(HELD, form, "mean member")))
        other = f"{form} spectral"
        rows.append(
            (f"{form}: METIS instead of a spectral cut", gains(HELD, form, other))
        )
    best = {}  # of the forms and of the others, by data set
    for name in HELD:
        forms = [means(name, form) for form in FORMS]
        others = [means(name, other) for other in OTHERS]
        if not np.isnan(forms).any():
            best[name] = max(forms) - np.nanmax(others)
    rows.append(("the best form above the best rival", list(best.values())))
    for form in FORMS:
        rows.append((f"WOKMeans instead of {form}", gains(HELD, "WOKMeans", form)))
    toys = [
        (
            name,
            *(
                f"{means(name, form) - means(name, other):+.3f}"
                for form, other in (
                    *((form, f"{form} unweighted") for form in FORMS),
                    ("WOKMeans", "k-means"),
                )
            ),
        )
        for name in TOYS
    ]
    return (
        "## Claims\n\nDifference in ARI with R = 40: the mean over data sets and its "
        "standard error; each counts once, with the mean over its seeds.\n\n"
        f"{gain_table(rows, 3)}\n\n{_best_of_each(best)} {_deviations(log)}\n\n"
        "On each of the toys, weights instead of none:\n\n"
        + markdown(("data", *FORMS, "WOKMeans"), toys)
    )
