"""The pictures of ``docs/answers.md``: plots of the digits, and the report.

``python -m experiments.answers_pictures`` writes ``docs/images/answers.png`` and, where
Chromium and selenium are, ``docs/images/report.png``.
"""

import shutil
import tempfile
from pathlib import Path

from matplotlib.figure import Figure
from PIL import Image
from sklearn.datasets import load_digits

import coterie
from coterie import plot
from coterie.answers import Explanation

FOLDER = Path(__file__).parents[1] / "docs" / "images"


def plots(found: Explanation, X: object, y: object) -> None:
    figure = Figure(figsize=(15, 9), layout="constrained")
    panels = figure.subplots(2, 3).ravel()
    plot.consensus_matrix(found, annotations={"digit": y}, ax=panels[0])
    plot.sample_map(found, ax=panels[1])
    plot.silhouette(found, X, ax=panels[2])
    plot.cluster_consensus(found, ax=panels[3])
    plot.quality_diversity(found, ax=panels[4])
    plot.alluvial(found, (5,), ax=panels[5])
    save(figure, FOLDER / "answers.png")


def save(figure: Figure, path: Path, dpi: int = 64) -> None:
    figure.savefig(path, dpi=dpi)
    Image.open(path).convert("RGB").quantize(96).save(path, optimize=True)
    print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


def picture_of(report: Path) -> None:
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    profile = tempfile.mkdtemp()
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu"):
        options.add_argument(flag)
    options.add_argument(f"--user-data-dir={profile}")
    service = webdriver.ChromeService(executable_path=shutil.which("chromedriver"))
    browser = webdriver.Chrome(options=options, service=service)
    size = {"width": 1240, "height": 2050, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get(report.as_uri())
    path = FOLDER / "report.png"
    browser.save_screenshot(str(path))
    browser.quit()
    shutil.rmtree(profile, ignore_errors=True)
    image = Image.open(path).convert("RGB")
    image = image.resize((620, round(620 * image.height / image.width)), Image.LANCZOS)
    image.quantize(160).save(path, optimize=True)
    print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


def main() -> None:
    X, y = load_digits(return_X_y=True)
    model = coterie.EnsembleClustering(10, random_state=0).fit(X)
    found = coterie.explain(model)
    plots(found, X, y)
    if shutil.which("chromedriver"):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "report.html"
            picture_of(coterie.report(model, X, path, y=y))


if __name__ == "__main__":
    main()
