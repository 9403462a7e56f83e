"""The methods of scikit-learn for a learner on a cluster."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator, ClassifierMixin, MultiOutputMixin
from sklearn.utils.validation import check_is_fitted

from .._typing import Self
from ._fit import fit
from ._scores import predict


class Distributed(ClassifierMixin, MultiOutputMixin, BaseEstimator):
    """A learner that is trained and asked on a cluster, with the methods of scikit-learn.

    Dask arrays and data frames are predicted when the answer is computed; other X here, at once.

    Parameters
    ----------
    estimator : BR(...), Forest(...), Logistic() or LinearSVM(loss="squared"), as in `fit`
    blocks, cache : as in `fit`

    Attributes
    ----------
    client : the client; the current one of Dask unless it is set
    model_ : the trained estimator, ready to `save`

    Examples
    --------
    >>> from mulberry import Forest
    >>> from mulberry.dask import Distributed
    >>> model = Distributed(Forest()).fit(X, Y)        # doctest: +SKIP
    >>> model.predict(dask_X).compute()                # doctest: +SKIP
    """

    def __init__(self, estimator: Any = None, *, blocks: int | None = None, cache: Any = None) -> None:
        self.estimator = estimator
        self.blocks = blocks
        self.cache = cache

    @property
    def client(self) -> Any:
        from distributed import get_client

        return self.__dict__.get("_client") or get_client()

    @client.setter
    def client(self, client: Any) -> None:
        self.__dict__["_client"] = client

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name != "_client"}

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train on arrays, or on Dask collections over partitions of their rows."""
        self.model_ = fit(self.client, self.estimator, X, y, sample_weight=sample_weight,
                          blocks=self.blocks, cache=self.cache)
        self.classes_ = self.model_.classes_
        self.label_names_ = self.model_.label_names_
        self.n_features_in_ = self.model_.n_features_in_
        return self

    def _asked(self, X: Any, form: str, method: str) -> Any:
        check_is_fitted(self)
        if hasattr(X, "dask"):
            return predict(self.client, self.model_, X, form=form)
        return getattr(self.model_, method)(X)

    def predict(self, X: Any) -> Any:
        """0 and 1, rows x labels."""
        return self._asked(X, "labels", "predict")

    def predict_proba(self, X: Any) -> Any:
        """Probabilities, rows x labels, of learners that have them."""
        return self._asked(X, "probabilities", "predict_proba")

    def raw_scores(self, X: Any) -> Any:
        """Scores of the model as they are."""
        return self._asked(X, "scores", "raw_scores")
