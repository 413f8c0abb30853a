"""The report of the choice of k: error rates, p-values under the null, QQ plot."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.stats import kstest

from experiments._choice_data import FORMS, NOISE, PLANTED, REAL, Setting
from experiments._runs import RunLog
from experiments._tables import figures, markdown

NULLS = ("independent", "gaussian", "unimodal", "permuted")
STATISTICS = ("separation", "pac", "stability", "dispersion")
N_SAMPLES = (150, 300)  # of the p-values under the null
DEFAULT = (NULLS[0], STATISTICS[0])


def write(log: RunLog, folder: Path) -> None:
    path = folder / "choice_others.csv"
    others = Others(path) if path.is_file() else None
    parts = [
        "# How many clusters: `choose_k`",
        "Written by `python -m experiments.choice report` from `choice_runs.csv` and "
        "`choice_others.csv` (`python -m experiments.choice_others`).",
        "20 planted settings and 4 real data sets, 20 draws without clusters, one run "
        "each with seed 0, k from 2 to 14, 39 references (19 of the other kinds); 300 "
        "samples (digits: 500 drawn of 1,797). Wine and dermatology are scaled, the "
        "others are as they are.",
        "## Error rates",
        "*near*: right or one off, of the 24 with clusters. *none*: said of the 20 "
        "without. Fewer than 24 or 20: the others were not run (the command goes on).",
        _rates(log),
        "## Each data set",
        f"References `{DEFAULT[0]}`, statistic `{DEFAULT[1]}`. k = 1 means no "
        "clusters; the other programs cannot say that. 0: no answer.",
        _each(log, others),
        "## p-values where there are no clusters",
        _calibration(log, folder / "choice_qq.png"),
    ]
    (folder / "choice.md").write_text("\n\n".join(parts) + "\n")
    print(f"wrote {folder / 'choice.md'}")


class Others:
    """The answers of other programs."""

    def __init__(self, path: Path) -> None:
        rows = figures(path)
        self.k = {(r["dataset"], r["method"]): int(float(r["k"])) for r in rows}
        self.version = {r["method"]: r["variant"] for r in rows}


def _k(log: RunLog, study: str, setting: Setting, null: str, statistic: str) -> int:
    found = log.values(study, setting.name, null, statistic, "k")
    return int(found[0]) if found.size else -1


def _is_near(k: int, setting: Setting) -> bool:
    return abs(k - setting.n_clusters) <= 1 and k > 1


def _rates(log: RunLog) -> str:
    rows = []
    for null in NULLS:
        for statistic in STATISTICS:
            known = _answers(log, "settings", [*PLANTED, *REAL], null, statistic)
            noise = _answers(log, "noise", NOISE, null, statistic)
            none = sum(k == 1 for k, _ in noise)
            row = [f"`{null}`", f"`{statistic}`", "", "", ""]
            if known:
                near = sum(_is_near(k, s) for k, s in known)
                row[2] = f"{sum(k == s.n_clusters for k, s in known)} of {len(known)}"
                row[3] = f"{near} of {len(known)} ({100 * near / len(known):.0f}%)"
                row[4] = str(sum(k == 1 for k, _ in known))
            if known or noise:
                rows.append([*row, f"{none} of {len(noise)}" if noise else ""])
    head = ["references", "statistic", "right", "near", "clusters missed", "none"]
    return markdown(head, rows)


def _answers(
    log: RunLog, study: str, settings: Sequence[Setting], null: str, statistic: str
) -> list[tuple[int, Setting]]:
    """Return the answers of the runs that are finished."""
    answers = [(_k(log, study, s, null, statistic), s) for s in settings]
    return [(k, s) for k, s in answers if k > 0]


def _each(log: RunLog, others: Others | None) -> str:
    head = ["data", "true k", "`choose_k`", "p"]
    if others is not None:
        head += [f"{name} {others.version[name]}" for name in others.version]
    rows = []
    for study, settings in (("settings", [*PLANTED, *REAL]), ("noise", NOISE)):
        for setting in settings:
            k = _k(log, study, setting, *DEFAULT)
            p = log.values(study, setting.name, *DEFAULT, "p_value")
            row = [setting.name, setting.n_clusters, _marked(k, setting)]
            row.append(f"{p[0]:.3f}" if p.size else "")
            if others is not None:
                for name in others.version:
                    said = others.k.get((setting.name, name))
                    row.append("" if said is None else _marked(said, setting))
            rows.append(row)
    total = ["**near**", "", f"{_near_count(log)} of 24", ""]
    if others is not None:
        for name in others.version:
            said = [(others.k.get((s.name, name)), s) for s in (*PLANTED, *REAL)]
            run = [(k, s) for k, s in said if k is not None]
            total.append(f"{sum(_is_near(k, s) for k, s in run)} of {len(run)} run")
    return markdown(head, [*rows, total])


def _near_count(log: RunLog) -> str:
    known = [*PLANTED, *REAL]
    return str(sum(_is_near(_k(log, "settings", s, *DEFAULT), s) for s in known))


def _marked(k: int, setting: Setting) -> str:
    fits = k == 1 if setting.n_clusters == 1 else _is_near(k, setting)
    return str(k) if fits else f"{k} ✗"


def _calibration(log: RunLog, picture: Path) -> str:
    """Return a table of rejection rates and tests, and draw the QQ plot."""
    rows, curves = [], {}
    rng = np.random.default_rng(0)
    for null in NULLS:
        for statistic in ("separation", "pac"):
            for form in (f"{form} {n} x 5" for n in N_SAMPLES for form in FORMS):
                p = log.values("calibration", form, null, statistic, "p_value")
                if not p.size:
                    continue
                # p-values are steps of 1/20: within a step all places are alike
                smooth = p - rng.random(p.size) / 20
                small = kstest(smooth, "uniform", alternative="greater").pvalue
                both = kstest(smooth, "uniform").pvalue
                rates = [f"{np.mean(p <= level):.2f}" for level in (0.05, 0.1, 0.2)]
                rows.append(
                    [f"`{null}`", f"`{statistic}`", form, p.size, *rates,
                     f"{both:.2g}", f"{small:.2g}"]
                )  # fmt: skip
                if statistic == DEFAULT[1]:
                    curves[null, form] = np.sort(p)
    _draw(curves, picture)
    text = (
        "150 or 300 samples in 5 dimensions, k from 2 to 6, 19 references, up to 100 "
        "draws each. Shares of p-values up to 0.05, 0.1 and 0.2; then the "
        "Kolmogorov-Smirnov test against uniform p-values, and against p-values that "
        "are not too small (a small number there means anti-conservative)."
    )
    head = ["references", "statistic", "data", "draws", "≤ 0.05", "≤ 0.1", "≤ 0.2"]
    table = markdown([*head, "KS uniform", "KS too small"], rows)
    return f"{text}\n\n{table}\n\n![QQ plot of the p-values]({picture.name})"


def _draw(curves: dict[tuple[str, str], Sequence[float]], picture: Path) -> None:
    import matplotlib.pyplot as plt

    nulls = [null for null in NULLS if any(null == key[0] for key in curves)]
    if not nulls:
        return
    size = (3 * len(nulls) + 1.8, 3.2)
    figure, axes = plt.subplots(1, len(nulls), figsize=size, layout="constrained")
    for ax, null in zip(np.atleast_1d(axes), nulls, strict=True):
        ax.plot([0, 1], [0, 1], color="0.7", lw=1)
        for key, p in curves.items():
            if key[0] == null:
                at = (np.arange(len(p)) + 0.5) / len(p)
                ax.plot(at, p, label=key[1], lw=1.2)
        ax.set(title=null, xlabel="uniform", ylabel="p-value", aspect="equal")
    lines, names = np.atleast_1d(axes)[0].get_legend_handles_labels()
    figure.legend(lines, names, loc="outside right", frameon=False, fontsize=8)
    figure.savefig(picture, dpi=80)
    plt.close(figure)
