"""The review page in a real browser: answers by keyboard with undo, on disk before the next question, a killed
server and a second start, the page without a server, hostile names, both colour schemes, the width of a phone.

Screenshots go to build/screenshots. Needs Debian's chromium; without it the tests are skipped."""

import csv
import re
import signal
import subprocess

import pytest

from browser_support import CHROMIUM, HOSTILE, MARKS, MULBERRY, SHOTS, mulberry, sync_api

pytestmark = MARKS
READING = ("--text", "body", "--label-list", "tags", "--id", "id")


class Server:
    """`mulberry review` in a folder, until it is killed."""

    def __init__(self, folder, *words):
        self.process = subprocess.Popen([MULBERRY, "review", *words], cwd=folder, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.address = None
        for line in self.process.stdout:
            if found := re.search(r"http://\S+", line):
                self.address = found[0]
            if line.startswith("Answers go"):
                break
        assert self.address, self.process.stderr.read()

    @property
    def port(self):
        return re.search(r":(\d+)/", self.address)[1]

    def kill(self):
        self.process.kill()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        one = playwright.chromium.launch(executable_path=CHROMIUM, args=[
            "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", "--disable-sync", "--disable-domain-reliability"])
        yield one
        one.close()


class Visit:
    """A page that fails the test if it logs an error, opens a dialog, or asks anyone but its own server."""

    def __init__(self, browser, address, width=1200, faults_allowed=False, **options):
        self.context = browser.new_context(viewport={"width": width, "height": 850}, **options)
        self.page = self.context.new_page()
        self.faults, self.allowed = [], faults_allowed
        own = ("file:", "data:", "blob:", re.match(r"\w+://[^/]*/", address)[0])
        self.page.on("console", lambda m: self.faults.append(m.text) if m.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda e: self.faults.append(str(e)))
        self.page.on("dialog", lambda d: (self.faults.append("dialog: " + d.message), d.accept()))
        self.page.on("request", lambda r: self.faults.append(r.url) if not r.url.startswith(own) else None)
        self.page.goto(address)
        self.page.wait_for_selector("body[data-ready]", state="attached")

    def __enter__(self):
        return self.page

    def __exit__(self, kind, *_):
        self.context.close()
        if kind is None and not self.allowed:
            assert self.faults == []


def number(page):
    return page.evaluate("document.body.dataset.question")


def other_than(page, question):
    """Waits for another question; a script of ours for it would be against the policy of the page."""
    page.wait_for_selector(f"body:not([data-question='{question}'])", state="attached")


def press(page, key):
    """Presses a key and waits for another question."""
    before = number(page)
    page.keyboard.press(key)
    other_than(page, before)
    return number(page)


def lines(path):
    with open(path, newline="") as file:
        return list(csv.reader(file))[1:]


@pytest.fixture()
def folder(tmp_path):
    mulberry(tmp_path, "generate", "tagged-text", "--rows", "300", "-o", "notes.csv")
    mulberry(tmp_path, "hide", "notes.csv", *READING, "--share", "0.4", "-o", "hidden.csv")
    return tmp_path


def test_answers_by_keyboard_with_undo(browser, folder):
    changes = folder / "hidden.changes.csv"
    with Server(folder, "hidden.csv", *READING, "--top", "8") as server, Visit(browser, server.address) as page:
        assert page.locator("#review-title .asked").count() == 1
        first = page.locator("#review-title").inner_text()
        press(page, "y")
        assert [line[3] for line in lines(changes)] == ["1"]
        press(page, "ArrowLeft")
        press(page, "s")
        assert [line[3] for line in lines(changes)] == ["1", "0", ""]
        for _ in range(3):
            press(page, "u")
        assert lines(changes) == []
        assert page.locator("#review-title").inner_text() == first
        assert page.locator("button.undo").is_disabled()
        # A key that is held down answers once, and shortcuts of the browser answer nothing.
        page.evaluate("""() => {
          for (const more of [{repeat: true}, {ctrlKey: true}, {metaKey: true}, {altKey: true}]) {
            document.dispatchEvent(new KeyboardEvent("keydown", {key: "y", bubbles: true, ...more}));
          }
        }""")
        page.wait_for_timeout(200)
        assert lines(changes) == []
        page.locator("button.yes").click()
        other_than(page, "0")
        # To the end, the skipped one again, and the command that applies the answers.
        press(page, "s")
        while number(page) != "end":
            press(page, "n")
        assert "Done" in page.locator("#review-title").inner_text()
        shot(page, "review-end")
        page.get_by_text("Look at the 1 skipped again").click()
        other_than(page, "end")
        assert press(page, "y") == "end"
        command = page.locator("pre code").inner_text()
    done = subprocess.run(command.replace("mulberry", MULBERRY, 1), shell=True, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "2 added, 6 confirmed, 1 undecided" in done.stdout
    assert (folder / "hidden-corrected.csv").exists() and (folder / "hidden-log.csv").exists()


def test_a_killed_server_loses_nothing(browser, folder):
    changes = folder / "hidden.changes.csv"
    with Server(folder, "hidden.csv", *READING, "--top", "12") as server:
        with Visit(browser, server.address, faults_allowed=True) as page:
            for key in "yny":
                press(page, key)
            before = lines(changes)
            assert len(before) == 3
            server.kill()
            page.keyboard.press("y")
            page.get_by_text("The server does not answer").wait_for()
            assert lines(changes) == before
            # A new one on the same port has another token; the old page says so.
            with Server(folder, "hidden.csv", *READING, "--top", "12", "--port", server.port) as again:
                page.get_by_role("button", name="Try again").click()
                page.get_by_text("The server was started again").wait_for()
                assert lines(changes) == before
                with Visit(browser, again.address) as second:
                    assert second.locator(".counts").inner_text().startswith("3 of 12")
                    assert press(second, "y") != "0"
                    assert len(lines(changes)) == 4
                again.process.send_signal(signal.SIGINT)
                assert again.process.wait(timeout=2) == 0


def test_two_pages_do_not_answer_twice(browser, folder):
    changes = folder / "hidden.changes.csv"
    with Server(folder, "hidden.csv", *READING, "--top", "6") as server:
        with Visit(browser, server.address) as one, Visit(browser, server.address, faults_allowed=True) as two:
            press(one, "y")
            press(two, "n")  # refused: it shows what is next instead
            assert [line[3] for line in lines(changes)] == ["1"]
            assert number(two) == number(one)


def test_the_page_without_a_server(browser, folder):
    mulberry(folder, "review", "hidden.csv", *READING, "--top", "6", "--static", "page.html")
    address = (folder / "page.html").as_uri()
    with Visit(browser, address) as page:
        for key in "ysn":
            press(page, key)
        press(page, "u")
        page.wait_for_timeout(200)  # the browser hands over what a page stores a moment later
        page.reload()  # answers stay in the browser
        sync_api.expect(page.locator(".counts")).to_contain_text("2 of 6")
        press(page, "n")
        with page.expect_download() as got:
            page.get_by_role("button", name="Download the answers").first.click()
        assert got.value.suggested_filename == "hidden.changes.csv"
        got.value.save_as(folder / "answers.csv")
        assert [line[3] for line in lines(folder / "answers.csv")] == ["1", "", "0"]
    done = mulberry(folder, "convert", "hidden.csv", *READING, "--apply", "answers.csv", "-o", "out.csv")
    assert "1 added, 1 confirmed, 1 undecided" in done


def hostile(folder, rows=60):
    """Texts, ids and labels that are attacks, and very long."""
    labels = [HOSTILE, "'\"&<b>bold</b>", "\u202eright to left", "x" * 300, "שלום"]
    with open(folder / "hostile.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["id", "body", "tags"])
        for k in range(rows):
            mine = [labels[k % 5]] + ([labels[(k + 1) % 5]] if k % 3 else [])
            words = " ".join(f"word{labels.index(label)}" for label in mine)
            table.writerow([f"<i>{k}</i>", f"{words} {HOSTILE} <img src=x onerror=alert(2)> {'long' * 60}",
                            "|".join(mine if k % 7 else mine[:1])])
    return ("hostile.csv", "--text", "body", "--label-list", "tags", "--label-separator", "|", "--id", "id")


def test_hostile_names_are_only_text(browser, tmp_path):
    data = hostile(tmp_path)
    mulberry(tmp_path, "review", *data, "--top", "15", "--static", "page.html")
    with Visit(browser, (tmp_path / "page.html").as_uri()) as page:
        seen = set()
        while number(page) != "end":
            seen.add(page.locator(".asked").text_content())
            assert page.locator("img, main script, #review i:not(.here):not(.usual), main b b").count() == 0
            press(page, "y")
        assert HOSTILE in seen
    with Server(tmp_path, *data, "--top", "15", "--suspicious") as server, Visit(browser, server.address) as page:
        press(page, "n")
        assert "<img" in page.locator(".prose").inner_text()


def shot(page, name):
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SHOTS / f"{name}.png")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 390])
def test_looks(browser, folder, width, scheme):
    mulberry(folder, "generate", "photos", "-o", "photos.arff")
    mulberry(folder, "hide", "photos.arff", "-o", "dark.arff")
    pages = {"text": ("hidden.csv", *READING), "photos": ("dark.arff",),
             "doubted": ("photos.arff", "--suspicious"), "hostile": hostile(folder)}
    for name, data in pages.items():
        mulberry(folder, "review", *data, "--top", "20", "--static", "page.html")
        with Visit(browser, (folder / "page.html").as_uri(), width=width, color_scheme=scheme) as page:
            press(page, "y")
            press(page, "n")
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
            for button in page.locator(".answers button").all():
                box = button.bounding_box()
                assert 0 <= box["x"] and box["x"] + box["width"] <= width and box["y"] + box["height"] <= 850, name
                assert box["height"] >= 40
            shot(page, f"review-{name}-{'phone' if width < 500 else 'wide'}-{scheme}")


def test_is_accessible(browser, folder):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    mulberry(folder, "review", "hidden.csv", *READING, "--top", "4", "--static", "page.html")
    for scheme in ("light", "dark"):
        with Visit(browser, (folder / "page.html").as_uri(), color_scheme=scheme) as page:
            while True:
                faults = [v for v in axe.run(page).response["violations"] if v["impact"] in ("serious", "critical")]
                assert faults == [], [(v["id"], [n["html"] for n in v["nodes"]]) for v in faults]
                if number(page) == "end":
                    break
                press(page, "y")
