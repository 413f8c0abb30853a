"""The report on WOEC."""


def write(log, folder): ...
