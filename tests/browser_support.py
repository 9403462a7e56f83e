"""What the tests in a browser share: where things are, and when they can run."""

import os
import pathlib
import shutil
import subprocess

import pytest

SOURCE = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("MULBERRY_BUILD", SOURCE / "build"))
MULBERRY = os.environ.get("MULBERRY", str(BUILD / "mulberry"))
SHOTS = BUILD / "screenshots"
CHROMIUM = shutil.which("chromium")
HOSTILE = "</script><script>alert(1)</script>"

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
MARKS = [
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium: make packages-browser installs it"),
    pytest.mark.xdist_group("browser"),  # one browser at a time
]


def mulberry(folder, *words):
    done = subprocess.run([MULBERRY, *words], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with sync_api.sync_playwright() as playwright:
        one = playwright.chromium.launch(executable_path=CHROMIUM, args=[
            "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", "--disable-sync", "--disable-domain-reliability"])
        yield one
        one.close()


class Visit:
    """A page that fails the test if it logs an error, asks for the network or opens a dialog."""

    def __init__(self, browser, path, **options):
        self.context = browser.new_context(viewport={"width": 1200, "height": 900}, **options)
        self.page = self.context.new_page()
        self.faults = []
        self.page.on("console", lambda m: self.faults.append(m.text) if m.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda e: self.faults.append(str(e)))
        self.page.on("dialog", lambda d: self.faults.append("dialog: " + d.message))
        self.page.on("request", lambda r: self.faults.append(r.url)
                     if not r.url.startswith(("file:", "data:", "blob:")) else None)
        self.page.goto(path.as_uri())

    def __enter__(self):
        return self.page

    def __exit__(self, kind, *_):
        self.context.close()
        if kind is None:
            assert self.faults == [], self.faults
