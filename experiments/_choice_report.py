"""The tables of the choice of k."""


def write(log, folder): ...
