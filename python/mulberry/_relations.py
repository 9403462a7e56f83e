"""Which labels help which, as `mulberry relations` finds out."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from . import _core
from ._estimator import Learner
from ._files import library_data, write_text
from ._foreign import holding
from ._results import ResultTable
from ._seed import seed_of
from ._threads import threads_of


class Arrow(NamedTuple):
    """`helper` contributes to the model of `learner`; `firm`: it returned in 8 of 10 repeats."""

    helper: str
    learner: str
    score: float
    reverse: float
    firm: bool


class Relations:
    """Scores between labels: rows learn, columns help.

    Attributes
    ----------
    score : ResultTable
        With data, scores of labels with few rows are shrunk; `plain` has them before that.
    plain, phi, co_occurrence : ResultTable or None
        The scores as the model has them, correlations, and shares of rows with both labels.
    agreement, repeated_mean, repeated_deviation : ResultTable or None
        Of the repeats: how often a score returned, and its mean and deviation.
    support : dict of label to its number of rows
    arrows : list of Arrow, strongest first
    sentences : list of str
    """

    def __init__(self, found: dict[str, Any]) -> None:
        names = found["names"]

        def table(name: str, sentence: str) -> ResultTable | None:
            return ResultTable(found[name], names, names, sentence) if name in found else None

        self.labels = names
        self.score = ResultTable(found["score"], names, names, "what the column adds to the row")
        self.plain = table("plain", "scores before they were shrunk")
        self.phi = table("phi", "correlation of labels")
        self.co_occurrence = table("co_occurrence", "share of the row's rows with the column, too")
        self.agreement = table("agreement", "share of the repeats in which the arrow returned")
        self.repeated_mean = table("repeated_mean", "mean over the repeats")
        self.repeated_deviation = table("repeated_deviation", "deviation over the repeats")
        self.support = dict(zip(names, found["support"]))
        self.arrows = [Arrow(*arrow) for arrow in found["arrows"]]
        self.sentences = found["sentences"]
        self._files = {name: found[name] for name in ("dot", "picture", "graph", "page")}

    def to_dot(self) -> str:
        """The arrows in the language of Graphviz."""
        return self._files["dot"]

    def to_frame(self) -> Any:
        """The arrows as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame(self.arrows, columns=list(Arrow._fields))

    def save_picture(self, path: str | os.PathLike[str]) -> str:
        """Heat maps of scores and correlations, as SVG."""
        return write_text(path, self._files["picture"])

    def save_graph(self, path: str | os.PathLike[str]) -> str:
        """Labels and arrows, as SVG."""
        return write_text(path, self._files["graph"])

    def _page(self) -> str:
        return self._files["page"]

    def __repr__(self) -> str:
        return "\n".join(self.sentences) or "no label helps another noticeably"


def relations(estimator: Any, X: Any = None, Y: Any = None, *, most: int = 20, least: float = 0.05,
              repeats: int = 0, resample: str = "bootstrap", label_names: Any = None,
              random_state: Any = 0, n_jobs: int | None = None) -> Relations:
    """Which labels help which.

    A score of 0.3 from sunset to sea: the hypotheses of sunset contributed 0.3 times as much to the
    model of sea as its own did. Scores describe the model, not causes.

    Parameters
    ----------
    estimator : a learner that measures reuse, such as ``MAHR(kappa=0)``
        It is trained on X and Y unless it is fitted; a fitted one needs no data, but without data
        there is no correlation and nothing can be repeated.
    X, Y : features and labels; or X a `datasets.Dataset`
    most, least : number of arrows, and smallest score of one
    repeats : int
        Train again on so many samples of the rows: which arrows return?
    resample : {'bootstrap', 'folds', 'halves'}

    Examples
    --------
    >>> import mulberry
    >>> from mulberry import MAHR, datasets
    >>> found = mulberry.relations(MAHR(kappa=0, rounds=20), datasets.make("photos", rows=200))
    >>> found.score.shape
    (11, 11)
    """
    if not isinstance(estimator, Learner):
        raise TypeError(f"expected a learner of this package, found {type(estimator).__name__}")
    data = None
    if X is not None:
        data, target = library_data(X, Y, label_names=label_names)
        if target is None or not target.indicator:
            raise ValueError("expected Y as a matrix of 0 and 1")
    if not hasattr(estimator, "_model"):
        if data is None:
            raise ValueError("expected X and Y, or a fitted estimator")
        estimator = clone(estimator)
        with holding() as hold:
            estimator._model = estimator._run("fit", lambda run: _core.fit(
                estimator._spec(hold), data, None, **run))
    with holding():
        found = estimator._run("relations", lambda run: _core.relations(
            estimator._model, data, most, least, repeats, resample,
            f"As {estimator!r} measures it.",
            **{**run, "threads": threads_of(n_jobs if n_jobs is not None else estimator.n_jobs),
               "seed": seed_of(random_state)}))
    return Relations(found)


def enhance(estimator: Any, X: Any = None, Y: Any = None) -> ResultTable:
    """How strongly each label applies to each row, as `mulberry enhance` says.

    Above 0 the label applies to the row, below it does not; 1 and -1 would be the label exactly as
    given. The values are no probabilities.

    Parameters
    ----------
    estimator : MLLLE, or another learner with the result `numerical_labels`
        With X and Y it is trained, and the table is about these rows. A fitted one needs neither;
        with X alone, the table is about other rows.

    Examples
    --------
    >>> import mulberry
    >>> from mulberry import MLLLE, datasets
    >>> data = datasets.make("photos", rows=60)
    >>> mulberry.enhance(MLLLE(), data.X, data.Y).shape
    (60, 11)
    """
    if Y is not None:
        estimator = clone(estimator).fit(X, Y)
    elif X is not None:
        values = estimator.raw_scores(X)
        return ResultTable(values, [str(k) for k in range(len(values))], estimator.label_names_,
                           "how strongly each label applies to each row")
    tables = estimator.results_
    if "numerical_labels" not in tables:
        raise ValueError(f"{type(estimator).__name__} does not measure how strongly labels apply: "
                         "use MLLLE")
    found = tables["numerical_labels"]
    return ResultTable(np.asarray(found.values), [str(k) for k in range(len(found))],
                       estimator.label_names_, "how strongly each label applies to each row")
