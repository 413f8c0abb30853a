"""How many attacks: a few fixed ones in the gate, ever new ones in ``make attack``."""

import os
import sys
from pathlib import Path

from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).parent))  # tests do `import attacking`

settings.register_profile(
    "attack",
    deadline=None,
    max_examples=int(os.environ.get("COTERIE_ATTACKS", "0")) or 100,
    suppress_health_check=list(HealthCheck),
    print_blob=True,
)


def pytest_terminal_summary(terminalreporter):
    """Say how many cases were tried."""
    from attacking import REFUSED, TRIED

    for kind, n in sorted(TRIED.items()):
        terminalreporter.write_line(
            f"attacks on {kind}: {n:,} tried, {REFUSED[kind]:,} refused by a sentence"
        )
