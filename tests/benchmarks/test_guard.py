"""What the guard calls slower."""

import pytest

from benchmarks.guard import slower

BEFORE = {"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.0}


@pytest.mark.parametrize("machine", [0.5, 1.0, 1.6])
def test_a_part_is_slower_beside_the_others(machine):
    found = {name: machine * value for name, value in BEFORE.items()}
    assert slower(found, BEFORE) == (pytest.approx(machine), [])
    found["c"] *= 1.2
    assert slower(found, BEFORE)[1] == ["c"]
    found["c"] /= 2.0  # faster is fine
    assert slower(found, BEFORE)[1] == []


def test_parts_that_were_not_recorded_are_left_alone():
    assert slower({"new": 9.0}, BEFORE) == (1.0, [])
