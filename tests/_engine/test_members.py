import numpy as np
import pytest

from coterie._engine import progress_hook, run_members
from coterie._seeds import seed_sequence
from coterie.exceptions import DegenerateMemberWarning, MemberFailedError


def draw(number, rng):
    return float(rng.random())


@pytest.mark.parametrize("n_jobs", [None, 1, 2, 4, -1])
def test_results_come_in_order_from_spawned_seeds(n_jobs):
    expected = [
        (i, float(np.random.default_rng(child).random()))
        for i, child in enumerate(np.random.SeedSequence(3).spawn(6))
    ]
    assert run_members(draw, 6, who="Test", seed=3, n_jobs=n_jobs) == expected


@pytest.mark.parametrize(
    "seed",
    [
        5,
        np.int64(5),
        np.random.SeedSequence(5),
        np.random.SeedSequence(5).spawn(2)[1],
        None,
    ],
)
def test_seed_sequences(seed):
    first, second = seed_sequence(seed), seed_sequence(seed)
    same = first.generate_state(4).tolist() == second.generate_state(4).tolist()
    assert same == (seed is not None)


def test_generators_are_drawn_from_and_move_on():
    for make in (np.random.default_rng, np.random.RandomState):
        source = make(0)
        first, second = seed_sequence(source), seed_sequence(source)
        assert first.entropy != second.entropy
        assert seed_sequence(make(0)).entropy == first.entropy


@pytest.mark.parametrize(
    ("seed", "error", "text"),
    [
        (-1, ValueError, "must not be negative, got -1"),
        ("a", TypeError, "A seed is an integer"),
        (1.5, TypeError, r"got 1\.5 \(float\)"),
        (True, TypeError, "got True"),
    ],
)
def test_bad_seeds(seed, error, text):
    with pytest.raises(error, match=text):
        seed_sequence(seed)


def odd_fails(number, rng):
    if number % 2:
        raise ZeroDivisionError("odd")
    return number


def test_failures_are_collected():
    text = r"Test: 2 of 5 members failed; the first is member 1: ZeroDivisionError: odd"
    with pytest.raises(MemberFailedError, match=text) as caught:
        run_members(odd_fails, 5, who="Test")
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    with pytest.warns(DegenerateMemberWarning, match=text):
        kept = run_members(odd_fails, 5, who="Test", on_error="drop")
    assert kept == [(0, 0), (2, 2), (4, 4)]


def test_an_interrupt_is_not_a_failed_member():
    def interrupt(number, rng):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_members(interrupt, 3, who="Test", on_error="drop")


def test_blas_is_pinned_while_members_run():
    from threadpoolctl import threadpool_info

    def threads(number, rng):
        np.ones((4, 4)) @ np.ones((4, 4))
        return [lib["num_threads"] for lib in threadpool_info()]

    before = [lib["num_threads"] for lib in threadpool_info()]
    for _, numbers in run_members(threads, 4, who="Test", n_jobs=2):
        assert set(numbers) <= {1}
    assert [lib["num_threads"] for lib in threadpool_info()] == before


def test_progress_of_three_kinds():
    told = []
    for progress in (None, False, True, lambda *state: told.append(state)):
        with progress_hook(progress, "Work") as tell:
            tell(1, 2)
    assert told == [(1, 2)]
    with (
        pytest.raises(TypeError, match="progress must be None, True or a function"),
        progress_hook("bar", "Work"),
    ):
        pass
