"""Advice: which method suits the data, from what the experiments measured."""

from coterie.advice._advise import Advice, advise

__all__ = ["Advice", "advise"]
