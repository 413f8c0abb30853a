"""Compiled kernels: arrays in, arrays out.

Import them inside functions (``from coterie._kernels import _tables``), so that
importing coterie does not wait for numba.
"""
