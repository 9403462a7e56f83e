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
