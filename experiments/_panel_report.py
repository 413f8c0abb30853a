"""x"""


def write(log, folder): ...
