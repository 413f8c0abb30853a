"""Compiled kernels: arrays in, arrays out.

Modules are imported by name where they are used (``from coterie._kernels import
_tables``) inside functions, so that a first import does not wait for numba.
"""
