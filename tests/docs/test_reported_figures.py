"""Figures that the pages quote are those that the reports print."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "experiments" / "results"
SIGN = r"(?:(?<![\w.)])[-+])?"
NUMBER = rf"{SIGN}\d*\.?\d+"
PAIR = re.compile(rf"({NUMBER}) ± ({NUMBER})")
COUNT = re.compile(r"(?<![\w.])(\d+) of (?:the )?(\d+)(?![\w.]|\.\d)")
DECIMAL = re.compile(rf"(?<![\w.]){SIGN}\d*\.\d+(?![\w.]*\w)")
# where a page has its figures: lines of its sections on results, and the report
PAGES = {
    "mdec": ("Does it reproduce",),
    "c2swce": ("The tables", "Before you use it"),
    "spce": ("Exactly as many", "Does self-pacing"),
    "woec": ("Do the weights", "Does it reproduce"),
    "mbn": ("Which form", "Does it reproduce"),
    "communities": ("How it compares",),
    "segments": ("How good it is",),
}
MORE = {"segments": ["segment_designs"]}  # reports that a page quotes
PRINTED = RESULTS.parent / "published"


def numbers(text):
    """Every number of a text, as written."""
    return set(re.findall(r"(?<![\w.])[-+]?\d*\.?\d+", text))


def is_rounded(quoted, printed):
    """Whether a printed figure, rounded as the quoted one, equals it.

    A figure quoted without its sign ("loses 15.4") may be printed with it.
    """
    unit = 10.0 ** -len(quoted.partition(".")[2])
    value = float(printed) if quoted[0] in "+-" else abs(float(printed))
    return abs(float(quoted) - value) <= 0.5001 * unit


def reports(*names):
    paths = [RESULTS / f"{name}.md" for name in names]
    return "\n".join(path.read_text() for path in paths)


def claims():
    """Yield the claim and our figures of each row of the table of claims."""
    text = (ROOT / "docs" / "papers.md").read_text()
    table = text.partition("## What the papers claim")[2].partition("\n## ")[0]
    paper = ""
    for line in table.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if len(cells) != 4 or cells[0] in ("claim", "---"):
            continue
        named = re.match(r"\*?\*?(MDEC|C2SWCE|SPCE|WOEC)", cells[0])
        paper = named[1].lower() if named else "mbn"
        yield pytest.param(paper, cells[2], id=re.sub(r"\W+", " ", cells[0])[:50])


def overview():
    """Yield the report and our figures of each row of the first table."""
    text = (ROOT / "docs" / "papers.md").read_text().partition("## What")[0]
    for line in text.splitlines():
        named = re.search(r"results/(\w+)\.md", line)
        if named:
            yield pytest.param(named[1], line.split(" | ")[2], id=named[1])


def missing(text, report):
    """Return the figures of a text that the report does not print."""
    left = []
    pairs = PAIR.findall(report)
    for found in PAIR.finditer(text):
        mean, error = found.groups()
        if not any(is_rounded(mean, a) and is_rounded(error, b) for a, b in pairs):
            left.append(found[0])
    text = PAIR.sub(" ", text)
    counts = set(COUNT.findall(report))
    left += [f"{a} of {b}" for a, b in COUNT.findall(text) if (a, b) not in counts]
    known = numbers(report)
    for quoted in DECIMAL.findall(COUNT.sub(" ", text)):
        if not any(is_rounded(quoted, printed) for printed in known):
            left.append(quoted)
    return left


def test_the_check_finds_a_wrong_figure():
    report = "| HC | +0.84 ± 0.52 | 12 of 23 |\n| .437 |"
    assert missing("gain +0.8 ± 0.5 in 12 of 23, .44", report) == []
    assert missing("loses .5", "-.51") == []
    assert missing("gains +.5", "-.51") == ["+.5"]
    assert missing("gain +0.9 ± 0.5 in 13 of 23, .45", report) == [
        "+0.9 ± 0.5",
        "13 of 23",
        ".45",
    ]


@pytest.mark.parametrize(("paper", "figures"), claims())
def test_claims_are_printed_by_a_report(paper, figures):
    assert missing(figures, reports(paper, "rivals")) == []


@pytest.mark.parametrize(("report", "figures"), overview())
def test_the_overview_quotes_the_reports(report, figures):
    assert missing(figures, reports(report)) == []


@pytest.mark.parametrize("paper", PAGES)
def test_pages_quote_their_reports(paper):
    text = (ROOT / "docs" / f"{paper}.md").read_text()
    sections = re.split(r"\n##+ ", text)
    chosen = [s for s in sections if s.startswith(PAGES[paper])]
    assert len(chosen) == len(PAGES[paper])
    published = PRINTED / f"{paper}.csv"
    printed = published.read_text() if published.exists() else ""
    body = "\n".join(
        re.sub(r"`[^`]*`|\]\([^)]*\)|https?://\S+", " ", s) for s in chosen
    )
    found = reports(paper, *MORE.get(paper, []))
    assert missing(body, found + printed) == []
