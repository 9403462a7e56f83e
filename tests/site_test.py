"""The documentation as `make docs` leaves it, in a real browser: pages open without an error and without the
network, links lead on, pictures are drawn, the search finds a page.

Skipped where the site was not built; scripts/docs.sh runs it."""

import pytest

from browser_support import BUILD, MARKS, SHOTS, Visit, browser  # noqa: F401

SITE = BUILD / "site/html"
pytestmark = [*MARKS, pytest.mark.skipif(not (SITE / "index.html").exists(),
                                         reason="the site was not built: make docs builds it")]
PAGES = ["index.html", "docs/python.html", "docs/reference.html", "docs/tasks/pipelines.html", "gallery/index.html"]
GALLERY = sorted(path.relative_to(SITE).as_posix() for path in (SITE / "gallery").glob("plot_*.html"))
# Every picture of a page has arrived, though it is far below.
DRAWN = """async () => {
  const pictures = [...document.querySelectorAll('article img')];
  pictures.forEach(picture => { picture.loading = 'eager'; });
  await Promise.all(pictures.map(picture => picture.decode().catch(() => null)));
  return pictures.map(picture => [picture.getAttribute('src'), picture.naturalWidth]);
}"""


@pytest.mark.parametrize("name", PAGES)
def test_pages_open_without_an_error(browser, name):
    with Visit(browser, SITE / name) as page:
        assert page.locator("h1").count() == 1
        assert all(width > 0 for _, width in page.evaluate(DRAWN))
        assert page.locator("a[href]").count() > 10
        page.set_viewport_size({"width": 390, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth <= 390")  # what is wide scrolls by itself


def test_links_lead_from_page_to_page(browser):
    """From the first page to the guide, to a place in it, and to a class with its parameters."""
    with Visit(browser, SITE / "index.html") as page:
        menu = page.locator(".sidebar-tree")
        names = menu.locator("a.reference.internal").all_inner_texts()
        assert len(names) > 10
        menu.get_by_role("link", name="Mulberry from Python").first.click()
        page.wait_for_url("**/docs/python.html")
        assert page.locator("h1").inner_text().startswith("Mulberry from Python")
        page.locator('article a[href="#large-x"]').first.click()
        page.wait_for_function("document.querySelector('#large-x').getBoundingClientRect().top < 450")


def test_the_gallery_has_its_pictures(browser):
    assert len(GALLERY) == 6
    with Visit(browser, SITE / "gallery/index.html") as page:
        cards = page.locator(".sphx-glr-thumbcontainer")
        assert cards.count() == len(GALLERY)
        assert all(width > 100 for _, width in page.evaluate(DRAWN))
        cards.first.locator("a").first.click()
        page.wait_for_url("**/gallery/plot_*.html")
        assert page.locator("h1").count() == 1


@pytest.mark.parametrize("name", GALLERY)
def test_a_page_of_the_gallery_was_run(browser, name):
    with Visit(browser, SITE / name) as page:
        pictures = page.evaluate(DRAWN)
        drawn = [width for source, width in pictures if "sphx_glr" in source]
        assert drawn and min(drawn) > 100
        assert page.locator("article .highlight-Python, article .highlight-default").count() > 0
        if name == GALLERY[0]:
            SHOTS.mkdir(exist_ok=True)
            page.screenshot(path=SHOTS / "site-gallery.png")


def test_the_search_finds_a_learner(browser):
    with Visit(browser, SITE / "search.html") as page:
        page.locator("article input[name=q], input.sidebar-search").first.fill("chains")
        page.keyboard.press("Enter")
        page.wait_for_url("**q=chains*")
        page.wait_for_selector("ul.search li a")
        assert page.locator("ul.search li a").count() > 3
