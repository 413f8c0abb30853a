"""The report in a real browser: no errors, no requests, every control works."""

import csv
import io
import json
import shutil
import time

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs
from stand_ins import k_choice, panel

import coterie
from coterie import SPCE

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not here")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        CHROMIUM is None or DRIVER is None,
        reason="chromium and chromedriver are not here (make setup installs them as "
        "root on Debian)",
    ),
]

SCRIPT = "<script>document.title='broken'</script>"
BOLD = "<b>u</b>"
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
X, Y = make_blobs(120, n_features=4, centers=3, cluster_std=6.0, random_state=0)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A report with everything in it, and names that would break a careless page."""
    frame = pd.DataFrame(X, columns=[SCRIPT, "b</script>", "c", "d"])
    frame.index = [SCRIPT, 'quo"te, </script>', *(f"s{i:03d}" for i in range(2, 120))]
    model = SPCE(3, n_members=8, random_state=0).fit(X)
    return coterie.report(
        model,
        frame,
        tmp_path_factory.mktemp("report") / "report.html",
        y=np.array([BOLD, "v", "w"])[Y],
        choice=k_choice(),
        title=f"Title {SCRIPT}",
    )


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    profile = tmp_path_factory.mktemp("profile")
    for flag in (*FLAGS, f"--user-data-dir={profile}", "--window-size=1400,1000"):
        options.add_argument(flag)
    options.set_capability(
        "goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"}
    )
    service = webdriver.ChromeService(executable_path=DRIVER)
    browser = webdriver.Chrome(options=options, service=service)
    yield browser
    browser.quit()


@pytest.fixture
def page(driver, path):
    driver.get_log("browser")
    driver.get_log("performance")
    driver.get(path.as_uri())
    wait(driver, lambda: driver.find_elements("css selector", "html[data-ready]"))
    yield driver
    assert driver.get_log("browser") == []
    assert requests(driver, path) == []


def wait(driver, ready, seconds=10):
    end = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < end, driver.get_log("browser")
        time.sleep(0.05)


def requests(driver, path):
    """Return what the page asked for, besides itself and what it holds."""
    events = [
        json.loads(e["message"])["message"] for e in driver.get_log("performance")
    ]
    asked = [
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
    ]
    own = ("data:", "blob:", "chrome:")  # the last: the empty tab before the page
    return [url for url in asked if url != path.as_uri() and not url.startswith(own)]


def find(page, selector):
    return page.find_element("css selector", selector)


def click(page, selector):
    page.execute_script("arguments[0].click()", find(page, selector))


def slide(page, selector, value):
    page.execute_script(
        "arguments[0].value = arguments[1];"
        "arguments[0].dispatchEvent(new Event('input', {bubbles: true}))",
        find(page, selector),
        value,
    )


def rows(page):
    """Return the cells of the rows of the table that are shown."""
    return page.execute_script(
        "return [...document.querySelectorAll('#table tbody tr')].map("
        "row => [...row.cells].map(cell => cell.textContent))"
    )


def column(page, name):
    names = page.execute_script(
        "return [...document.querySelectorAll('#table thead th')].map("
        "head => head.dataset.key)"
    )
    return [row[names.index(name)] for row in rows(page)]


def count(page):
    return find(page, "#place").text.split(" of ")[-1]


def dots(page):
    return int(find(page, "#map canvas").get_attribute("data-dots"))


def test_names_are_text(page):
    assert page.title == f"Title {SCRIPT}"
    assert find(page, "h1").text == f"Title {SCRIPT}"
    heads = [e.text for e in page.find_elements("css selector", ".features th.name")]
    assert SCRIPT in heads
    assert "b</script>" in heads
    slide(page, "#search", "<script>")
    assert column(page, "sample") == [SCRIPT]
    slide(page, "#search", BOLD)
    assert set(column(page, "known_class")) == {BOLD}
    assert len(page.find_elements("css selector", "script")) == 2
    assert not page.find_elements("css selector", "main b")


def test_figures_are_drawn(page):
    for figure in ("map", "matrix", "items", "agreement", "tracking"):
        painted = page.execute_script(
            "const canvas = document.querySelector(`#${arguments[0]} canvas`);"
            "const all = canvas.getContext('2d')"
            ".getImageData(0, 0, canvas.width, canvas.height).data;"
            "return new Set(new Uint32Array(all.buffer)).size",
            figure,
        )
        assert painted > 3, figure
    for figure in ("silhouette", "quality", "alluvial", "paced", "curves"):
        assert page.find_elements("css selector", f"#{figure} svg *"), figure
    assert len(page.find_elements("css selector", "#quality circle")) == 8
    bars = page.find_elements("css selector", ".histogram svg rect")
    assert len(bars) == 60
    links = [link.text for link in page.find_elements("css selector", "nav a")]
    assert links[:3] == ["Summary", "How many clusters", "Clusters"]


def test_pick_clusters(page):
    click(page, '.pick[data-cluster="1"]')
    assert find(page, '.pick[data-cluster="1"]').get_attribute("aria-pressed") == "true"
    sizes = page.execute_script(
        "return data.histograms.map(h => h.reduce((a, b) => a + b))"
    )
    assert set(column(page, "cluster")) == {"1"}
    assert count(page) == str(sizes[1])
    assert dots(page) == sizes[1]
    click(page, '.pick[data-cluster="2"]')
    assert count(page) == str(sizes[1] + sizes[2])
    click(page, '.pick[data-cluster="1"]')
    assert set(column(page, "cluster")) == {"2"}
    click(page, "#all")
    assert count(page) == "120"
    assert dots(page) == 120


def test_filter_by_confidence(page):
    sure = page.execute_script("return data.table.confidence")
    slide(page, "#from", 60)
    assert find(page, 'output[for="from"]').text == "0.60"
    assert count(page) == str(sum(c >= 600 for c in sure))
    slide(page, "#to", 90)
    expected = sum(600 <= c <= 900 for c in sure)
    assert dots(page) == expected
    assert f"{expected} of 120 samples match." in find(page, "#filtered").text
    click(page, "#all")
    click(page, "#doubtful")
    margin = page.execute_script("return data.table.margin")
    doubtful = sum(m < 100 for m in margin)
    assert 0 < doubtful < 120
    assert count(page) == str(doubtful)


def test_sort_and_turn_pages(page):
    click(page, '[data-key="confidence"] button')
    values = [float(v) for v in column(page, "confidence")]
    assert values == sorted(values)
    head = find(page, '[data-key="confidence"]')
    assert head.get_attribute("aria-sort") == "ascending"
    click(page, '[data-key="confidence"] button')
    values = [float(v) for v in column(page, "confidence")]
    assert values == sorted(values, reverse=True)
    click(page, '[data-key="sample"] button')
    names = column(page, "sample")
    click(page, "#following")
    assert find(page, "#place").text.startswith("26")
    assert set(names).isdisjoint(column(page, "sample"))
    click(page, "#previous")
    assert column(page, "sample") == names
    assert not find(page, "#previous").is_enabled()
    for key in ("cluster", "second", "margin", "item_consensus", "difficulty"):
        click(page, f'[data-key="{key}"] button')
        shown = column(page, key)
        values = [0.0 if v == "\u2013" else float(v) for v in shown]  # none: alone
        assert values == sorted(values), key


def test_search(page):
    slide(page, "#search", "S01")
    assert count(page) == "10"
    assert all(name.startswith("s01") for name in column(page, "sample"))
    slide(page, "#search", "nothing like it")
    assert find(page, "#place").text == "none"


def test_download(page, tmp_path):
    page.execute_cdp_cmd(
        "Browser.setDownloadBehavior",
        {"behavior": "allow", "downloadPath": str(tmp_path)},
    )
    click(page, '.pick[data-cluster="0"]')
    click(page, "#download")
    file = tmp_path / "samples.csv"
    wait(page, file.exists)
    wait(page, lambda: file.stat().st_size > 0)
    table = list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8"))))
    assert {row["cluster"] for row in table} == {"0"}
    assert len(table) == int(count(page))
    assert {"number", "name", "confidence", "second", "margin"} <= set(table[0])
    by_number = {int(row["number"]): row["name"] for row in table}
    names = page.execute_script(
        "return Object.fromEntries(data.table.sample.map("
        "(n, at) => [n, data.table.name[at]]))"
    )
    assert all(names[str(number)] == name for number, name in by_number.items())


def test_hover_and_click_a_sample(page):
    page.execute_script("document.querySelector('#map').scrollIntoView()")
    dot = page.execute_script(  # the one farthest from all others
        "const room = (a) => Math.min(...dots.filter((b) => b !== a)"
        ".map((b) => Math.hypot(a.x - b.x, a.y - b.y)));"
        "return dots.reduce((a, b) => (room(b) > room(a) ? b : a))"
    )
    event = (
        "const canvas = document.querySelector('#map canvas');"
        "const place = canvas.getBoundingClientRect();"
        "canvas.dispatchEvent(new MouseEvent(arguments[0], {bubbles: true,"
        " clientX: place.left + arguments[1].x, clientY: place.top + arguments[1].y}))"
    )
    page.execute_script(event, "pointermove", dot)
    tip = find(page, "#tip")
    assert tip.is_displayed()
    name = page.execute_script("return data.map.name[arguments[0]]", dot["at"])
    assert tip.text.startswith(name)
    assert "confidence" in tip.text
    page.execute_script(event, "click", dot)
    assert column(page, "sample") == [name]


def test_other_hovers(page):
    for selector in ("#matrix canvas", "#items canvas", "#agreement canvas"):
        page.execute_script(
            "const canvas = document.querySelector(arguments[0]);"
            "canvas.scrollIntoView({block: 'center'});"
            "const place = canvas.getBoundingClientRect();"
            "canvas.dispatchEvent(new MouseEvent('pointermove', {bubbles: true,"
            " clientX: place.left + 30, clientY: place.top + 40}))",
            selector,
        )
        tip = find(page, "#tip")
        assert tip.is_displayed()
        assert tip.text
        page.execute_script(
            "document.querySelector(arguments[0])"
            ".dispatchEvent(new MouseEvent('pointerleave'))",
            selector,
        )
        assert not tip.is_displayed()


def test_members_colours_and_theme(page):
    before = find(page, "#alluvial svg").get_attribute("aria-label")
    page.execute_script(
        "const box = document.querySelector('#member'); box.value = '3';"
        "box.dispatchEvent(new Event('change'))"
    )
    assert find(page, "#alluvial svg").get_attribute("aria-label") != before
    for by in ("confidence", "known", "cluster"):
        page.execute_script(
            "const box = document.querySelector('#color'); box.value = arguments[0];"
            "box.dispatchEvent(new Event('change'))",
            by,
        )
        assert dots(page) == 120
    background = "return getComputedStyle(document.body).backgroundColor"
    light = page.execute_script(background)
    click(page, "#theme")
    assert find(page, "html").get_attribute("data-theme") == "dark"
    assert page.execute_script(background) != light
    click(page, "#theme")
    page.execute_script("window.print = () => { window.printed = true }")
    click(page, "#print")
    assert page.execute_script("return window.printed")
    click(page, "#members details summary")
    assert find(page, "#members details table").is_displayed()


@pytest.mark.parametrize("width", [390, 1400])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_and_follows_the_system(page, width, theme):
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    feature = {"name": "prefers-color-scheme", "value": theme}
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    page.refresh()
    wait(page, lambda: page.find_elements("css selector", "html[data-ready]"))
    wide = page.execute_script("return document.documentElement.scrollWidth")
    assert wide <= width
    assert find(page, "html").get_attribute("data-theme") == theme
    over = page.execute_script(
        "return [...document.querySelectorAll('.figure svg, .figure canvas')].filter("
        "f => f.getBoundingClientRect().right > innerWidth).length"
    )
    assert over == 0
    page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_kinds_fit_a_narrow_page(driver, tmp_path):
    path = coterie.report(panel(X), X, tmp_path / "kinds.html")
    size = {"width": 390, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    driver.get(path.as_uri())
    wait(driver, lambda: driver.find_elements("css selector", "html[data-ready]"))
    wide = driver.execute_script("return document.documentElement.scrollWidth")
    assert wide <= 390
    links = [link.text for link in driver.find_elements("css selector", "nav a")]
    assert links[2] == "Which kinds of clustering agree"
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_it_prints(page):
    document = page.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
    assert len(document["data"]) > 50_000
