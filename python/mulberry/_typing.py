"""Types that signatures use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, Union

from typing import Self

if TYPE_CHECKING:
    from numpy.random import RandomState

    from ._estimator import BaseLearner, Learner

Seed: TypeAlias = "Union[int, RandomState, None]"
# A base learner, its text such as "linear_svm(C=2)", or a scikit-learn classifier; None: default.
Base: TypeAlias = "Union[BaseLearner, str, Any, None]"
# A learner, its text, or a scikit-learn classifier, which is trained once per label; None: default.
Whole: TypeAlias = "Union[Learner, str, Any, None]"

__all__ = ["Base", "Seed", "Self", "Whole"]
