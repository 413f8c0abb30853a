"""Randomness is spawned: one seed sequence, a child for each task."""

from __future__ import annotations

import numbers

import numpy as np

from coterie._typing import Seed


def seed_sequence(seed: Seed) -> np.random.SeedSequence:
    """Return a seed sequence that nobody else spawns from.

    Parameters
    ----------
    seed : int, SeedSequence, Generator, RandomState or None
        A whole number or a seed sequence gives the same children at each call; a
        generator is drawn from once; None takes fresh entropy.
    """
    if seed is None:
        return np.random.SeedSequence()
    if isinstance(seed, np.random.SeedSequence):
        # A copy: spawning from the caller's own would change it for the next call.
        return np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key)
    if isinstance(seed, np.random.Generator):
        return np.random.SeedSequence(seed.integers(2**32, size=4).tolist())
    if isinstance(seed, np.random.RandomState):
        return np.random.SeedSequence(seed.randint(2**31, size=4).tolist())
    if isinstance(seed, numbers.Integral) and not isinstance(seed, bool):
        if seed < 0:
            raise ValueError(f"A seed must not be negative, got {seed}.")
        return np.random.SeedSequence(int(seed))
    raise TypeError(
        "A seed is a whole number, a numpy SeedSequence, Generator or RandomState, "
        f"or None; got {seed!r} ({type(seed).__name__})."
    )
