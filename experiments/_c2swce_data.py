"""The eight data sets of the paper, and its printed figures."""

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from experiments._data import Data, load

PRINTED = Path(__file__).parent / "published" / "c2swce.csv"
DRAW = 0  # seed of the draw of USPS_10P, one for all runs


@dataclass(frozen=True)
class Held:
    """One data set of the paper: its number there, its file, what differs."""

    number: str
    file: str
    differs: str = ""


# In the order in which they are run: the small ones first.
HELD = {
    "golub1999v1": Held("D4", "golub1999v1"),
    "bhattacharjee2001": Held("D3", "bhattacharjee2001"),
    "yeoh2002v1": Held("D1", "yeoh2002v1"),
    "yeoh2002v2": Held("D2", "yeoh2002v2"),
    "usps_10p": Held("D5", "usps", "our own draw; the paper's is not published"),
    "coil20": Held("D6", "coil20"),
    "semeion": Held("D7", "semeion"),
    "multiple_features": Held("D8", "multiple_features"),
}
BY_NUMBER = sorted(HELD, key=lambda name: HELD[name].number)


def read(name: str) -> Data:
    """Return one data set; USPS_10P is a tenth of each class of USPS."""
    data = load(HELD[name].file)
    return stratified(data, 0.1) if name == "usps_10p" else data


def stratified(data: Data, share: float) -> Data:
    """Draw a share of each class without repetition."""
    rng = np.random.default_rng(DRAW)
    rows = [
        rng.choice(at, round(share * at.size), replace=False)
        for at in (np.flatnonzero(data.y == c) for c in np.unique(data.y))
    ]
    kept = np.sort(np.concatenate(rows))
    return Data(data.name, data.X[kept], data.y[kept])


def printed() -> dict[tuple[str, str, str, str], float]:
    """Return the printed figures, in percent: (table, data, method, metric)."""
    with PRINTED.open(newline="") as file:
        return {
            (row["source"], row["dataset"], row["method"], row["metric"]): 100
            * float(row["mean"])
            for row in csv.DictReader(file)
        }
