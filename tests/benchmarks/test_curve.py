"""The reading of the sentences on cost, and the verdict on measured curves."""

import math
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def curve():
    """Return the benchmark."""
    sys.path.insert(0, str(ROOT))
    try:
        from benchmarks import curve
    finally:
        sys.path.remove(str(ROOT))
    return curve


@pytest.mark.parametrize(
    ("cost", "time", "memory"),
    [
        ("time M (N^2 D + N k K), or M N D K with shared neighbours", "2112", "----"),
        ("time M N^2 D, memory N (D + M) + u^2", "2110", "2110"),
        ("time M N D k + t u^2 (M + k), memory u^2", "2111", "2000"),
        ("time N^2 C, memory N^2; memory linear beyond N = 5,000", "2011", "2000"),
        ("time M N (D K + M), memory a block", "1121", "----"),
        (
            "that of its kinds: time M N^2 D up to 10,000 samples, linear",
            "2110",
            "----",
        ),
        ("those of its parts", "----", "----"),
    ],
)
def test_exponents_of_sentences(curve, cost, time, memory):
    for word, expected in (("time", time), ("memory", memory)):
        found = "".join(
            curve.shown(curve.documented("", cost, word, axis)) for axis in "NDMk"
        )
        assert found == expected


def test_networks_are_counted_by_their_own_symbol(curve):
    cost = "time V N (N D + Z N), memory N (D + V Z)"
    assert curve.documented("mbn-e", cost, "time", "M") == 1
    assert curve.documented("mbn", "time V N k (D + V)", "time", "M") == 2


def test_powers_of_brackets_and_broken_sums(curve):
    assert curve.degree(["(", "N", "D", "+", "1", ")", "^", "2"], "N") == 2
    for broken in (["N", "+"], ["(", "N"], ["N", ")"], []):
        with pytest.raises(ValueError, match="expected"):
            curve.degree(broken, "N")


@pytest.mark.parametrize("name", ["ensemble", "mdec", "usenc", "large", "mbn-e"])
def test_costs_of_the_catalog_can_be_read(curve, name):
    found = curve.documented(name, curve.cost_of(name), "time", "N")
    assert found in {1.0, 2.0}


def growing(curve, power):
    sizes = [curve.Size(2**i * 1000, 16, 20, 4) for i in range(6)]
    return [curve.Point(s, 1e-4 * s.N**power, 1e-2 * s.N**power) for s in sizes]


def test_a_system_that_grows_faster_than_documented_is_named(curve, monkeypatch):
    monkeypatch.setattr(curve, "cost_of", lambda name: "time N, memory N")
    row, faster = curve.verdict("x", {"N": growing(curve, 1.1)})
    assert row == ["32,000", "1.1 (1)", "1.1 (1)"]
    assert faster == []
    _, faster = curve.verdict("x", {"N": growing(curve, 1.5)})
    assert [line.split(", not")[0] for line in faster] == [
        "x: time grows as N^1.50",
        "x: memory grows as N^1.50",
    ]


def test_small_runs_have_no_exponent(curve):
    points = [p._replace(cpu=0.01) for p in growing(curve, 1.0)]
    assert math.isnan(curve.exponent(points, "N", "cpu"))


def test_runs_are_kept_and_not_repeated(curve, monkeypatch, tmp_path):
    calls = []

    def measured(name, size):
        calls.append(size)
        return curve.Point(size, 3e-3 * size.N, 1.0)

    monkeypatch.setattr(curve, "RUNS", tmp_path / "curves.csv")
    monkeypatch.setattr(curve, "measured", measured)
    console = curve.Console(quiet=True)
    first = curve.curve("x", ["N"], console)
    assert [p.size.N for p in first["N"]] == [1000, 2000, 4000]  # 12 s
    again = curve.curve("x", ["N"], console)
    assert len(calls) == 3
    np.testing.assert_allclose([p.cpu for p in again["N"]], [3, 6, 12])
