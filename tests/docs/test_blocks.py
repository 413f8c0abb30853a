"""Each block of code in README and in the guides runs.

Python blocks of a page run one after the other, in one namespace, in a folder of their
own. Lines of shell blocks that begin with ``coterie`` go to the command line, in this
process and another folder; other shell lines (make, pip, long experiments) are not run.
A Python block that cannot run begins with ``# not run here:`` and the reason, which
readers see, too.
"""

import re
import shlex
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.datasets import load_iris

from coterie.cli import main

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
NOT_RUN = "# not run here: "
MOST_NOT_RUN = 3


def blocks(page: Path) -> list[tuple[str, str]]:
    """Return (language, text) of each block of code."""
    return FENCE.findall(page.read_text())


def commands(block: str) -> list[list[str]]:
    """Return the words after ``coterie`` of each such line of a shell block."""
    lines = block.replace("\\\n", " ").splitlines()
    return [
        shlex.split(line, comments=True)[1:]
        for line in lines
        if line.startswith("coterie ")
    ]


@pytest.fixture(scope="session")
def files(tmp_path_factory) -> dict[str, bytes]:
    """Return the files that the pages speak of, by their names."""
    import pandas as pd
    from PIL import Image
    from scipy.io import savemat

    folder = tmp_path_factory.mktemp("files")
    rng = np.random.default_rng(0)
    iris = load_iris(as_frame=True)
    table = iris.data.assign(species=iris.target_names[iris.target])
    table.to_csv(folder / "flowers.csv", index=False)
    iris.data.to_csv(folder / "data.csv", index=False)
    members = np.where(
        rng.random((150, 8)) < 0.2,
        rng.integers(0, 12, (150, 8)),
        np.arange(150)[:, None] // 15,
    )
    names = [f"run{j}" for j in range(8)]
    pd.DataFrame(members, columns=names).to_csv(folder / "labelings.csv", index=False)
    np.save(folder / "big.npy", rng.normal(size=(3000, 4)).astype(np.float32))
    savemat(folder / "members.mat", {"members": members + 1})
    pairs = [(i + g, j + g) for g in (0, 5) for i in range(5) for j in range(i)]
    edges = pd.DataFrame([*pairs, (0, 5)], columns=["one", "other"])
    edges.to_csv(folder / "edges.csv", index=False)
    pixels = np.zeros((24, 32, 3), dtype=np.uint8)
    pixels[:, 16:] = (200, 120, 40)
    Image.fromarray(pixels).save(folder / "photo.jpg")
    return {file.name: file.read_bytes() for file in folder.iterdir()}


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
@pytest.mark.filterwarnings("ignore:More than 20 figures have been opened")
def test_the_blocks_run(page, files, tmp_path, monkeypatch, capsys):
    plt.switch_backend("Agg")
    python, shell = tmp_path / "python", tmp_path / "shell"
    for folder in (python, shell):
        folder.mkdir()
        for name, content in files.items():
            (folder / name).write_bytes(content)
    names: dict[str, object] = {}
    for language, text in blocks(page):
        if language == "python" and not text.startswith(NOT_RUN):
            monkeypatch.chdir(python)
            exec(compile(text, page.name, "exec"), names)
        elif language in ("", "sh"):
            monkeypatch.chdir(shell)
            for words in commands(text):
                with pytest.raises(SystemExit) as stop:
                    main(words)
                said = capsys.readouterr()
                assert not stop.value.code, f"coterie {shlex.join(words)}: {said.err}"
    plt.close("all")


def test_few_blocks_are_not_run_and_each_says_why():
    left_out = [
        text.splitlines()[0]
        for page in PAGES
        for language, text in blocks(page)
        if language == "python" and text.startswith(NOT_RUN)
    ]
    assert len(left_out) <= MOST_NOT_RUN, left_out
    assert all(len(line) > len(NOT_RUN) + 10 for line in left_out)
