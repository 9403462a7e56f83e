"""Every kind of report in a real browser: it opens without an error and without the network, its controls
work, it is accessible, and it has the numbers of the command.

Screenshots go to build/screenshots: every report in light and dark and at the width of a phone. The two of
README.md are among them; `MULBERRY_README=1` copies those to docs/. Needs Debian's chromium (`make packages-browser`);
without it the tests are skipped."""

import json
import math
import os
import pathlib
import shutil

import pytest

from browser_support import HOSTILE, MARKS, SHOTS, SOURCE, Visit, browser, mulberry  # noqa: F401

pytestmark = MARKS
NAMES = [HOSTILE, '"quoted" \'name\'', "\u202eright to left", "שלום עולם", "tab\tand\x01control", "<b>bold</b>", "&amp;",
         "日本語のラベル", "a" * 300]


def write_hostile(path, names, rows=60):
    """A CSV file whose names are attacks; a few features and labels that follow them."""
    def quoted(text):
        return '"' + text.replace('"', '""') + '"'
    lines = [",".join(quoted(f"{kind}: {name}") for kind in ("feature", "label") for name in names)]
    for i in range(rows):
        values = [((i * 7 + k * 3) % 11) / 10 for k in range(len(names))]
        lines.append(",".join([f"{v}" for v in values] + [str(int(v > 0.4 + 0.05 * k)) for k, v in enumerate(values)]))
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """One report of every kind, by name."""
    folder = tmp_path_factory.mktemp("reports")
    run = lambda *words: mulberry(folder, *words)  # noqa: E731
    run("generate", "photos", "-o", "photos.arff")
    run("generate", "cars", "-o", "cars.arff")
    run("split", "photos.arff", "--holdout", "0.25", "--seed", "1", "-o", "photos")
    run("split", "cars.arff", "--holdout", "0.25", "--seed", "1", "-o", "cars")
    run("report", "photos.arff", "-o", "data.html", "--quiet")
    run("fit", "br_logistic", "photos-train.arff", "-o", "photos.mb", "--quiet")
    run("report", "photos.mb", "--data", "photos-test.arff", "-o", "model.html", "--quiet")
    run("fit", "forest(trees=20)", "photos-train.arff", "-o", "forest.mb", "--quiet")
    run("report", "forest.mb", "--data", "photos-test.arff", "-o", "forest.html", "--quiet")
    run("fit", "mahr(rounds=60, kappa=0)", "photos-train.arff", "-o", "mahr.mb", "--quiet")
    run("report", "mahr.mb", "--data", "photos-test.arff", "-o", "mahr.html", "--quiet")
    run("fit", "dsml(rounds=5)", "cars-train.arff", "-o", "cars.mb", "--scale", "standardise", "--quiet")
    run("report", "cars.mb", "--data", "cars-test.arff", "-o", "sets.html", "--quiet")
    run("cv", "br_logistic", "ml_knn", "br(base=prior)", "photos.arff", "--folds", "3", "--intervals", "--quiet",
        "--report", "cv.html")
    run("cv", "ml_knn", "photos.arff", "--folds", "3", "--over", "k=3,10,30", "--quiet", "--report", "over.html")
    run("cv", "br_logistic", "ml_knn", "photos-train.arff", "photos-test.arff", "--folds", "2", "--quiet",
        "--report", "cv-sets.html")
    run("tune", "ml_knn", "photos.arff", "--measure", "micro_f1", "--trials", "6", "--folds", "2", "--quiet",
        "--report", "tune.html")
    (folder / "study.toml").write_text(
        '[[data]]\npath = "photos-train.arff"\n[[data]]\npath = "photos-test.arff"\n[learners]\nknn = "ml_knn"\n'
        'logistic = "br_logistic"\n[protocol]\nfolds = 2\n[measures]\nnames = ["macro_f1", "ranking_loss"]\n')
    run("run", "study.toml", "--work", "cells", "--quiet", "--report", "study.html")
    run("relations", "photos.arff", "--learner", "mahr(rounds=60, kappa=0)", "--repeats", "3", "--quiet",
        "--report", "relations.html")
    write_hostile(folder / "hostile.csv", NAMES)
    labels = ("--label-prefix", "label: ")
    run("report", "hostile.csv", "-o", "hostile-data.html", "--quiet", *labels)
    run("fit", "mahr(rounds=10)", "hostile.csv", "-o", "hostile.mb", "--quiet", *labels)
    run("report", "hostile.mb", "--data", "hostile.csv", "-o", "hostile-model.html", "--quiet", *labels)
    run("generate", "linear", "--rows", "300", "--features", "12", "--labels", "1", "--cardinality", "0.4",
        "-o", "one.npz")
    run("fit", "br_logistic", "one.npz", "-o", "one.mb", "--quiet")
    run("report", "one.mb", "--data", "one.npz", "-o", "one.html", "--quiet")
    run("generate", "linear", "--rows", "400", "--features", "10", "--labels", "1000", "--cardinality", "20",
        "-o", "many.npz")
    run("report", "many.npz", "-o", "many-data.html", "--quiet")
    run("fit", "br(base=prior)", "many.npz", "-o", "many.mb", "--quiet")
    run("report", "many.mb", "--data", "many.npz", "-o", "many-model.html", "--quiet")
    (folder / "empty.csv").write_text("f1,f2,l1,l2\n")
    run("report", "empty.csv", "--label-columns", "l1,l2", "-o", "empty.html", "--quiet")
    return {path.stem: path for path in sorted(folder.glob("*.html"))}


