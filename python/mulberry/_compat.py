"""The differences between the releases of scikit-learn that we support."""

from __future__ import annotations

import inspect
from typing import Any

from sklearn.utils import check_array

from ._arrow import collected

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # before 1.6

    def validate_data(estimator: Any, X: Any, *, reset: bool, ensure_all_finite: Any = True,
                      **options: Any) -> Any:
        options["force_all_finite"] = ensure_all_finite
        return estimator._validate_data(X, reset=reset, **options)


def numbers_of(X: Any, **options: Any) -> Any:
    """X as an array or CSR matrix in which NaN is allowed."""
    X = collected(X)
    name = "ensure_all_finite"
    if name not in inspect.signature(check_array).parameters:  # before 1.6
        name = "force_all_finite"
    return check_array(X, accept_sparse="csr", **{name: "allow-nan"}, **options)


def allows_nan(estimator: Any) -> bool:
    """Whether an estimator says that it takes NaN among the features."""
    try:
        if hasattr(estimator, "__sklearn_tags__"):
            return bool(estimator.__sklearn_tags__().input_tags.allow_nan)
        if hasattr(estimator, "_get_tags"):
            return bool(estimator._get_tags().get("allow_nan"))
        return hasattr(estimator, "_more_tags") and bool(estimator._more_tags().get("allow_nan"))
    except Exception:  # noqa: BLE001: tags of another library, or of wrong parameters, which fit reports
        return False


__all__ = ["allows_nan", "numbers_of", "validate_data"]
