"""Errors and warnings of coterie."""

__all__ = [
    "DegenerateMemberWarning",
    "FewerClustersWarning",
    "MemberFailedError",
    "MemoryLimitError",
    "MemoryLimitWarning",
    "StoreError",
]


class MemberFailedError(RuntimeError):
    """One or more base clusterers failed while an ensemble was generated."""


class MemoryLimitError(MemoryError):
    """A result would need more memory than the limit allows."""


class StoreError(RuntimeError):
    """A folder cannot keep members, or keeps those of another run."""


class DegenerateMemberWarning(UserWarning):
    """A member of an ensemble says nothing, or was left out."""


class FewerClustersWarning(UserWarning):
    """Fewer clusters were found than asked for."""


class MemoryLimitWarning(UserWarning):
    """Something is done in another way, so as to stay within the memory limit."""
