"""Figures that the pages quote are those that the reports print."""

import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "experiments" / "results"
SIGN = r"(?:(?<![\w.)])[-+])?"
NUMBER = rf"{SIGN}\d*\.?\d+"
PAIR = re.compile(rf"({NUMBER}) ± ({NUMBER})")
COUNT = re.compile(r"(?<![\w.])(\d+) of (?:the )?(\d+)(?![\w.]|\.\d)")
DECIMAL = re.compile(rf"(?<![\w.]){SIGN}\d*\.\d+(?![\w.]*\w)")
# pages, and their sections whose figures something else than a report prints: a
# benchmark, the paper, or the arithmetic in the text
PAGES = {
    "mdec": ("When weights mislead",),
    "c2swce": ("What the printed figures reveal", "Speed"),
    "spce": (),
    "woec": (),
    "mbn": (),
    "field": ("All methods on the digits",),
    "communities": (),
    "segments": ("Which number, which size", "Scores"),
}
# reports beside the one of the page's own name
OTHER_REPORTS = {
    "field": ("field_pools", "rivals", "woec"),
    "segments": ("segment_designs",),
    "spce": ("rivals",),
}
PRINTED = RESULTS.parent / "published"
WORD = re.compile(r"[a-z][a-z0-9]+")
COMMON = 0.25  # share of the lines beyond which a word says nothing of its line


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
    """Yield the paper, the row and our figures of each row of the table of claims."""
    text = (ROOT / "docs" / "papers.md").read_text()
    table = text.partition("## What the papers claim")[2].partition("\n## ")[0]
    paper = ""
    for line in table.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if len(cells) != 4 or cells[0] in ("claim", "---"):
            continue
        named = re.match(r"\*?\*?(MDEC|C2SWCE|SPCE|WOEC)", cells[0])
        paper = named[1].lower() if named else "mbn"
        name = re.sub(r"\W+", " ", cells[0])[:50]
        yield pytest.param(paper, line, cells[2], id=name)


def overview():
    """Yield the report and our figures of each row of the first table."""
    text = (ROOT / "docs" / "papers.md").read_text().partition("## What")[0]
    for line in text.splitlines():
        named = re.search(r"results/(\w+)\.md", line)
        if named:
            compared, short = line.split(" | ")[1:3]
            yield pytest.param(named[1], f"{compared} | {short}", id=named[1])


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


def missing_sets(text, report):
    """Return the numbers of data sets in a text that the report does not tell.

    It tells them in words ("on the 15 data sets") or as the size of a comparison ("in
    12 of 15").
    """
    known = set(re.findall(r"(\d+) (?:data )?sets", report))
    known |= {whole for _, whole in COUNT.findall(report)}
    told = re.findall(r"(?<![\w.])(\d+) (?:\w+ )?data sets", text)
    return [number for number in told if number not in known]


def lone(text):
    """Return the decimals of a text that are neither pairs nor counts."""
    return DECIMAL.findall(COUNT.sub(" ", PAIR.sub(" ", text)))


@cache
def lines_of(report):
    """Return, for each section of a report, its lines with the words about them."""
    sections = []
    for section in re.split(r"\n(?=##? )", report):
        title, head, last, lines = "", "", "", []
        for line in section.splitlines():
            if line.startswith("#"):
                title = line
            if line.startswith("|") and not last.startswith("|"):
                head = line
            about = head if line.startswith("|") else ""
            lines.append((line, set(WORD.findall(f"{title} {about} {line}".lower()))))
            last = line
        sections.append(lines)
    return sections


def scattered(row, figures, report):
    """Return lone decimals that no one section prints in lines about the claim.

    A line is about a claim if they share a word that few lines of the report have.
    """
    sections = lines_of(report)
    counts = Counter(word for lines in sections for _, words in lines for word in words)
    n_lines = sum(len(lines) for lines in sections)
    own = {w for w in WORD.findall(row.lower()) if 0 < counts[w] <= COMMON * n_lines}
    left = lone(figures)
    for lines in sections:
        known = numbers("\n".join(line for line, words in lines if words & own))
        absent = [q for q in lone(figures) if not any(is_rounded(q, n) for n in known)]
        left = min(left, absent, key=len)
    return left


def altered(figures):
    """Yield the figures with one lone decimal changed by a few units of its end."""
    for found in DECIMAL.finditer(figures):
        quoted, places = found[0], len(found[0].partition(".")[2])
        if quoted not in lone(figures):
            continue
        for step in (-7, -3, -2, -1, 1, 2, 3, 7):
            sign = "+" if quoted[0] in "+-" else ""
            wrong = f"{float(quoted) + step * 10.0**-places:{sign}.{places}f}"
            yield figures[: found.start()] + wrong + figures[found.end() :]


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


def test_the_check_finds_another_number_of_data_sets():
    report = "Means over 14 data sets; better on 12 of 19"
    assert missing_sets("on 14 data sets, on 19 small data sets", report) == []
    assert missing_sets("on 15 small data sets, on 12 data sets", report) == [
        "15",
        "12",
    ]


@pytest.mark.parametrize(("paper", "row", "figures"), claims())
def test_claims_are_printed_by_a_report(paper, row, figures):
    assert missing(figures, reports(paper, "rivals")) == []
    assert missing_sets(figures, reports(paper, "rivals")) == []
    assert scattered(row, figures, reports(paper, "rivals")) == []


def test_a_figure_of_another_section_is_found():
    rest = "\n".join(f"| {name} | 1 |" for name in "abcdefgh")
    one, two = "## One\n| | NMI |\n| HC | .44 |\n| SC | .31 |", "## Two\n| | NMI |\n"
    report = f"{one}\n{two}| HC | .52 |\n{rest}"
    assert scattered("HC gains", ".44", report) == []
    assert scattered("HC gains", ".44, .52", report) != []
    assert scattered("HC gains", ".31", report) == [".31"]


def test_most_wrong_figures_are_found():
    noticed = []
    for claim in claims():
        paper, row, figures = claim.values
        report = reports(paper, "rivals")
        noticed += [
            bool(missing(wrong, report) or scattered(row, wrong, report))
            for wrong in altered(figures)
        ]
    assert sum(noticed) > 0.6 * len(noticed) > 60


@pytest.mark.parametrize(("report", "figures"), overview())
def test_the_overview_quotes_the_reports(report, figures):
    assert missing(figures, reports(report)) == []
    assert missing_sets(figures, reports(report)) == []
    cells = re.findall(r"(\d+) cells", figures.partition(" | ")[0])
    assert {n for n in cells if f" of {n} " not in reports(report)} == set()


@pytest.mark.parametrize("paper", PAGES)
def test_pages_quote_their_reports(paper):
    text = (ROOT / "docs" / f"{paper}.md").read_text()
    sections = re.split(r"\n##+ ", text)
    assert all(any(s.startswith(name) for s in sections) for name in PAGES[paper])
    table = PRINTED / f"{paper}.csv"
    printed = table.read_text() if table.exists() else ""
    body = "\n".join(s for s in sections if not s.startswith(PAGES[paper]))
    body = re.sub(r"```.*?```", " ", body, flags=re.DOTALL)
    body = re.sub(r"`[^`]*`|\]\([^)]*\)|https?://\S+|arXiv:\S+", " ", body)
    names = (paper, *OTHER_REPORTS.get(paper, ()))
    assert missing(body, reports(*names) + printed) == []
    assert missing_sets(body, reports(*names)) == []
