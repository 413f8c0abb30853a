"""Where tests find oracles, golden files and a fresh numba cache."""

import hashlib
import os
import sys
import tempfile
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE))  # tests do `import oracles`


def _kernel_hash() -> str:
    """Return a name that changes with the kernels: numba's cache may miss it."""
    digest = hashlib.sha256()
    for file in sorted((ROOT / "src/coterie/_kernels").glob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


cache = Path(tempfile.gettempdir()) / f"coterie-numba-{_kernel_hash()}"
os.environ.setdefault("NUMBA_CACHE_DIR", str(cache))
for library in ("OPENBLAS", "MKL", "OMP"):  # threads of two workers block each other
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

from hypothesis import settings  # noqa: E402

settings.register_profile("ci", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("ci")


def _beside(name: str, variable: str) -> Path:
    return Path(os.environ.get(variable, ROOT.parent / "shared" / name))


@pytest.fixture(scope="session")
def refs() -> Path:
    """Outputs of the authors' own programs."""
    folder = _beside("refs", "COTERIE_REFS")
    if not folder.is_dir():
        pytest.skip("the authors' outputs are not here (set COTERIE_REFS)")
    return folder


@pytest.fixture(scope="session")
def real_data() -> Path:
    """Real data sets of the papers."""
    folder = _beside("data", "COTERIE_DATA")
    if not folder.is_dir():
        pytest.skip("the papers' data sets are not here (set COTERIE_DATA)")
    return folder
