"""Long computations: interrupted, next to other threads, after fork, with a progress bar."""

import io
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from mulberry import BR, MLkNN, RML, AdaBoostMH, Logistic, datasets
from mulberry._progress import Progress

LONG_FIT = """
import signal, sys, time
import numpy as np
from mulberry import AdaBoostMH
signal.signal(signal.SIGINT, signal.default_int_handler)  # a parent may have ignored it
rng = np.random.default_rng(0)
X, Y = rng.normal(size=(4000, 50)), rng.integers(2, size=(4000, 20))
model = AdaBoostMH(rounds=1000000, n_jobs=2)
print("ready", flush=True)
try:
    model.fit(X, Y)
except KeyboardInterrupt:
    print("stopped", time.time(), hasattr(model, "classes_"), flush=True)
"""


def test_ctrl_c_stops_a_fit():
    words = [sys.executable, "-c", LONG_FIT]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout.readline() == "ready\n"
        time.sleep(1)
        sent = time.time()
        run.send_signal(signal.SIGINT)
        word, when, fitted = run.stdout.readline().split()
        assert (word, fitted) == ("stopped", "False")
        assert float(when) - sent < 15  # a tenth of a second, unless the machine is busy
        assert run.wait(timeout=60) == 0


def slow_data(rows=3000):
    rng = np.random.default_rng(0)
    return rng.normal(size=(rows, 40)), rng.integers(2, size=(rows, 6))


def test_other_threads_run_meanwhile():
    """A fit that held the GIL would let this thread look at it once or twice, not often."""
    X, Y = slow_data()
    worker = threading.Thread(target=AdaBoostMH(rounds=500).fit, args=(X, Y))
    looks = 0
    worker.start()
    while worker.is_alive():
        looks += 1
        time.sleep(0.001)
    assert looks > 10


def test_fits_in_several_threads(photos):
    expected = RML().fit(photos.X, photos.Y).raw_scores(photos.X)
    found = [None] * 3

    def work(k):
        found[k] = RML(n_jobs=2).fit(photos.X, photos.Y).raw_scores(photos.X)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for scores in found:
        np.testing.assert_array_equal(scores, expected)


@pytest.mark.filterwarnings("ignore:.*fork.*")
@pytest.mark.parametrize("learner", [MLkNN, RML], ids=lambda c: c.__name__)
def test_after_fork(photos, learner):
    model = learner(n_jobs=2).fit(photos.X, photos.Y)
    expected = model.raw_scores(photos.X)
    child = os.fork()
    if child == 0:
        try:
            again = learner(n_jobs=2).fit(photos.X, photos.Y)
            same = (again.raw_scores(photos.X) == expected).all()
            same = same and (model.raw_scores(photos.X) == expected).all()
            os._exit(0 if same else 1)
        except BaseException:  # noqa: BLE001: the child must end here whatever happens
            os._exit(2)
    deadline = time.monotonic() + 300
    while (done := os.waitpid(child, os.WNOHANG)) == (0, 0) and time.monotonic() < deadline:
        time.sleep(0.05)
    if done == (0, 0):
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert done[0] == child and os.waitstatus_to_exitcode(done[1]) == 0


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_bar_in_a_terminal():
    terminal = Terminal()
    with Progress("RML.fit", terminal) as progress:
        progress(0.5, 1.25)
    text = terminal.getvalue()
    assert "\rRML.fit [###############...............]  50 %" in text
    assert "objective 1.25" in text
    assert text.rstrip().split("\r")[-1].startswith("RML.fit: done in")


def test_progress_bar_in_a_file(capsys):
    data = datasets.make("photos", rows=60)
    BR(base=Logistic(), verbose=True).fit(data.X, data.Y)
    assert capsys.readouterr().err.startswith("BR.fit: done in")


def test_verbose_shows_progress_of_a_fit(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    X, Y = slow_data()
    AdaBoostMH(rounds=150, verbose=True).fit(X, Y)
    assert terminal.getvalue().count("%") > 1


LONG_FOREIGN_FIT = """
import signal, time
import numpy as np
from sklearn.ensemble import RandomForestClassifier
from mulberry import BR
signal.signal(signal.SIGINT, signal.default_int_handler)
rng = np.random.default_rng(0)
X, Y = rng.normal(size=(2000, 50)), rng.integers(2, size=(2000, 20))
model = BR(RandomForestClassifier(2000))
print("ready", flush=True)
try:
    model.fit(X, Y)
except KeyboardInterrupt:
    print("stopped", time.time(), hasattr(model, "classes_"), flush=True)
"""


def test_ctrl_c_stops_a_classifier_of_scikit_learn():
    """The forest of one label alone would take far longer."""
    words = [sys.executable, "-c", LONG_FOREIGN_FIT]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout.readline() == "ready\n"
        time.sleep(1)
        sent = time.time()
        run.send_signal(signal.SIGINT)
        word, when, fitted = run.stdout.readline().split()
        assert (word, fitted) == ("stopped", "False")
        assert float(when) - sent < 5  # a tenth of a second, unless the machine is busy
        assert run.wait(timeout=60) == 0
