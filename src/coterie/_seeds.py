"""Randomness is spawned: one seed sequence, a child for each task."""

from __future__ import annotations

import numbers

import numpy as np

from coterie._typing import Seed


def seed_sequence(seed: Seed) -> np.random.SeedSequence:
    """Return a seed sequence that nobody else spawns from.

    An integer or a seed sequence gives the same children at each call; a Generator or
    RandomState is drawn from once; None takes fresh entropy.
    """
    if seed is None:
        return np.random.SeedSequence()
    if isinstance(seed, np.random.SeedSequence):
        # a copy: spawning from the caller's would change it for the next call
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
        "A seed is an integer, a numpy SeedSequence, Generator or RandomState, or "
        f"None; got {seed!r} ({type(seed).__name__})."
    )
