"""A page on which a person answers whether doubtful labels are right, served or written."""

from __future__ import annotations

import html
import os
import time
from typing import Any, overload

from . import _core, changes
from ._files import library_data, write_text
from ._seed import seed_of
from ._threads import threads_of
from ._typing import Self
from .datasets import Dataset
from .model_selection import IterativeStratifiedKFold, suspects_of

__all__ = ["Review", "review"]


class Review:
    """A review that a server of this process shows on the loopback address.

    Open `address` in a browser of this machine; it has a secret that nobody else knows. Every answer
    is in the file `path` before the next question is shown. ``with`` closes it at the end, and `wait`
    blocks until Ctrl-C.
    """

    def __init__(self, served: _core.Review, path: str) -> None:
        self._served = served
        self.path = path
        self.address = served.address

    @property
    def answers(self) -> list[changes.Change]:
        """What has been answered so far, as `mulberry.changes.read` gives it."""
        return changes.read(self.path) if os.path.exists(self.path) else []

    def wait(self) -> list[changes.Change]:
        """Until Ctrl-C or `close`; the answers."""
        try:
            while self._served.is_open:
                time.sleep(0.1)
        except KeyboardInterrupt:
            pass
        self.close()
        return self.answers

    def close(self) -> None:
        """End the server. A later review with the same file goes on."""
        self._served.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        state = self.address if self._served.is_open else "closed"
        return f"<Review {state}, answers in {self.path}>"

    def _repr_html_(self) -> str:
        link = html.escape(self.address)
        return f'<a href="{link}" target="_blank">{link}</a>, answers in {html.escape(self.path)}'


@overload
def review(estimator: Any, X: Any, Y: Any = None, *, path: str | os.PathLike[str], k: int = 200,
           suspicious: bool = False, cv: Any = 5, label_names: Any = None, ids: Any = None,
           answers: str | os.PathLike[str] = "answers.csv", port: int = 0, random_state: Any = 0,
           n_jobs: int | None = None) -> str: ...


@overload
def review(estimator: Any, X: Any, Y: Any = None, *, path: None = None, k: int = 200,
           suspicious: bool = False, cv: Any = 5, label_names: Any = None, ids: Any = None,
           answers: str | os.PathLike[str] = "answers.csv", port: int = 0, random_state: Any = 0,
           n_jobs: int | None = None) -> Review: ...


def review(estimator: Any, X: Any, Y: Any = None, *, path: str | os.PathLike[str] | None = None, k: int = 200,
           suspicious: bool = False, cv: Any = 5, label_names: Any = None, ids: Any = None,
           answers: str | os.PathLike[str] = "answers.csv", port: int = 0, random_state: Any = 0,
           n_jobs: int | None = None) -> str | Review:
    """A page on which a person answers whether doubtful labels are right.

    Without `path`, a server of this process shows the page, as `mulberry review` does: the result is a
    `Review` with the `address` to open, and the answers are in a change file, each before the next
    question is shown; the same call goes on where it was stopped. With `path`, the page is written
    there and needs no server: its answers are downloaded, and the result is the path.
    ``mulberry.changes.apply`` and ``mulberry convert --apply`` carry the answers out.

    Parameters
    ----------
    estimator : any learner with decision_function; each row is judged by a clone that has not seen it
    X, Y : features and an indicator matrix; or X a `datasets.Dataset`, whose texts and ids are shown
    path : the page to write
    k : number of questions
    suspicious : ask about labels that rows have, rather than labels that they lack
    cv : the number of stratified folds, or a splitter
    label_names, ids : names of the columns and rows of Y
    answers : the file of the answers, or the name that a written page offers for it
    port : of the server on the loopback address; 0: any that is free

    Examples
    --------
    >>> import os, tempfile, mulberry
    >>> from mulberry import BR, Logistic, datasets
    >>> photos = datasets.make("photos", rows=100)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = mulberry.review(BR(Logistic()), photos, path=folder + "/review.html", k=5)
    ...     written = os.path.getsize(page) > 10000
    ...     with mulberry.review(BR(Logistic()), photos, answers=folder + "/answers.csv", k=5) as served:
    ...         written, served.address.startswith("http://127.0.0.1:"), served.answers
    (True, True, [])
    """
    data, target = library_data(X, Y, label_names=label_names, ids=ids)
    if target is None or not target.indicator:
        raise ValueError("expected Y as a matrix of 0 and 1")
    if isinstance(X, Dataset):
        X, Y = X.X, X.Y if Y is None else Y
    splitter = IterativeStratifiedKFold(cv, random_state=random_state) if isinstance(cv, int) else cv
    found, _ = suspects_of(estimator, X, Y, k, splitter, missing=not suspicious)
    answers = os.fspath(answers)
    about = (data, found, not suspicious, data.name or "the data", answers,
             f'mulberry.changes.apply(Y, "{answers}")')
    threads, seed = threads_of(n_jobs), seed_of(random_state)
    if path is not None:
        return write_text(path, _core.review_page(*about, threads, seed))
    return Review(_core.serve_review(*about, port, threads, seed), answers)
