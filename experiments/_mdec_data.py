"""Which of the paper's data sets we hold, smallest first."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Held:
    """One data set of the paper.

    Attributes
    ----------
    file : str
        Name of the file in the data folder.
    n_samples : int
    differs : str
        How the file differs from what the paper describes; empty if it does not.
    """

    file: str
    n_samples: int
    differs: str = ""


_GENES = "1868 genes, 1877 in the paper"

HELD = {
    "risinger2003": Held("risinger2003", 42),
    "west2001": Held("west2001", 49),
    "bredel2005": Held("bredel2005", 50),
    "nutt2003v1": Held("nutt2003v1", 50),
    "alizadeh2000v2": Held("alizadeh2000v2", 62),
    "alizadeh2000v3": Held("alizadeh2000v3", 62),
    "garber2001": Held("garber2001", 66),
    "golub1999v1": Held("golub1999v1", 72, _GENES),
    "golub1999v2": Held("golub1999v2", 72, _GENES),
    "armstrong2002v2": Held("armstrong2002v2", 72),
    "chowdary2006": Held("chowdary2006", 104),
    "bhattacharjee2001": Held("bhattacharjee2001", 203),
    "yeoh2002v1": Held("yeoh2002v1", 248),
    "yeoh2002v2": Held("yeoh2002v2", 248),
    "umist": Held("umist644", 575, "644 pixels, 10,304 in the paper"),
    "flowers17": Held("flowers17_50", 1360, "7,500 values, 30,000 in the paper"),
    "coil20": Held("coil20", 1440),
    "semeion": Held("semeion", 1593),
    "multiple_features": Held("multiple_features", 2000),
    "yaleb32": Held("yaleb32", 2414),
    "mnist5000": Held("mnist5000", 5000, "our subset; the paper's is not published"),
    "isolet": Held("isolet", 7797),
    "usps": Held("usps", 11000),
}

# For the studies: small and medium sets of both kinds, fixed before the first run.
STUDIED = (
    "west2001",
    "alizadeh2000v2",
    "golub1999v2",
    "armstrong2002v2",
    "chowdary2006",
    "bhattacharjee2001",
    "yeoh2002v1",
    "yeoh2002v2",
    "umist",
    "coil20",
    "semeion",
    "multiple_features",
)
