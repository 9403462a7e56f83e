"""Multi-label learning with scikit-learn estimators, computed in C++.

There is one class per learner (``RML``, ``MAHR``, ``DSML``, ``BR``, ...) and per base learner
(``LinearSVM``, ``Logistic``, ...). ``mulberry.datasets``, ``mulberry.metrics`` and
``mulberry.model_selection`` have data, measures and splits.

>>> from mulberry import BR, Logistic, datasets
>>> data = datasets.make("photos", rows=100)
>>> model = BR(base=Logistic(C=10)).fit(data.X, data.Y)
>>> model.predict(data.X).shape
(100, 11)
"""

from . import _learners, changes, datasets, metrics, model_selection
from ._core import version as __version__
from ._compare import Comparison, compare
from ._demo import demo
from ._describe import Description, describe
from ._estimator import load
from ._learners import *  # noqa: F403
from ._relations import Relations, enhance, relations
from ._report import inspect, report
from ._results import ResultTable
from ._review import Review, review
from ._scoring import predict_file
from ._study import StudyResult, reproduce, run_study, studies
from ._tune import TuneResult, tune
from ._words import TargetWords
from .display import (CalibrationDisplay, ComparisonDisplay, CriticalDifferenceDisplay,
                      LabelDisplay, RelationshipDisplay, RelationshipGraphDisplay, ThresholdDisplay,
                      TradeoffDisplay, tradeoff)
from .text import TextVectorizer

__all__ = [
    "CalibrationDisplay",
    "Comparison",
    "ComparisonDisplay",
    "CriticalDifferenceDisplay",
    "Description",
    "LabelDisplay",
    "Relations",
    "RelationshipDisplay",
    "RelationshipGraphDisplay",
    "ResultTable",
    "Review",
    "StudyResult",
    "TargetWords",
    "TextVectorizer",
    "ThresholdDisplay",
    "TradeoffDisplay",
    "TuneResult",
    "__version__",
    "all_estimators",
    "changes",
    "compare",
    "datasets",
    "demo",
    "describe",
    "enhance",
    "inspect",
    "load",
    "metrics",
    "model_selection",
    "predict_file",
    "relations",
    "report",
    "reproduce",
    "review",
    "run_study",
    "studies",
    "tradeoff",
    "tune",
]
__all__ += _learners.__all__


def all_estimators() -> list[type]:
    """The classes of all learners and base learners.

    >>> from mulberry import all_estimators
    >>> [c.__name__ for c in all_estimators() if c.__name__ in ("BR", "RML")]
    ['BR', 'RML']
    """
    return [globals()[name] for name in _learners.LEARNERS + _learners.BASES]