KINDS = ["data", "model", "forest", "mahr", "sets", "cv", "over", "cv-sets", "tune", "study", "relations",
         "hostile-data", "hostile-model", "one", "many-data", "many-model", "empty"]


def test_every_kind_is_here(pages):
    assert set(KINDS) <= set(pages)


@pytest.mark.parametrize("kind", KINDS)
def test_opens_without_an_error_or_a_request(browser, pages, kind):
    with Visit(browser, pages[kind]) as page:
        assert page.locator("h1").count() == 1
        assert page.locator("section").count() >= 1
        # Every table that the page promises is drawn, and no picture lacks words.
        for place in page.locator("[data-table]").all():
            assert place.locator("table").count() == 1
        assert page.locator("svg[role=img]:not([aria-label])").count() == 0
        # Nothing is wider than the page, whatever its names: what is wide scrolls by itself.
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert pages[kind].stat().st_size < 5e6


# In a browser a page costs seconds: `make test` looks at some, MULBERRY_BROWSER=all at every one.
LOOKED_AT = KINDS if os.environ.get("MULBERRY_BROWSER") else ["data", "model", "cv", "relations", "hostile-model"]


@pytest.mark.parametrize("kind", LOOKED_AT)
def test_screenshots_and_accessibility(browser, pages, kind):
    axe = pytest.importorskip("axe_playwright_python")
    script = (pathlib.Path(axe.__file__).parent / "axe.min.js").read_text()
    SHOTS.mkdir(exist_ok=True)
    for scheme in ("light", "dark"):
        with Visit(browser, pages[kind], color_scheme=scheme, bypass_csp=True) as page:
            page.screenshot(path=SHOTS / f"{kind}-{scheme}.png", full_page=kind != "many-model")
            page.evaluate(script)
            found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
            serious = [(v["id"], [n["html"][:200] for n in v["nodes"][:3]]) for v in found
                       if v["impact"] in ("serious", "critical")]
            assert serious == []
    with Visit(browser, pages[kind], color_scheme="light") as page:
        page.set_viewport_size({"width": 390, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth <= 390")
        page.screenshot(path=SHOTS / f"{kind}-phone.png", full_page=kind != "many-model")


def test_long_names_do_not_fill_a_phone(browser, pages):
    with Visit(browser, pages["hostile-model"]) as page:
        page.set_viewport_size({"width": 390, "height": 844})
        heights = page.evaluate("""[...document.querySelectorAll('[data-table="labels"] tbody tr')]
                                   .map(row => row.getBoundingClientRect().height)""")
        assert len(heights) > 5 and max(heights) < 200
        whole = page.evaluate("""[...document.querySelectorAll('[data-table="labels"] tbody td[title]')]
                                 .map(cell => cell.title)""")
        assert whole == ["label: " + "a" * 300]


def first_column(page, table):
    return page.locator(f'[data-table="{table}"] tbody tr td:first-child').all_inner_texts()


def test_tables_sort_and_search(browser, pages):
    with Visit(browser, pages["data"]) as page:
        rows = first_column(page, "labels")
        page.locator('[data-table="features"] th button', has_text="mean").click()
        heads = page.locator('[data-table="features"] th[aria-sort="descending"]')
        assert heads.inner_text().strip().startswith("mean")
        label = page.locator('[data-table="labels"] th button', has_text="label")
        label.focus()
        page.keyboard.press("Enter")  # the keyboard sorts as well
        assert first_column(page, "labels") == sorted(rows, key=str.lower)
        label.click()
        assert first_column(page, "labels") == sorted(rows, key=str.lower, reverse=True)
    with Visit(browser, pages["many-data"]) as page:
        assert len(first_column(page, "labels")) == 25
        page.locator('[data-table="labels"] button', has_text="Show more").click()
        assert len(first_column(page, "labels")) == 100
        search = page.locator('[data-table="labels"] input[type=search]')
        search.fill("999")
        assert all("999" in name for name in first_column(page, "labels"))
        assert len(first_column(page, "labels")) >= 1
        search.fill("no such label")
        assert first_column(page, "labels") == []


def test_choosing_a_label_draws_its_curves(browser, pages):
    with Visit(browser, pages["model"]) as page:
        detail = page.locator("#label-detail")
        assert detail.locator("svg.chart").count() == 4  # precision and recall, ROC, calibration, scores
        row = page.locator('[data-table="labels"] tbody tr').nth(3)
        name = row.locator("td").first.inner_text()
        row.locator("button.name").focus()
        page.keyboard.press("Enter")
        assert detail.locator("h3").inner_text() == name
        assert row.get_attribute("aria-selected") == "true"
        chart = detail.locator("svg.chart").first
        chart.scroll_into_view_if_needed()
        chart.hover()
        tip = page.locator(".tip")
        assert tip.is_visible() and "precision" in tip.inner_text()
        detail.locator("summary").click()
        detail.locator("table").nth(1).wait_for()
        assert detail.locator("table").count() == 2
    with Visit(browser, pages["many-model"]) as page:
        page.locator('[data-table="labels"] tbody tr').nth(20).click()
        assert page.locator("#label-detail svg.chart").count() >= 2


def test_the_slider_thins_out_the_graph(browser, pages):
    with Visit(browser, pages["relations"]) as page:
        shown = lambda: page.locator("#relations-graph [data-arrow]:visible").count()  # noqa: E731
        slider = page.locator("#relations-least")
        before = shown()
        slider.evaluate("s => { s.value = s.min; s.dispatchEvent(new Event('input')); }")
        most = shown()
        slider.evaluate("s => { s.value = s.max; s.dispatchEvent(new Event('input')); }")
        fewest = shown()
        assert fewest <= before <= most and fewest < most
        slider.focus()
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("Home")
        assert shown() == most
        label = page.locator("#relations-graph [data-label]").first
        label.locator("circle").hover()
        assert "helps" in page.locator(".tip").inner_text()
        label.focus()
        page.keyboard.press("Enter")
        assert label.get_attribute("aria-pressed") == "true"
        alone = shown()
        assert 0 < alone < most
        rows = page.locator('[data-table="arrows"] tbody tr').count()
        assert rows == min(10, alone // 2)  # each arrow is a line and a head
        page.keyboard.press("Enter")
        assert shown() == most
        arrow = page.locator("#relations-graph [data-arrow] polygon:visible").first
        arrow.hover(force=True)
        assert "score" in page.locator(".tip").inner_text()
        assert "seen again" in page.locator(".tip").inner_text()


def test_hostile_names_stay_text(browser, pages):
    for kind in ("hostile-data", "hostile-model"):
        with Visit(browser, pages[kind]) as page:
            assert page.locator("b", has_text="bold").count() == 0
            assert page.get_by_text(HOSTILE).count() > 0
            assert page.evaluate("document.scripts.length") <= 5
            page.locator('[data-table="labels"] input[type=search], [data-table="labels"] th button').first.click()


def test_prints(browser, pages, tmp_path):
    with Visit(browser, pages["model"]) as page:
        page.pdf(path=tmp_path / "model.pdf", format="A4", print_background=True)
        assert (tmp_path / "model.pdf").stat().st_size > 20000
        page.emulate_media(media="print")
        assert not page.locator(".contents").is_visible()


def test_numbers_are_those_of_score(browser, pages):
    folder = pages["model"].parent
    scored = json.loads(mulberry(folder, "score", "photos.mb", "photos-test.arff", "--json", "--intervals", "--quiet"))
    with Visit(browser, pages["model"]) as page:
        page.locator("#measures summary").click()
        table = page.evaluate("mulberry.specs.measures")
        shown = {row[0]: row[1] for row in table["rows"]}
        intervals = {row[0]: row[2:4] for row in table["rows"]}
        texts = dict(zip(*[page.locator(f'[data-table="measures"] tbody td:nth-child({k})').all_inner_texts()
                           for k in (1, 2)]))
    assert shown == scored["measures"]
    for name, limits in scored["intervals"].items():
        assert intervals[name] == limits
    for name, text in texts.items():
        assert math.isclose(float(text.replace("−", "-")), scored["measures"][name], abs_tol=6e-5)


def test_screenshots_of_the_readme(browser, pages):
    """Two pictures of 1200 x 750, small enough for a repository."""
    SHOTS.mkdir(exist_ok=True)
    for kind, anchor, name in (("model", "labels", "report-model"), ("relations", "graph", "report-relations")):
        with Visit(browser, pages[kind], color_scheme="light") as page:
            page.set_viewport_size({"width": 1200, "height": 780})
            page.locator(f"#{anchor}").evaluate("s => window.scrollTo(0, s.offsetTop - 60)")
            page.screenshot(path=SHOTS / f"{name}.png")
        assert (SHOTS / f"{name}.png").stat().st_size < 150_000
        if os.environ.get("MULBERRY_README"):
            shutil.copy(SHOTS / f"{name}.png", SOURCE / "docs" / f"{name}.png")
